"""Published figures about attackers, measured again on other corpora."""
