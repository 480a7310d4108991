"""Audits: the program tries to break its own promises, and those of others."""

from nomdeplume.audit.audit import Audit
from nomdeplume.audit.claim import Claim
from nomdeplume.audit.finding import Finding, Report

__all__ = ["Audit", "Claim", "Finding", "Report"]
