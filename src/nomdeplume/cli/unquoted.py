"""Errors of click without the values that were given: one of them may be a text."""

from __future__ import annotations

import re
from ast import literal_eval

import rich_click as click

from nomdeplume.errors import at, got

NUMBERS = {"integer": "a whole number", "float": "a number"}
OF_FILE = re.compile(r"(\w+) (['\"].*['\"]) ([^'\"]+)", re.DOTALL)  # what, its name, what is wrong


def unquoted(error: click.ClickException) -> click.ClickException:
    """The error without any value that was given."""
    if isinstance(error, click.NoSuchOption):
        said = f"No such option: {got(error.option_name)}."
        return click.NoSuchOption(error.option_name, said, error.possibilities, error.ctx)
    if isinstance(error, click.MissingParameter | click.BadOptionUsage | click.BadArgumentUsage):
        return error  # these name options that there are
    if isinstance(error, click.BadParameter):
        return click.BadParameter(_wanted(error), error.ctx, error.param, error.param_hint)
    said = re.split(r"[:('\"]", error.message)[0].strip(" .") + "."
    if isinstance(error, click.UsageError):
        return click.UsageError(said, error.ctx)
    return click.ClickException(said)


def _wanted(error: click.BadParameter) -> str:
    """What a parameter must be."""
    kind = error.param and error.param.type
    if isinstance(kind, click.Choice):
        return f"it must be one of {', '.join(map(str, kind.choices))}."
    if isinstance(kind, click.IntRange | click.FloatRange):
        return f"it must be a number in the range {kind._describe_range()}."
    if isinstance(kind, click.Path) and (said := OF_FILE.fullmatch(error.message)):
        what, name, wrong = said.groups()
        return f"{what} {at(literal_eval(name))} {wrong}"
    return f"it must be {NUMBERS.get(getattr(kind, 'name', ''), 'another')}."
