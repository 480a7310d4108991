"""The repository keeps its own rules."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import nomdeplume

ROOT = Path(__file__).parents[2]
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


def test_public_names_are_sorted_and_there():
    assert nomdeplume.__all__ == sorted(nomdeplume.__all__)
    assert all(hasattr(nomdeplume, name) for name in nomdeplume.__all__)


def test_every_public_name_has_one_home():
    homes = [name for names in nomdeplume._HOMES.values() for name in names]

    assert sorted([*homes, "__version__"]) == nomdeplume.__all__
    with pytest.raises(AttributeError):
        nomdeplume.Manager  # noqa: B018


def test_every_public_thing_has_a_docstring():
    public = [getattr(nomdeplume, name) for name in nomdeplume.__all__ if name != "__version__"]

    assert not [thing for thing in public if not thing.__doc__]


def claims(node):
    """Whether a test asserts something, or expects an error."""
    return any(
        isinstance(each, ast.Assert)
        or (isinstance(each, ast.Call) and ast.unparse(each.func).endswith("raises"))
        for each in ast.walk(node)
    )


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_no_test_is_vacuous(path):
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]

    assert functions
    assert not [node.name for node in functions if not claims(node)]


def test_the_version_is_stated_once():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    pinned = re.findall(r'__version__ = "(.*)"', (ROOT / "src/nomdeplume/_version.py").read_text())

    assert pinned == [nomdeplume.__version__] == [importlib.metadata.version("nomdeplume")]
    assert f"## {nomdeplume.__version__}" in changelog


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_data_and_licences_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert wheel.stat().st_size < 6_500_000  # the table has 5, the library of stand-ins .25
    assert "nomdeplume/py.typed" in names
    assert "nomdeplume/data/stop-words-en.txt" in names
    assert "nomdeplume/data/reference-en.json" in names
    assert "nomdeplume/data/subjects-en.json" in names
    assert "nomdeplume/data/subjects-en.words.json" in names
    assert "nomdeplume/table/data/glove-6b-100d-50k.safetensors" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "tests" in name or "examples" in name]


def test_the_wheel_works_outside_the_source_folder(wheel, tmp_path):
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True)
    (tmp_path / "letter.txt").write_text("Rain on the old harbour.", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "nomdeplume", "obfuscate", "letter.txt", "--budget", "20"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(target), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert len(done.stdout.split()) == 100
