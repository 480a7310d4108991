"""Releases texts without their author, with a computed and checked privacy guarantee.

Stand-in: text → scores of public texts → a draw, in which the best k have w tickets each.
By the mean: text → bag of kept words → mean of their features → noise → N words that fit it.
Word by word: text → bag → N words → noise on each word's vector → nearest word → document.
Every document carries a certificate of what is promised about it.

>>> from nomdeplume import Obfuscator
>>> obfuscator = Obfuscator.laplace(epsilon=6, size=20)
>>> [document] = obfuscator(["The orchard needs rain before the harvest."])
>>> len(document.words), document.certificate.private
(20, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nomdeplume._version import __version__
from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.audit import Audit, Claim, Finding, Report
    from nomdeplume.comparison import Distance
    from nomdeplume.distance.corpus import Corpus
    from nomdeplume.document import Document
    from nomdeplume.errors import (
        BudgetSpent,
        InputError,
        PlumeError,
        PrivacyError,
        TableError,
        Unreadable,
    )
    from nomdeplume.features import Features
    from nomdeplume.features.directions import topic_directions
    from nomdeplume.features.fitting import fit_features
    from nomdeplume.flow import Flow, Move
    from nomdeplume.mechanism import Exponential, Mechanism, NoisyNearest, Recipe
    from nomdeplume.noise import Laplace, Noise
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.accountant import Account
    from nomdeplume.privacy.certificate import Certificate
    from nomdeplume.privacy.guarantee import Guarantee
    from nomdeplume.privacy.ledger import Ledger
    from nomdeplume.privacy.loss import Loss
    from nomdeplume.privacy.random import secure, seeded
    from nomdeplume.table import Table
    from nomdeplume.table.directions import principal_directions
    from nomdeplume.vocabulary import Vocabulary

__all__ = [
    "Account",
    "Audit",
    "BudgetSpent",
    "Certificate",
    "Claim",
    "Corpus",
    "Distance",
    "Document",
    "Exponential",
    "Features",
    "Finding",
    "Flow",
    "Guarantee",
    "InputError",
    "Laplace",
    "Ledger",
    "Loss",
    "Mechanism",
    "Move",
    "Noise",
    "NoisyNearest",
    "Obfuscator",
    "PlumeError",
    "PrivacyError",
    "Recipe",
    "Report",
    "Table",
    "TableError",
    "Unreadable",
    "Vocabulary",
    "__version__",
    "fit_features",
    "principal_directions",
    "secure",
    "seeded",
    "topic_directions",
]

_HOMES = {  # loaded on first use: `nomdeplume --help` needs none of them
    "audit": ("Audit", "Claim", "Finding", "Report"),
    "comparison": ("Distance",),
    "distance.corpus": ("Corpus",),
    "document": ("Document",),
    "errors": (
        "BudgetSpent",
        "InputError",
        "PlumeError",
        "PrivacyError",
        "TableError",
        "Unreadable",
    ),
    "features": ("Features",),
    "features.directions": ("topic_directions",),
    "features.fitting": ("fit_features",),
    "flow": ("Flow", "Move"),
    "mechanism": ("Exponential", "Mechanism", "NoisyNearest", "Recipe"),
    "noise": ("Laplace", "Noise"),
    "obfuscator": ("Obfuscator",),
    "privacy.accountant": ("Account",),
    "privacy.certificate": ("Certificate",),
    "privacy.guarantee": ("Guarantee",),
    "privacy.ledger": ("Ledger",),
    "privacy.loss": ("Loss",),
    "privacy.random": ("secure", "seeded"),
    "table": ("Table",),
    "table.directions": ("principal_directions",),
    "vocabulary": ("Vocabulary",),
}

__getattr__ = late(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
