"""A real Ray: a cluster that runs, and one that the command starts by itself."""

import signal

import pytest

from tests.engine import faults
from tests.engine.conftest import released, shards
from tests.engine.faults import LEDGER, PUBLISHED, TOKEN, begun, check_whole, end
from tests.engine.on_engine import alike, asked
from tests.waiting import PATIENCE, stopping, until_stopped


@pytest.fixture(scope="module")
def cluster():
    with faults.cluster() as found:
        yield found


@pytest.fixture(scope="module")
def told(cluster, tmp_path_factory):
    return asked("ray", cluster.address, cwd=tmp_path_factory.mktemp("ray"), **TOKEN)


def test_only_what_is_asked_for_comes_out(told):
    assert told["columns"] == ["id", "text"]
    assert told["ids"] == [0, 2]


def test_kept_ids_that_tell_who_wrote_a_text_are_refused(told):
    assert told["refused"].startswith(
        "row 1: the id in field 'id' contains the value of its author"
    )
    assert "Ann" not in told["refused"]
    assert told["allowed"] == ["Ann0", "Ann1"]


def test_the_guide_shows_how(told):
    [row] = told["shown"]
    assert row["id"] == 1
    assert len(row["body"].split()) == 100


def test_releases_are_as_those_of_one_process(told):
    assert alike(told["words"])


def test_standins_are_those_of_one_process(told):
    assert told["stand-ins"] is True


def test_no_two_workers_share_a_stream(told):
    assert told["repeated"] == 0
    assert told["repeated if shared"] > 100


def test_killed_workers_and_drivers_lose_nothing_on_a_cluster(tmp_path, table_file, cluster):
    shards(tmp_path / "in", count=8, each=200)
    ray = ["--engine", "ray", "--address", cluster.address, *LEDGER]
    process = begun(tmp_path, *ray, **TOKEN, **stopping(tmp_path, PUBLISHED, 1, 4))
    until_stopped(process)
    [victim, *_] = cluster.actors()
    end(victim)
    process.send_signal(signal.SIGCONT)
    until_stopped(process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "out/_SUCCESS").exists()

    again = begun(tmp_path, *ray, "--resume", **TOKEN)
    said = again.communicate(timeout=PATIENCE)[1].decode()
    assert again.returncode == 0, said
    check_whole(tmp_path, said, 1600)


def test_it_starts_a_ray_of_its_own(tmp_path, table_file):
    shards(tmp_path / "in", kind="jsonl")
    process = begun(tmp_path, "--engine", "ray", "--workers", "2")
    said = process.communicate(timeout=PATIENCE)[1].decode()

    assert process.returncode == 0, said
    assert said.startswith("Released 160 documents of 5 words to out")
    assert sorted(each["id"] for each in released(tmp_path / "out")) == list(range(160))


def test_a_cluster_that_is_not_there_is_told(tmp_path, table_file):
    shards(tmp_path / "in", count=1)
    process = begun(tmp_path, "--engine", "ray", "--address", "127.0.0.1:1")
    said = process.communicate(timeout=PATIENCE)[1].decode()

    assert process.returncode == 2
    assert said.splitlines()[-1].startswith("nomdeplume: no Ray cluster at that address")
