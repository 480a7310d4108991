"""Audits of one's own functions, reports, and what is refused."""

import json
from dataclasses import dataclass, replace
from math import inf
from time import sleep

import numpy as np
import pytest
from tests.audit.patience import patiently

from nomdeplume import (
    Audit,
    Claim,
    InputError,
    Laplace,
    NoisyNearest,
    Obfuscator,
    Table,
    secure,
    seeded,
)
from nomdeplume.audit.finding import Finding, Report, by_loss
from nomdeplume.audit.pairs import named_pairs
from nomdeplume.audit.worlds import World

QUICK = Audit(seconds=1)
FLOW = Audit(seconds=2, instruments=("flow",))  # it ends when its questions are answered


def verdicts(report):
    return {finding.title: finding.verdict for finding in report.findings}


def right(table, epsilon):
    """Laplace noise as somebody else would write it: from words to words."""
    inside = NoisyNearest(table, Laplace(epsilon))

    def release(words):
        return [table.words[i] for i in inside.release(table.ids(words), np.random.default_rng())]

    return release


def test_a_right_function_holds(table):
    title = "line, two words 3/ε apart"

    def audited(seconds):
        return verdicts(Audit(seconds=seconds)(Claim.made(right, table, 1.0)))

    found = patiently(audited, 1, lambda found: found[title] != "open")

    assert "broken" not in found.values()
    assert found[title] == "held"
    assert found["table, apple and pear"] == "held"
    assert found["no unknown word comes out"] == "held"


def test_a_function_that_does_nothing_is_broken(table):
    def audited(seconds):
        return Audit(seconds=seconds)(Claim(lambda words: words, table, 1.0, "identity"))

    report = patiently(audited, 1, lambda report: report.strongest.ratio > 3)

    assert report.subject.startswith("identity, ε = 1, on tiny (4 words × 2)")
    assert verdicts(report)["table, apple and pear"] == "broken"
    assert verdicts(report)["no unknown word comes out"] == "broken"
    assert report.strongest.ratio > 3
    assert "BROKEN: " in str(report)


def test_a_function_cannot_leave_words_out(table):
    with pytest.raises(InputError, match="one word for each word, got 1 for"):
        QUICK(Claim(lambda words: words[:1], table, 1.0))


@pytest.mark.parametrize("odd", [None, 5, ["lake"]])
def test_a_function_cannot_release_what_is_no_word(table, odd):
    with pytest.raises(InputError, match="no strings"):
        QUICK(Claim(lambda words: [odd] * len(words), table, 1.0))


def test_a_function_that_exits_is_no_right_one(table):
    def leaves(words):
        raise SystemExit(0)

    with pytest.raises(InputError, match="SystemExit"):
        QUICK(Claim(leaves, table, 1.0))


def test_a_slow_function_does_not_hold_up_the_audit(table):
    asked = []

    def slow(words):
        asked.append(0.004 * len(words))
        sleep(asked[-1])
        return ["lake"] * len(words)

    report = Audit(seconds=1)(Claim(slow, table, 1.0))

    assert verdicts(report)["no two releases share a stream"] == "open"
    assert sum(asked) < 15  # seconds, without what a busy machine adds


def test_a_mechanism_with_its_own_generator_is_not_called_a_peeper(table):
    """What follows its noise cannot be watched under a known stream; nothing is said then."""

    class Own(NoisyNearest):
        def release(self, ids, rng):
            return super().release(ids, secure())

    report = Audit(seconds=2, instruments=("flow",))(Own(table, Laplace(1.0)))

    assert not report.broken
    assert verdicts(report)["table, what follows the noise sees nothing else"] == "open"


def test_a_decoder_that_peeks_at_some_words_only_is_found(bundled):
    class Peeking(NoisyNearest):
        def release(self, ids, rng):
            return np.where(ids % 50 == 7, ids, super().release(ids, rng))

    words = Table(list(bundled.words[:1500]), bundled.vectors[:1500])
    report = Audit(seconds=2, instruments=("flow",))(Peeking(words, Laplace(6.0)))

    assert verdicts(report)["table, what follows the noise sees nothing else"] == "broken"


def test_noise_on_a_contraction_is_right(bundled):
    """Centred vectors are no farther apart than others; vectors twice as long are."""

    @dataclass(frozen=True, eq=False)
    class Moved(NoisyNearest):
        factor: float = 1.0

        def release(self, ids, rng):
            vectors = self.table.vectors[ids].astype(np.float64) - self.table.centre
            noisy = self.noise.add(self.factor * vectors, rng) / self.factor
            return self.decode(noisy + self.table.centre, rng)

    words = Table(list(bundled.words[:500]), bundled.vectors[:500])

    def verdict(factor):
        report = Audit(seconds=1, instruments=("flow",))(Moved(words, Laplace(6.0), factor=factor))
        return verdicts(report)["noise is added to the table's own vectors"]

    assert verdict(1.0) == "held"
    assert verdict(2.0) == "broken"


@pytest.mark.parametrize("stated", [{"epsilon": 0.1}, {"size": 1}, {"kept_fingerprint": "0" * 64}])
def test_a_certificate_that_states_something_else_is_found(vocabulary, stated):
    class Lying(Obfuscator):
        def certify(self, *arguments, **settings):
            return replace(super().certify(*arguments, **settings), **stated)

    lying = Lying(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=20)
    report = Audit(seconds=1, instruments=("flow",))(lying)

    assert verdicts(report)["the certificate says what was done"] == "broken"


def test_a_system_that_always_starts_from_one_seed_is_found(vocabulary):
    class Seeded(Obfuscator):
        def __call__(self, texts, rng=None):
            return super().__call__(texts, seeded(42))

    system = Seeded(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=20)

    assert verdicts(FLOW(system))["no two documents share a stream"] == "broken"


def test_a_number_of_words_that_tells_something_is_found(vocabulary):
    class Shorter(Obfuscator):
        def __call__(self, texts, rng=None):
            documents = super().__call__(texts, rng)
            return [replace(d, text=" ".join(d.words[: 1 + len(d.words) % 2])) for d in documents]

    system = Shorter(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=20)

    assert verdicts(QUICK(system))["plane, two texts of 60 words"] == "broken"


def test_errors_of_a_function_do_not_quote_words(table):
    def fails(words):
        raise KeyError(words[0])

    with pytest.raises(InputError, match=r"fails on words of table tiny: KeyError\.") as caught:
        QUICK(Claim(fails, table, 1.0))
    assert "apple" not in str(caught.value)


def test_a_function_may_refuse_unknown_words(table):
    def strict(words):
        return [table.words[int(table.ids([word])[0])] for word in words]

    assert verdicts(FLOW(Claim(strict, table, 1.0)))["no unknown word comes out"] == "held"


def test_a_claim_without_make_has_no_worlds(table):
    titles = verdicts(QUICK(Claim(right(table, 1.0), table, 1.0)))

    assert not [title for title in titles if title.startswith(("line", "plane", "space"))]
    with pytest.raises(InputError, match=r"Claim\.made"):
        type(Claim.made(right, table, 1.0))(right(table, 1.0), table, 1.0).elsewhere(table, 1.0)


def test_where_all_releases_are_the_same_no_stream_can_be_told(table):
    found = verdicts(FLOW(Claim(lambda words: ["lake"] * len(words), table, 1.0)))

    assert found["no two releases share a stream"] == "open"


def test_the_report_is_json_too(table):
    report = QUICK(NoisyNearest(table, Laplace(1.0)))
    facts = json.loads(report.to_json())

    assert facts["broken"] is False
    assert facts["alpha"] == 1e-6
    assert facts["strongest"]["ratio"] == report.strongest.ratio
    assert {"instrument", "question", "verdict", "evidence", "samples"} <= set(facts["findings"][0])


def test_an_infinite_loss_can_be_said():
    exact = by_loss("all pairs", "line", inf, 1.0)
    report = Report("it", 1e-6, 1.0, (exact,))

    assert json.loads(report.to_json())["findings"][0]["proven"] == "inf"
    assert exact.verdict == "broken"
    assert report.strongest is None  # nothing was sampled


def test_where_nothing_is_promised_nothing_may_be_lost():
    assert by_loss("two orders", "line", 0.0, 0.0).ratio == 0
    assert by_loss("two orders", "line", 0.1, 0.0).ratio == inf
    assert Finding("flow", "q", "held", "e").ratio is None


def test_all_tests_share_one_alpha(table):
    """Whatever a question finds, it is broken only below its part of alpha."""
    report = Audit(alpha=0.999, seconds=1)(NoisyNearest(table, Laplace(1.0)))
    tested = [f for f in report.findings if f.pvalue is not None]

    assert len(tested) > 5
    for finding in tested:
        assert (finding.verdict == "broken") == (finding.pvalue < 0.999 / len(report.findings))


@pytest.mark.parametrize("alpha", [0, 1, -1, 2, float("nan")])
def test_alpha_is_a_chance(alpha):
    with pytest.raises(InputError, match="alpha"):
        Audit(alpha=alpha)


@pytest.mark.parametrize("instruments", [(), ("ear",), ("law", "nose")])
def test_instruments_are_law_loss_and_flow(instruments):
    with pytest.raises(InputError, match="law, loss, flow"):
        Audit(instruments=instruments)


def test_one_instrument_can_be_used_alone(table):
    report = Audit(seconds=1, instruments=("flow",))(NoisyNearest(table, Laplace(1.0)))

    assert {finding.instrument for finding in report.findings} == {"flow"}
    with pytest.raises(InputError, match="nothing that these instruments"):
        Audit(instruments=("law",))(Claim(lambda words: words, table, 1.0))


def test_what_could_not_be_proven_is_left_open():
    assert by_loss("q", "table", 0.5, 3.0, samples=100, provable=2.0).verdict == "open"
    assert by_loss("q", "table", 0.5, 3.0, samples=100, provable=4.0).verdict == "held"
    assert by_loss("q", "table", 3.5, 3.0, samples=100, provable=4.0).verdict == "broken"


@pytest.mark.parametrize("seconds", [0, -1, float("inf")])
def test_seconds_are_some(seconds):
    with pytest.raises(InputError, match="seconds"):
        Audit(seconds=seconds)


def test_pairs_are_near_random_or_named(table):
    kept = np.arange(4)
    near = named_pairs(NoisyNearest(table, Laplace(1.0)), kept, "near", 1.0)
    random = named_pairs(NoisyNearest(table, Laplace(1.0)), kept, "random", 1.0)
    [named] = named_pairs(NoisyNearest(table, Laplace(1.0)), kept, "pear, lake", 1.0)

    assert {near[0].name, near[1].name} == {"apple and pear", "river and lake"}
    assert len({i for pair in random for i in (pair.x, pair.y)}) == 4
    assert (named.x, named.y, named.name) == (1, 3, "pear and lake")


@pytest.mark.parametrize("pairs", ["pear", "pear,moon", "pear,pear", ",", "a,b,c"])
def test_pairs_that_are_none_are_refused(table, pairs):
    with pytest.raises(InputError):
        named_pairs(NoisyNearest(table, Laplace(1.0)), np.arange(4), pairs, 1.0)


def test_words_at_one_place_cannot_be_told_apart():
    same = Table(["a", "b"], np.zeros((2, 2)))

    assert named_pairs(NoisyNearest(same, Laplace(1.0)), np.arange(2), "near", 1.0) == []
    with pytest.raises(InputError, match="at one place"):
        named_pairs(NoisyNearest(same, Laplace(1.0)), np.arange(2), "a,b", 1.0)
    assert (
        named_pairs(NoisyNearest(Table(["a"], [[1.0]]), Laplace(1.0)), np.arange(1), "near", 1.0)
        == []
    )


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 300.0])
def test_worlds_promise_three_nats_whatever_epsilon_is(dimensions, epsilon):
    world = World(dimensions, epsilon)
    mechanism = NoisyNearest(world.table, Laplace(epsilon))
    [x, y] = world.bags
    vectors = world.table.vectors

    for i, j, apart in world.pairs:
        assert mechanism.guarantee.loss(vectors[i], vectors[j]) == pytest.approx(apart, rel=1e-5)
    assert mechanism.guarantee.over_bags(3).loss(vectors[x], vectors[y]) == pytest.approx(3)
    assert len(np.unique(vectors[:], axis=0)) == len(vectors)


def test_an_audit_leaves_no_word_of_its_canaries_behind(vocabulary):
    obfuscator = Obfuscator(vocabulary, NoisyNearest(vocabulary.table, Laplace(1.0)), size=20)
    report = QUICK(obfuscator)

    assert not report.broken
    assert verdicts(report)["order tells nothing"] == "held"
    assert verdicts(report)["the certificate says what was done"] == "held"
    assert verdicts(report)["no two documents share a stream"] == "held"


def test_moved_mechanisms_keep_what_they_are(table):
    line = World(1, 2.0).table
    moved = NoisyNearest(table, Laplace(1.0), np.array([0, 1])).elsewhere(line, 2.0)

    assert moved.table is line
    assert moved.guarantee.epsilon == 2.0
    assert moved.outputs is None
    assert set(moved.release(np.zeros(3000, dtype=np.int64), seeded(1))) > {0, 1}
