"""Every proof that a promise names is a page, and every page is named."""

from pathlib import Path

import numpy as np
from tests.conftest import MECHANISMS, TINY

from nomdeplume import Laplace, Obfuscator
from nomdeplume.library import Library
from nomdeplume.mechanism.custext import CusText
from nomdeplume.mechanism.diffractor import Diffractor
from nomdeplume.mechanism.standin import StandIn

PROOFS = Path(__file__).parents[2] / "docs" / "proofs"
OTHERS = {"law", "nearest"}  # proofs that the program is right, not that a promise holds
ACCOUNTS = {"loss-law", "accounting", "shuffle"}  # of what is lost up to a δ, beside every promise


def test_every_named_proof_is_a_page(bundled):
    promised = {
        proof
        for reduction in ("sample", "apportion")
        for promise in Obfuscator.laplace(bundled, reduction=reduction).promises
        for proof in promise.proofs
    }
    word = Laplace(1.0).guarantee
    others = (word.over_means().over_documents(2), word.projected([[1.0]]))
    library = Library.shipped("en")
    standin = StandIn(library, lambda texts: np.zeros((len(texts), len(library))), 9)
    partly = (CusText(TINY, 1.0).guarantee, Diffractor(TINY, 1.0).guarantee)
    words = (mechanism.guarantee for mechanism in MECHANISMS.values())
    found = (*others, *partly, *words, *standin.guarantees)
    named = promised.union(*(guarantee.proofs for guarantee in found))

    assert promised == {"laplace", "bags", "sampling", "kept"}
    assert named >= promised | {"mean", "adding", "contraction", "custext", "diffractor"}
    assert named >= {"mahalanobis", "vmf", "polar", "postprocessing"}
    assert named >= {"exponential", "tem", "santext", "syntf"}
    assert {path.stem for path in PROOFS.glob("*.md")} == named | OTHERS | ACCOUNTS
