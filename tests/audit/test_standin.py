"""An audit holds released stand-ins against their promise, and finds planted faults."""

from tests.audit.patience import patiently

from nomdeplume import Audit, Obfuscator, Vocabulary
from nomdeplume.library import Library
from nomdeplume.library.scores import ByTable
from nomdeplume.mechanism.standin import StandIn

KEPT = Vocabulary.given(None)
SHIPPED = Library.shipped("en")
SMALL = Library(SHIPPED.passages[::150], name="small", ships=True)


class Louder(StandIn):
    """Releases at odds of 200 to 1 and promises 10 to 1."""

    def release(self, items, rng):
        return StandIn(self.library, self.score, self.best, 200).release(items, rng)


def audited(mechanism, enough):
    system = Obfuscator(KEPT, mechanism)
    return patiently(lambda seconds: Audit(seconds=seconds)(system), 4, enough)


def test_the_promise_holds_and_is_nearly_reached():
    def close(report):
        return report.strongest.proven > 0.5 * report.strongest.promise

    report = audited(StandIn(SMALL, ByTable(SMALL, KEPT), 1, 10), close)

    assert not report.broken
    assert close(report)


def test_louder_standins_are_found():
    report = audited(Louder(SMALL, ByTable(SMALL, KEPT), 1, 10), lambda report: report.broken)

    assert [each for each in report.broken if each.question.startswith("public texts")]
