"""How much an audit sees depends on how much it draws, and that on who else uses the machine."""

LONGER = (1, 3, 9, 27, 81)  # times as long, where cores are shared


def patiently(ask, seconds, shown):
    """What is found within these seconds, or within more of them until it shows what it should.

    That is never a chance hit: each time an audit is wrong with a chance of its alpha at most.
    """
    for times in LONGER:
        found = ask(times * seconds)
        if shown(found):
            break
    return found
