"""Small wrong changes to a file, one at a time: what mutmut makes, and where mutmut does not look.

mutmut's own operators are used. Properties, cached functions and constants of modules and
classes are changed too; and conditions are turned round, results lost, calls and refusals left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

SKIPPED = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
NONE, PASS = cst.Name("None"), cst.Pass()


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change to one node of a file."""

    file: str
    number: int
    line: int
    last: int  # line of what is changed
    kind: str
    wording: bool  # whether it only alters what an error says
    module: Any
    node: Any
    changed: Any

    @cached_property
    def source(self) -> str:
        """The whole file with the change."""
        return str(self.module.deep_replace(self.node, self.changed).code)

    @property
    def before(self) -> str:
        return self._said(self.node, self.module.code)

    @property
    def after(self) -> str:
        return self._said(self.changed, self.source)

    def _said(self, node: Any, source: str) -> str:
        """The line if there is one, as a name or a number alone says little."""
        if self.line == self.last:
            return source.splitlines()[self.line - 1].strip()
        return " ".join(str(self.module.code_for_node(node)).split())


def mutants(root: Path, file: str) -> list[Mutant]:
    """All there are, in the order of the file."""
    wrapper = MetadataWrapper(cst.parse_module((root / file).read_text(encoding="utf-8")))
    places, module = wrapper.resolve(PositionProvider), wrapper.module
    made = []
    for number, (node, changed, kind, wording) in enumerate(_changes(module)):
        start, end = places[node].start.line, places[node].end.line
        made.append(Mutant(file, number, start, end, kind, wording, module, node, changed))
    return made


def _changes(node: Any, wording: bool = False) -> Iterator[tuple[Any, Any, str, bool]]:
    if isinstance(node, SKIPPED) or _for_types(node):
        return
    if isinstance(node, cst.Raise):
        yield node, PASS, "refusal", False
        wording = True
    for changed, kind in _by_us(node):
        yield node, changed, kind, wording
    for kind_of_node, operator in mutation_operators:
        if isinstance(node, kind_of_node):
            for changed in _kept(node, operator):
                yield node, changed, operator.__name__.removeprefix("operator_"), wording
    for child in node.children:
        yield from _changes(child, wording)


def _kept(node: Any, operator: Any) -> list[Any]:
    """What an operator makes of a node: one change for a string, and one for each argument.

    A string in another case says no more. A named argument is left out, so that a default takes
    its place; any other becomes None.
    """
    made = list(operator(node))
    if operator.__name__ == "operator_string":
        return made[:1]
    if operator.__name__ != "operator_arg_removal" or len(node.args) < 2:
        return made
    left_out = dict(enumerate(made[-len(node.args) :]))
    lost = iter(made)
    kept = []
    for i, each in enumerate(node.args):
        none = next(lost) if not each.star and code_of(each.value) != "None" else None
        kept.append(left_out[i] if each.keyword or none is None else none)
    return kept


def _by_us(node: Any) -> Iterator[tuple[Any, str]]:
    if isinstance(node, cst.If | cst.While | cst.CompIf):
        test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test)), "condition"
    elif isinstance(node, cst.Return) and node.value and code_of(node.value) != "None":
        yield node.with_changes(value=NONE), "result"
    elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield PASS, "call"


def code_of(node: Any) -> str:
    return str(cst.Module([]).code_for_node(node))


def _for_types(node: Any) -> bool:
    """Whether only type checkers and readers of names look at it."""
    if isinstance(node, cst.If):
        return code_of(node.test) == "TYPE_CHECKING"
    if isinstance(node, cst.ClassDef):
        return any(code_of(base.value) == "Protocol" for base in node.bases)
    if isinstance(node, cst.Assign):
        target, value = code_of(node.targets[0].target), code_of(node.value)
        return target == "__all__" or value == "Any" or value.startswith(("NDArray[", "Callable["))
    return isinstance(node, cst.Call) and code_of(node.func) in {"TypeVar", "NewType"}
