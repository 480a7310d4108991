"""Every proof that a promise names is a page, and every page is named."""

from pathlib import Path

from nomdeplume import Laplace, Obfuscator

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
OTHERS = {"law", "nearest"}  # proofs that the program is right, not that a promise holds
ACCOUNTS = {"loss-law", "accounting"}  # of what is lost up to a δ, beside every promise


def test_every_named_proof_is_a_page(bundled):
    promised = {
        proof
        for reduction in ("sample", "apportion")
        for promise in Obfuscator.laplace(bundled, reduction=reduction).promises
        for proof in promise.proofs
    }
    word = Laplace(1.0).guarantee
    others = (word.over_means().over_documents(2), word.projected([[1.0]]))
    named = promised.union(*(guarantee.proofs for guarantee in others))

    assert promised == {"laplace", "bags", "sampling", "kept"}
    assert named == promised | {"means", "adding", "contraction"}
    assert {path.stem for path in PROOFS.glob("*.md")} == named | OTHERS | ACCOUNTS
