"""The ledger: what every document and author has spent, charged before a release exists.

It holds no text and no name: documents and authors are known by keyed hashes. Whatever is
wrong with it, nothing is released.
"""

from typing import TYPE_CHECKING

from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.privacy.ledger.claims import Claims
    from nomdeplume.privacy.ledger.ledger import Ledger
    from nomdeplume.privacy.ledger.price import Price
    from nomdeplume.privacy.ledger.totals import Spent

__all__ = ["Claims", "Ledger", "Price", "Spent"]

__getattr__ = late(  # SQLite is loaded when a ledger is opened
    __name__,
    {"claims": ("Claims",), "ledger": ("Ledger",), "price": ("Price",), "totals": ("Spent",)},
)
