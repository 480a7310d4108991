"""The report of an evaluation: one page that needs nothing else, made from its results."""

from nomdeplume.evaluate.report.page import page

__all__ = ["page"]
