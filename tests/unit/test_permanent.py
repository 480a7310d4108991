"""Permanent draws: uniform, the same under one key, and charged once."""

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import islice, product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nomdeplume import InputError, Ledger, Obfuscator, PrivacyError, Vocabulary, secure
from nomdeplume.bag import Bag
from nomdeplume.charging import Charging, Permanent, recipe_digest
from nomdeplume.library import Library
from nomdeplume.library.scores import ByTable
from nomdeplume.mechanism.contract import Released
from nomdeplume.mechanism.standin import StandIn
from nomdeplume.privacy.ledger.claims import Identity, text_digest
from nomdeplume.privacy.ledger.permanent import ticket, uniform, words
from nomdeplume.releasing import Held, Offer, Releasing

KEPT = Vocabulary.given(None)
SMALL = Library(Library.shipped("en").passages[::150], name="small", ships=True)
STANDIN = StandIn(SMALL, ByTable(SMALL, KEPT), 2, 5)
SIZE = 16
TEXTS = ["The dough rests.", "The goalkeeper dives.", ""]


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "l", limit=2.5 * log(5)) as opened:
        yield opened


def charging(ledger, mechanism=STANDIN):
    permanent = Permanent.of(mechanism, KEPT)
    price = Obfuscator(KEPT, mechanism, 1).price
    return Charging(ledger, price, Identity("id"), permanent=permanent)


def offer(ledger, id_=1, text=TEXTS[0]):
    return Offer(text, claim=(ledger.claims.by_id(id_),))


@pytest.mark.parametrize("below", range(1, SIZE + 1))
def test_a_draw_is_uniform_if_words_are(below):
    """Over all pairs of words of four bits, of which at least one is not rejected: exactly."""
    most = SIZE - SIZE % below
    pairs = [pair for pair in product(range(SIZE), repeat=2) if min(pair) < most]
    found = Counter(uniform(pair, below, size=SIZE) for pair in pairs)

    assert set(found) == set(range(below))
    assert len(set(found.values())) == 1


def test_a_word_without_rejection_would_not_be_uniform():
    found = Counter(n % 5 for n in range(SIZE))

    assert len(set(found.values())) == 2


def by_hand(key, message):
    """HMAC-SHA-256 as RFC 2104 has it."""
    padded = key.ljust(64, b"\0")
    inner = sha256(bytes(b ^ 0x36 for b in padded) + message).digest()
    return sha256(bytes(b ^ 0x5C for b in padded) + inner).digest()


def test_words_are_those_of_hmac_in_counter_mode():
    seed = bytes(range(32))
    stream = b"".join(by_hand(seed, bytes(7) + bytes([n])) for n in range(3))

    assert list(islice(words(seed), 12)) == [
        int.from_bytes(stream[at : at + 8], "big") for at in range(0, 96, 8)
    ]


@given(st.binary(min_size=32, max_size=32), st.integers(1, 1 << 40))
def test_a_ticket_is_within_bounds_and_the_same_again(seed, below):
    assert 0 <= ticket(seed, below) < below
    assert ticket(seed, below) == ticket(seed, below)


def test_tickets_of_many_seeds_are_spread_evenly():
    found = Counter(ticket(n.to_bytes(32, "big"), 7) for n in range(70_000))

    assert all(abs(count - 10_000) < 500 for count in found.values())  # 5.4 standard deviations
    assert len(found) == 7


def test_all_tickets_of_a_text_are_its_odds():
    every = np.arange(STANDIN.tickets)
    for text in TEXTS:
        found = Counter(each.text for each in STANDIN.holders([text] * len(every), every))
        assert set(found) == set(SMALL.texts)
        assert sorted(found.values()) == [1] * (len(SMALL) - 2) + [5, 5]


def test_the_same_is_drawn_once_and_anything_else_anew(ledger, tmp_path):
    first = offer(ledger)
    base = charging(ledger).drawn(first)
    weaker = StandIn(SMALL, STANDIN.score, 2, 6)
    fewer = StandIn(SMALL, STANDIN.score, 3, 5)
    other = StandIn(library := Library(SMALL.passages[:-1]), ByTable(library, KEPT), 2, 5)
    others = [
        charging(ledger).drawn(offer(ledger, 2)),
        charging(ledger).drawn(offer(ledger, text="The dough  rests.")),
        charging(ledger).drawn(Offer(TEXTS[0], claim=(*first.claim, b"\2Ann"))),
        *(charging(ledger, each).drawn(first) for each in (weaker, fewer, other)),
    ]
    with Ledger(tmp_path / "another", limit=9) as another:
        others.append(charging(another).drawn(Offer(TEXTS[0], claim=first.claim)))

    assert charging(ledger).drawn(first) == base
    assert base.claim[:1] == first.claim
    assert len({each.claim[-1] for each in [base, *others]}) == 1 + len(others)
    seeds = {ledger.claims.permanent(first.claim, text_digest(t), b"recipe")[1] for t in TEXTS}
    assert len(seeds) == len(TEXTS)


def test_the_second_document_with_an_id_is_withheld(ledger):
    run = charging(ledger)
    before = replace(offer(ledger, 2), before=Released("a release of an interrupted run"))

    assert run.drawn(offer(ledger)).due
    assert not run.drawn(offer(ledger)).due
    assert not run.drawn(offer(ledger, text=TEXTS[1])).due
    assert run.drawn(before) == before
    assert run.drawn(offer(ledger, 2)).withheld == "its id is that of another document."
    assert run.drawn(Offer(withheld="torn")) == run.drawn(Offer(withheld="torn"))


def test_names_and_draws_are_apart(ledger):
    """Whoever has the ledger, which holds names, knows nothing of draws without the key."""
    name, seed = ledger.claims.permanent((b"\1",), b"text", b"recipe")

    assert name[1:] not in seed
    assert name[:1] == b"\3"


def test_a_recipe_is_known_by_all_that_makes_a_release():
    table = KEPT.table
    assert recipe_digest(STANDIN, KEPT) == recipe_digest(StandIn(SMALL, STANDIN.score, 2, 5), KEPT)
    assert recipe_digest(STANDIN, KEPT) != recipe_digest(STANDIN, Vocabulary.of(table, "none"))


def test_a_permanent_release_is_charged_once(ledger):
    once, again = charging(ledger), charging(ledger)
    one, two = (once.drawn(offer(ledger, id_)).claim for id_ in (1, 2))
    given = [one, one, two]

    assert once.granted(given) == [True] * 3  # the second is the first
    assert again.granted(given) == [True] * 3
    assert [ledger.charged(each.run) for each in (once, again)] == [2, 0]
    assert ledger.spent(ledger.claims.by_id(1)).releases == 1
    assert ledger.overall().releases == 2
    ledger.verify()


def test_what_was_released_needs_no_room(ledger):
    fresh = charging(ledger)
    kept = fresh.drawn(offer(ledger)).claim
    changed = [charging(ledger).drawn(offer(ledger, text=text)).claim for text in TEXTS[1:]]

    assert fresh.granted([kept, *changed]) == [True, True, False]  # there is room for two
    assert fresh.granted([kept], together=True) == [True]
    ledger.limit = 0.1
    assert fresh.granted([kept, changed[0], changed[1]]) == [True, True, False]
    ledger.verify()


def test_authors_have_no_account_of_permanent_releases(ledger):
    charging(ledger).granted([charging(ledger).drawn(offer(ledger)).claim])

    assert not list(ledger.accounts(authors=True))
    assert len(list(ledger.accounts(authors=False))) == 1


def test_tickets_are_held_by_all_texts_or_none():
    releasing = Releasing(KEPT, STANDIN)
    rng = secure()

    assert [each.text for each in releasing.of([Held(t, 0) for t in TEXTS], rng)] == [
        STANDIN.holders([t], np.array([0]))[0].text for t in TEXTS
    ]
    with pytest.raises(PrivacyError, match="by all texts of a batch"):
        releasing.of([Held(TEXTS[0], 0), TEXTS[1]], rng)
    words_only = Releasing(KEPT, Obfuscator.laplace(KEPT).documents)
    with pytest.raises(PrivacyError, match="by all texts of a batch"):
        words_only.of([Held(TEXTS[0], 0)], rng)


def test_what_draws_otherwise_is_not_permanent():
    with pytest.raises(InputError, match="mean has no permanent releases"):
        Permanent.of(Obfuscator.mean(KEPT).documents, KEPT)
    with pytest.raises(InputError, match="as it is, not a bag"):
        text_digest(Bag.of({1: 1}))
