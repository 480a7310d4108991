"""What Laplace noise loses: the law for two points, and its sums over words and releases."""

from nomdeplume.privacy.accountant.account import Account
from nomdeplume.privacy.accountant.law import LossLaw

__all__ = ["Account", "LossLaw"]
