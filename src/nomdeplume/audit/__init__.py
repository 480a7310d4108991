"""Audits: the program tries to break its own promises, and those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nomdeplume.late import late

if TYPE_CHECKING:
    from nomdeplume.audit.audit import Audit
    from nomdeplume.audit.claim import Claim
    from nomdeplume.audit.finding import Finding, Report

__all__ = ["Audit", "Claim", "Finding", "Report"]

_HOMES = {  # loaded on first use: interpreters that an audit starts need none of them
    "audit": ("Audit",),
    "claim": ("Claim",),
    "finding": ("Finding", "Report"),
}

__getattr__ = late(__name__, _HOMES)
