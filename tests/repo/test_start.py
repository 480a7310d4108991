"""What a start of the program loads: as little as its command needs."""

import json
import subprocess
import sys

import pytest
import rich_click as click

from nomdeplume.cli.main import COMMANDS, cli, loaded

HEAVY = (
    "scipy",
    "pyarrow",
    "msgspec",
    "sklearn",
    "pandas",
    "polars",
    "narwhals",
    "ot",
    "torch",
    "datasets",
)
RUN = """
import json, sys
from nomdeplume.cli.main import main

sys.argv = ["nomdeplume", *json.loads(sys.argv[1])]
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules(folder, *arguments):
    """What is loaded in the end, after a run of the command."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("spent", [(), ("--epsilon", "6"), ("--epsilon", "6", "--size", "20")])
@pytest.mark.parametrize("place", [("--quiet",), ("-o", "released.txt")])
def test_a_text_is_released_without_heavy_modules(spent, place, tmp_path):
    (tmp_path / "letter.txt").write_text("Rain on the old harbour.", encoding="utf-8")
    found = modules(tmp_path, "obfuscate", "letter.txt", *spent, *place)

    assert {"numpy", "nomdeplume.obfuscator"} <= found
    assert not found & set(HEAVY)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("evaluate", "--help")])
def test_help_is_shown_without_heavy_modules(arguments, tmp_path):
    found = modules(tmp_path, *arguments)

    assert "nomdeplume.cli.main" in found
    assert not found & {"numpy", "randomgen", "stopwordsiso", *HEAVY}


def test_help_loads_no_command(tmp_path):
    found = modules(tmp_path, "--help")

    assert not found & {f"nomdeplume.cli.{name}" for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_listed_command_is_the_real_one(name):
    real = loaded(name)

    assert isinstance(real, click.RichCommand)
    assert real.name == name
    assert (real.help or "").split("\n\n")[0].replace("\n", " ").split("\f")[0] == COMMANDS[name]
    assert cli.commands[name].help == COMMANDS[name]
    assert cli.resolve_command(click.Context(cli), [name, "x"]) == (name, real, ["x"])
