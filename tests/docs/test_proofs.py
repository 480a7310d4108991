"""Every proof that a promise names is a page, and every page is named."""

from pathlib import Path

from nomdeplume import Obfuscator

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"


def test_every_named_proof_is_a_page(bundled):
    named = {
        proof
        for reduction in ("sample", "apportion")
        for promise in Obfuscator.laplace(bundled, reduction=reduction).promises
        for proof in promise.proofs
    }

    assert named == {"laplace", "bags", "sampling"}
    assert {path.stem for path in PROOFS.glob("*.md")} == named | {"nearest"}
