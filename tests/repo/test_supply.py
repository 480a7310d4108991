"""What the program is built of and from: pinned, audited, and the same to the byte every time."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "src")
UNPINNED = ("triton", "pip", "setuptools", "wheel", "nomdeplume")  # constraints.txt says why


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


AUDIT, PINS = script("vulnerabilities"), script("constraints")


def built(folder, *, mask, changed, **environment):
    """The SHA-256 of a wheel of the sources, copied here under other circumstances."""
    before = os.umask(mask)
    try:
        for name in SOURCES:
            source, target = ROOT / name, folder / name
            if source.is_dir():
                skipped = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, target, copy_function=shutil.copyfile, ignore=skipped)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
        for path in folder.rglob("*"):
            os.utime(path, (changed, changed))
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
        given = {**os.environ, **environment}
        subprocess.run(command, cwd=folder, env=given, check=True, capture_output=True)
    finally:
        os.umask(before)
    [wheel] = (folder / "out").glob("*.whl")
    return sha256(wheel.read_bytes()).hexdigest()


def test_two_builds_of_one_source_are_the_same_to_the_byte(tmp_path):
    (tmp_path / "other folder").mkdir()
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    one = built(tmp_path / "one", mask=0o022, changed=1e9, LC_ALL="C", TZ="UTC", **epoch)
    there = tmp_path / "other folder" / "two"
    two = built(there, mask=0o077, changed=1.6e9, LC_ALL="de_DE.UTF-8", TZ="Asia/Tokyo", **epoch)

    assert one == two


def test_make_dates_a_wheel_by_its_commit():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert "SOURCE_DATE_EPOCH" in text.partition("\nwheel:")[2].partition("\n\n")[0]


def test_everything_that_is_installed_is_pinned():
    pinned = PINS.pinned((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    here = {PINS.plain(each.name): PINS.public(each.version) for each in distributions()}
    others = {name: version for name, version in here.items() if name not in UNPINNED}
    others = {n: v for n, v in others.items() if not n.startswith(("nvidia-", "cuda-"))}

    assert {name: pinned.get(name) for name in others} == others


def test_constraints_are_written_as_they_stand():
    """Sorted, one version each, without those that machines differ in."""
    frozen = "Zeta==2.0+cpu\nalpha_b==1.0\ntriton==3.9\nnvidia-x==1\n-e /somewhere\n# note\n"

    assert PINS.written(frozen).splitlines()[-2:] == ["alpha_b==1.0", "Zeta==2.0"]
    assert "triton==" not in PINS.written(frozen)
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert PINS.written(text) == text


REPORT = {
    "dependencies": [
        {"name": "safe", "version": "1", "vulns": []},
        {"name": "old", "version": "2", "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-9"]}]},
        {"name": "odd", "skip_reason": "not found"},
    ]
}


def test_a_known_vulnerability_is_found_unless_it_is_accepted():
    assert AUDIT.found(REPORT, {}) == ["old 2: PYSEC-1 (CVE-9)"]
    assert AUDIT.found(REPORT, {"CVE-9": "only in a part we do not use"}) == []
    assert AUDIT.found(REPORT, {"PYSEC-1": "only in a part we do not use"}) == []


def test_versions_that_were_not_looked_up_are_not_called_clean():
    assert AUDIT.seen(REPORT, 1).startswith("2 of 3 pinned versions could be looked up; 1 known")


@pytest.mark.parametrize("text", ["PYSEC-1\n", "PYSEC-1:\n", "PYSEC-1: short\n"])
def test_nothing_is_accepted_without_a_reason(text):
    with pytest.raises(SystemExit):
        AUDIT.accepted(text)


def test_what_is_accepted_is_listed_with_reasons():
    listed = AUDIT.accepted(AUDIT.ACCEPTED.read_text(encoding="utf-8"))

    assert len(listed) < 10


@pytest.mark.parametrize(
    ("said", "code", "due"),
    [(json.dumps(REPORT), 1, 1), (json.dumps({"dependencies": []}), 0, 0), ("no network", 1, 0)],
)
def test_the_audit_fails_on_what_is_found_and_goes_on_without_a_network(
    tmp_path, capsys, said, code, due
):
    tool = tmp_path / "tool.py"
    tool.write_text(f"import sys; print({said!r}); sys.exit({code})", encoding="utf-8")

    assert AUDIT.audited([sys.executable, str(tool)]) == due
    assert capsys.readouterr().out


def test_security_says_how_to_report_and_how_releases_are_checked():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("## ")]

    assert len(heads) >= 6
    assert all(word in text for word in ("Reporting", "SHA-256", "make wheel", "make check"))
