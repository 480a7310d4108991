"""--device: a release does not depend on where products run, and a missing card is said."""

import pytest
import torch

from nomdeplume import devices
from nomdeplume.cli.main import COMMANDS, loaded
from tests.cli.conftest import here

TABLE = "winter 0 0\nsummer 9 0\nspring 5 5\nrain 0 9\nsnow 9 9\n"
ARGUMENTS = ["obfuscate", "in.txt", "--table", "table.txt", "--epsilon", "1", "--quiet"]


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "table.txt").write_text(TABLE, encoding="utf-8")
    (tmp_path / "in.txt").write_text("Winter rain and summer snow.", encoding="utf-8")


def released(folder, *more):
    """What the command writes, in this process."""
    done = here(folder, *ARGUMENTS, "-o", "out.txt", "--force", *more)
    assert done.returncode == 0, done.stderr
    return (folder / "out.txt").read_text(encoding="utf-8")


def test_a_seed_gives_the_same_on_auto_and_cpu(tmp_path):
    assert released(tmp_path, "--seed", "3", "--device", "cpu") == released(tmp_path, "--seed", "3")
    assert devices.chosen() == "auto"  # the choice ends with the command


def test_a_card_releases_what_the_cores_release_by_a_seed(tmp_path):
    alone = released(tmp_path, "--seed", "3", "--device", "cpu")
    with devices.on(devices.Card(torch, torch.device("cpu"))):
        assert released(tmp_path, "--seed", "3") == alone
        assert len(released(tmp_path).split()) == 100  # and secure noise


def test_a_missing_card_is_refused_before_anything_is_read(run):
    if torch.cuda.is_available():
        return
    done = run(*ARGUMENTS[:1], "missing.txt", "--device", "cuda", code=2)

    assert done.stderr.decode().startswith("nomdeplume: device cuda needs a card")
    assert not done.stdout


@pytest.mark.gpu
def test_a_real_card_releases(tmp_path):
    if not torch.cuda.is_available():
        pytest.skip("no card")
    assert len(released(tmp_path, "--device", "cuda").split()) == 100


def test_workers_are_told_the_device(run, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"text": "Winter rain."}\n' * 5, encoding="utf-8")
    given = ["obfuscate", "in.jsonl", "--table", "table.txt", "--epsilon", "1", "--seed", "1"]
    with_them, without = (
        run(*given, "-o", name, "--quiet", "--workers", "1", *device) and (tmp_path / name)
        for name, device in (("one.jsonl", ("--device", "cpu")), ("two.jsonl", ()))
    )

    assert with_them.read_bytes() == without.read_bytes()


def test_every_command_that_computes_has_the_option():
    # groups, whose commands have it where they compute
    without = {"ledger", "library", "tables", "features"}
    for name in COMMANDS:
        found = {each.name for each in loaded(name).params}
        assert ("device" in found) == (name not in without), name
