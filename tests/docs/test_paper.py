"""The page on the paper names only paths, public names and tests that exist."""

import ast
import inspect
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "paper.md"
TEXT = PAGE.read_text(encoding="utf-8")
PATHS = r"(?:tests|src|scripts|benchmarks|examples|docs)/[^`\s]+"
NAMED = rf"`({PATHS}|nomdeplume\.[\w.]+)`(?:\]\(([^)#]+)\))?"  # and the file that is linked


@cache
def functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def thing(name):
    """What a dotted name stands for; public, as each of its parts is."""
    first, *parts = name.split(".")
    found, path = import_module(first), first
    for part in parts:
        assert not part.startswith("_")
        path = f"{path}.{part}"
        found = getattr(found, part) if hasattr(found, part) else import_module(path)
    return found


def home(name):
    """The file that defines the thing of this name; none if there is no such thing."""
    try:
        found = thing(name)
    except (AssertionError, AttributeError, ImportError):
        return None
    found = found.fget if isinstance(found, property) else found
    return Path(inspect.getsourcefile(found))


def exists(name):
    """The file that a name on the page stands for; none if it is not there."""
    if name.startswith("nomdeplume."):
        return home(name)
    path, _, test = name.partition("::")
    there = (ROOT / path).exists() and (not test or test in functions(path))
    return ROOT / path if there else None


def wrong(text):
    """Names on a page that stand for nothing, or are linked to another file than their own."""
    return [
        name
        for name, link in re.findall(NAMED, text)
        if (file := exists(name)) is None
        or (link and (PAGE.parent / link).resolve() != file.resolve())
    ]


def test_all_that_the_page_names_exists():
    names = {name for name, link in re.findall(NAMED, TEXT) if link}

    assert wrong(TEXT) == []
    assert sum("::" in name for name in names) > 30
    assert sum(name.startswith("nomdeplume.") for name in names) > 20


@pytest.mark.parametrize(
    ("there", "gone"),
    [
        ("::test_order_would_leak", "::test_order_would_not_leak"),
        ("`examples/paper.py`", "`examples/papers.py`"),
        ("`nomdeplume.Guarantee.over_bags`", "`nomdeplume.Guarantee.over_bag`"),
        ("`nomdeplume.bag.sample`", "`nomdeplume.bag._apportion`"),
        ("(../src/nomdeplume/bag.py)", "(../src/nomdeplume/text.py)"),
        ("(../tests/exact/test_law.py)", "(../tests/exact/test_promises.py)"),
    ],
)
def test_a_name_that_is_gone_would_be_seen(there, gone):
    assert there in TEXT
    assert wrong(TEXT.replace(there, gone))


def sections(level, text):
    return dict(re.findall(rf"^{'#' * level} (.+?)\n(.*?)(?=^##|\Z)", text, re.M | re.S))


def test_every_statement_says_where_it_is_and_what_shows_it():
    statements, errata = (sections(3, part) for part in TEXT.split("\n## Errata\n"))

    assert len(statements) > 12
    for part in statements.values():
        assert re.findall(r"^- \*\*(Says|Code|Test|Source):\*\* \S", part, re.M) == (
            ["Says", "Code", "Test", "Source"]
        )
        assert "::test_" in part
    assert len(errata) == 10
    assert all("::test_" in part for part in errata.values())


def test_links_within_the_page_lead_somewhere():
    titles = [
        re.sub(r"[^\w -]", "", title).lower() for title in re.findall(r"^##+ (.+)", TEXT, re.M)
    ]
    links = re.findall(r"\]\(#([\w-]+)\)", TEXT)

    assert links
    assert set(links) <= {title.replace(" ", "-") for title in titles}


def test_the_commands_print_the_same_words():
    scripts = Path(sys.executable).parent
    programs = {"python": sys.executable, "nomdeplume": str(scripts / "nomdeplume")}
    [block] = re.findall(r"```console\n(.*?)```", TEXT, re.S)
    printed = []
    for line in block.splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "))
        command = [programs[program], *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
        printed.append(done.stdout)

    assert len(printed) == 2
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()[-1].split()) == 100


def test_the_first_screen_of_the_readme_links_page_and_example():
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:24]

    assert "(docs/paper.md)" in "\n".join(first)
    assert "(examples/paper.py)" in "\n".join(first)
