"""What the studio does without a page: accounts, limits, and what it says of promises."""

import re
from math import log

import numpy as np
import pytest

from nomdeplume import InputError, Obfuscator, Table, seeded
from nomdeplume.between import Between
from nomdeplume.errors import BudgetSpent, PrivacyError
from nomdeplume.library import Library
from nomdeplume.mechanism import Recipe
from nomdeplume.privacy.ledger import Ledger
from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.calibration import KINDS, PHRASES
from nomdeplume.web.studio import LIMIT, LONGEST, Studio, mark
from nomdeplume.web.telling import PAIRS, powers, stated
from nomdeplume.web.ways import STEPS, WAYS

TEXT = "The harbour was quiet in winter, and the baker sold warm bread to sailors."
AT_ONCE = ("mean", 20.0, 40)
STANDIN = ("standin", 100.0, 40)


@pytest.fixture(scope="module")
def vocabulary(bundled):
    return Vocabulary.given(bundled)


@pytest.fixture
def studio(vocabulary, tmp_path):
    return Studio(vocabulary, tmp_path / "new" / "a.ledger")


def test_author_and_text_are_both_charged(studio):
    assert studio.spent("mean", "ann", TEXT).left == LIMIT
    released = studio.release(TEXT, "ann", *AT_ONCE)
    studio.release("Bread and butter.", "ann", *AT_ONCE)

    assert len(released.words) == 40
    assert vars(studio.spent("mean", "ann", TEXT)) == {"author": 40, "text": 20, "limit": LIMIT}
    assert (studio.spent("mean", "bob", TEXT).spent, studio.spent("mean", "bob").spent) == (20, 0)


def test_what_has_no_room_is_refused_without_a_word_of_it(studio):
    for author in ("a", "b", "c", "d", "e"):
        studio.release(TEXT, author, *AT_ONCE)
    with pytest.raises(BudgetSpent, match=r"^this text or its author has no room left") as error:
        studio.release(TEXT, "somebody new", *AT_ONCE)

    assert "harbour" not in str(error.value)
    assert studio.spent("mean", "somebody new").author == 0


def test_a_limit_that_was_changed_counts_at_once(studio):
    for limit in (300, 25):
        with Ledger(studio.paths[0]) as ledger:
            ledger.limit = limit
        assert studio.spent("mean", "ann").left == limit
    studio.release(TEXT, "ann", *AT_ONCE)
    with pytest.raises(BudgetSpent):
        studio.release(TEXT, "ann", *AT_ONCE)


def test_a_limit_that_was_asked_for_is_kept(vocabulary, studio):
    assert Studio(vocabulary, studio.paths[0], 40).spent("mean", "ann").left == 40
    with pytest.raises(PrivacyError, match="the limit of this ledger is 100"):
        Studio(vocabulary, studio.paths[0], 200)


def test_a_second_ledger_begins_with_the_limit_of_the_first(vocabulary, tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=10):
        pass
    studio = Studio(vocabulary, tmp_path / "a.ledger")

    assert [Ledger(path).most for path in studio.paths] == [10, 10]


def test_a_limit_that_was_lowered_below_the_one_asked_for_holds(vocabulary, tmp_path):
    studio = Studio(vocabulary, tmp_path / "a.ledger", 40.0)
    with Ledger(studio.paths[0]) as ledger:
        ledger.limit = 30
    assert studio.spent("mean", "ann").left == 30
    with pytest.raises(BudgetSpent):
        studio.release(TEXT, "ann", "mean", 35.0, 40)


def test_an_emoji_counts_twice_as_in_a_browser(studio):
    """It cuts off what is longer, and a text that was cut off must be seen to be."""
    with pytest.raises(InputError, match="A text may have up to"):
        studio.release("🙂" + "x" * (LONGEST - 1), "ann", *AT_ONCE)


@pytest.mark.parametrize("text", ["", "a", "bread 🙂\n" * 40, "one\r\ntwo\rthree", "\ud83d"])
def test_a_text_is_marked_as_a_browser_marks_it(text):
    plain = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-16-be", "surrogatepass")
    reckoned = 0
    for high, low in zip(plain[::2], plain[1::2], strict=True):
        reckoned = (31 * reckoned + 256 * high + low) % 2**32

    assert mark(text) == [len(plain) // 2, reckoned]


def test_what_fits_is_said_of_words_only():
    assert WAYS["laplace"].fitting(6.0, 100).startswith("Up to 16 words fit")
    assert WAYS["laplace"].fitting(6.0, 96).startswith("Up to 16 words fit")
    assert WAYS["laplace"].fitting(20.0, 90) == WAYS["mean"].fitting(200.0, 100) == ""


def test_the_odds_of_a_slider_are_whole_and_a_document_spends_their_logarithm():
    way = WAYS["standin"]
    odds = [way.value(step) for step in range(STEPS + 1)]

    assert (odds[0], odds[way.step(100)], odds[-1]) == (2, 100, 1000)
    assert odds == sorted(map(round, odds))
    assert [way.budget(each, 40) for each in odds] == [log(each) for each in odds]
    assert way.fitting(100.0, log(37)) == "Odds of up to 37 to 1 fit."
    assert way.fitting(100.0, log(1.9)) == ""


@pytest.mark.parametrize("text", [TEXT, "", "the of and", "zyxoquant 🙂"])
def test_any_text_has_a_passage_of_the_library_in_its_place(studio, text):
    found = studio.release(text, "ann", *STANDIN)
    passage = Library.shipped("en").holding(found.content)

    assert found.passage == passage
    assert found.text == f"{passage.text}\n"
    assert found.made_for == found.certificate.advice != ""
    spent = studio.spent("standin", "ann", text)
    assert (spent.author, spent.text) == pytest.approx((log(100), log(100)), abs=1e-6)


def test_the_limit_leaves_room_for_21_stand_ins(studio):
    for _ in range(21):
        studio.release(TEXT, "ann", *STANDIN)
    with pytest.raises(BudgetSpent):
        studio.release(TEXT, "ann", *STANDIN)


@pytest.mark.parametrize("order", [(STANDIN, AT_ONCE), (AT_ONCE, STANDIN)])
def test_stand_ins_and_words_are_charged_to_ledgers_of_their_own(vocabulary, studio, order):
    """Their budgets do not add up; whichever came first keeps the first ledger."""
    for asked in order:
        studio.release(TEXT, "ann", *asked)
    anew = Studio(vocabulary, studio.paths[0])
    anew.release("Bread and butter.", "ann", *order[1])
    spent = {way: anew.spent(way, "ann").author for way in ("standin", "mean", "laplace")}
    each = {"standin": log(100), "mean": 20, "laplace": 20}
    twice = ("standin",) if order[1] is STANDIN else ("mean", "laplace")
    budgets = []
    for path in anew.paths:
        with Ledger(path) as ledger:
            budgets.append(ledger.spent(ledger.claims.by_author("ann")).budget)

    assert spent == pytest.approx({n: b * (1 + (n in twice)) for n, b in each.items()}, abs=1e-5)
    assert budgets == pytest.approx([each[order[0][0]], 2 * each[order[1][0]]], abs=1e-5)


def test_a_preview_has_the_likeliest_passages_and_the_one_that_came_out(studio):
    sample, k = next(iter(studio.samples)), []
    for odds in (2.0, 100.0, 1000.0):
        found, made = (
            studio.preview("standin", odds, 40, sample),
            studio.obfuscator("standin", odds, 40),
        )
        around, mechanism = found.around, made.documents
        k.append(len(around.best))

        assert around.best == tuple(mechanism._nearest([studio.samples[sample]])[0])
        assert around.passage.text == found.content
        assert around.hit == pytest.approx(mechanism.hit)
        assert around.odds == odds
    assert k == [mechanism.score.best(odds) for odds in (2, 100, 1000)]
    assert k == sorted(set(k), reverse=True)
    assert studio.preview("mean", 20.0, 40, sample).around is None


def test_a_table_of_another_language_has_no_stand_ins(tmp_path):
    table = Table(("pluie", "neige", "vent"), np.eye(3, dtype=np.float32), language="fr")
    there = Studio(Vocabulary.of(table, "none"), tmp_path / "a.ledger")

    assert list(there.ways) == ["mean", "laplace", "rank"]


def test_the_promise_of_a_stand_in_is_its_odds(studio):
    told = stated(studio, "standin", 20.0, 40)

    assert "by at most 20 to 1" in told
    assert "two of one author allow 400 to 1" in told
    assert powers(studio.obfuscator("standin", 20.0, 40).promises[0].sentence) in told
    assert "<table" not in told


def test_a_ledger_that_is_gone_is_not_begun_anew(studio):
    studio.paths[0].unlink()
    with pytest.raises(PrivacyError, match="the ledger is gone"):
        studio.release(TEXT, "ann", *AT_ONCE)

    assert not studio.paths[0].exists()


@pytest.mark.parametrize("text", ["", "the of and", "x" * (LONGEST + 1)])
def test_a_text_that_cannot_be_released_is_not_charged(studio, text):
    with pytest.raises(InputError):
        studio.release(text, "ann", *AT_ONCE)

    assert studio.spent("mean", "ann", text).spent == 0


def odds(told):
    return dict(re.findall(r'row">(.+?)</th><td>(.+?)</td>', told))


@pytest.mark.parametrize(("way", "place"), [("mean", 0), ("laplace", -1), ("rank", -1)])
@pytest.mark.parametrize(("value", "size"), [(7.0, 40), (3.0, 100)])
def test_odds_are_those_of_a_certificate(studio, way, place, value, size):
    """Though distances are found once for all budgets."""
    made = studio.obfuscator(way, value, size)
    told = stated(studio, way, value, size)

    assert odds(told) == {
        PAIRS[each.pair]: powers(each.factor) for each in made.promises[place].odds
    }
    assert all(powers(each.sentence) in told for each in made.promises)


def test_exponents_are_raised_and_nothing_else_is_markup():
    assert powers("at most e^56.8 (about 10^24.7).") == (
        "at most e<sup>56.8</sup> (about 10<sup>24.7</sup>)."
    )
    assert powers("<b>^") == "&lt;b&gt;^"


def test_the_sentence_of_a_promise_holds_for_all_texts(studio):
    """Not only for the samples, which are near each other."""
    told = stated(studio, *AT_ONCE)
    sentence, made = told.partition("<table")[0], studio.obfuscator(*AT_ONCE)
    one_word = made.promises[0].one_word
    apart = Between.of(made, "A quarrel about money.", "Snow fell upon the mountains.").largest
    changed = Between.of(made, "A quarrel about money.", "A mountain about money.").largest

    assert powers(one_word.sentence) in sentence
    assert odds(told)[PAIRS["near"]] not in sentence
    assert 0 < changed <= one_word.any / 2
    assert made.promises[0].odds[0].loss < apart < made.promises[0].odds[-1].loss


def test_between_a_text_and_itself_nothing_is_lost_and_nothing_less(studio):
    for text in (TEXT, f"{TEXT} {TEXT}"):
        same = Between.of(studio.obfuscator(*AT_ONCE), TEXT, text, delta=1e-6)

        assert (same.largest, same.at_delta) == (0, 0)
        assert len(same.sentences()) == 1


@pytest.mark.parametrize("way", WAYS)
def test_another_budget_is_as_if_it_were_made_anew(studio, way):
    """Ways share what does not depend on noise, and nothing else."""
    chosen, shared = WAYS[way], studio.obfuscator(way, 7.0, 30)
    recipe = Recipe(chosen.mechanism, 7.0, chosen.decode)
    anew = Obfuscator.of(recipe, studio.vocabulary, size=30)
    texts = [TEXT, "Rain and wind at the pier."]
    one, other = (
        [each.text for each in made.releases(texts, seeded(3))] for made in (shared, anew)
    )

    assert one == other
    assert shared.guarantees[-1].epsilon == anew.guarantees[-1].epsilon
    assert shared.guarantees[-1].epsilon != studio.usual(way).guarantees[-1].epsilon


@pytest.mark.parametrize("phrase", PHRASES.values(), ids=PHRASES.keys())
def test_every_wish_has_a_number_of_its_kind(phrase):
    kind = KINDS[phrase.name]

    assert kind.checked(phrase.value) == phrase.value / kind.whole
    for wrong in (None, kind.least / 2, kind.most * 2, float("nan")):
        with pytest.raises(InputError, match=r"^the number must be from"):
            kind.checked(wrong)
