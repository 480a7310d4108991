"""Evaluations on engines: the same results, whichever process dies."""

import io
import json
import os
import pickle
import signal
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from nomdeplume import InputError, Recipe
from nomdeplume.cli.main import cli
from nomdeplume.engine.pool import LocalPool
from nomdeplume.engine.ray import OnRay
from nomdeplume.evaluate import evaluate
from nomdeplume.evaluate.evaluation import Evaluation
from nomdeplume.evaluate.setting import grid
from nomdeplume.evaluate.store import File, Parts, Store, encoded, read
from tests.cli.conftest import COMMAND, environment
from tests.engine import brought
from tests.evaluation_world import corpus, table, vocabulary
from tests.waiting import stopping, until, until_stopped

ROOT = Path(__file__).parents[2]
POOL = LocalPool(2)


@pytest.fixture(autouse=True)
def _found(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)  # where workers find what tests bring along


def asked(mechanisms=("laplace",), epsilons=(0.5, 3.0), attackers="fast", seed=4):
    """A small evaluation, and nothing of it done."""
    settings = grid([Recipe.usually(name) for name in mechanisms], epsilons=epsilons, sizes=[20])
    return Evaluation.of(
        corpus(each=8), vocabulary(), settings, attackers=attackers, draws=2, folds=4, seed=seed
    )


def told(results):
    """Results as JSON, but for the time that they took."""
    cells = tuple(replace(cell, seconds=0) for cell in results.cells)
    parts = Parts(results.clean, dict(enumerate(cells)))
    return encoded(File(question="", parts=parts))


def test_a_pool_finds_what_one_process_does():
    """Settings of every kind, and attackers who draw by chance: byte for byte."""
    small = corpus(each=6), ["laplace", "exponential", "mean"], vocabulary()
    given = {"budgets": [20], "sizes": [20], "draws": 2, "folds": 3, "seed": 4}
    given["attackers"] = "fast,char-svm,char-logistic"
    one, two = evaluate(*small, **given), evaluate(*small, **given, engine=POOL)

    assert len(one.cells) == 3
    assert told(one) == told(two)


@pytest.mark.filterwarnings("ignore")  # of what Ray itself does
def test_a_local_ray_finds_it_too():
    one, two = asked().run(), asked().run(engine=OnRay(workers=2))

    assert told(one) == told(two)


def test_without_a_seed_no_two_workers_share_noise():
    """The same texts in cells that differ by next to nothing: what comes out differs."""
    found = asked(epsilons=(3.0, 3.0000001), attackers="delta", seed=None).run(engine=POOL)
    one, two = (cell.examples for cell in found.cells)

    assert not any(cell.not_private for cell in found.cells)
    assert one != two


def test_an_evaluation_that_has_run_can_be_sent_and_no_generator_with_it():
    class Watching(pickle.Pickler):
        def reducer_override(self, value):
            drawing = np.random.Generator, np.random.BitGenerator, np.random.RandomState
            seen.append(isinstance(value, drawing))
            return NotImplemented

    seen, evaluation = [], asked(["laplace"], [3.0], "word-svm")
    one = evaluation.run()
    two = evaluation.run(engine=POOL)
    bare = Evaluation(evaluation.lab.bare(), evaluation.settings)
    Watching(io.BytesIO()).dump(bare.part)

    assert told(one) == told(two)
    assert seen
    assert not any(seen)


def test_the_driver_tells_what_is_done_and_stores_it_at_once():
    evaluation = asked(attackers={"plain": brought.plain})
    said, steps, stored = [], [], []
    store = Store(evaluation.question)
    evaluation.run(
        store, said.append, lambda: steps.append(None) or stored.append(len(store.parts.keys)), POOL
    )

    assert sorted(said) == sorted(f"{key}: done" for key in store.parts.keys)
    assert len(steps) == evaluation.steps == 3
    assert stored == [1, 2, 3]


def test_a_cell_whose_worker_is_killed_is_done_again(tmp_path):
    attackers = {"waits": partial(brought.Waits, str(tmp_path))}
    killed = []

    def kill():
        [path, *_] = until(lambda: list(tmp_path.iterdir()))
        os.kill(int(path.name), signal.SIGKILL)
        killed.append(path.name)
        until(lambda: len(list(tmp_path.iterdir())) > 1)  # another one is at it
        (tmp_path / "go").touch()

    (tmp_path / "go").touch()
    one = asked(epsilons=[3.0], attackers=attackers).run()
    for path in tmp_path.iterdir():
        path.unlink()
    evaluation = asked(epsilons=[3.0], attackers=attackers)
    store = Store(evaluation.question, parts=Parts(one.clean))  # so that it is a cell
    killer = Thread(target=kill)
    killer.start()
    two = evaluation.run(store, engine=POOL)
    killer.join()

    assert told(one) == told(two)
    assert len([path for path in tmp_path.iterdir() if path.name != "go"]) > len(killed) == 1


def test_an_attacker_that_fails_in_a_worker_is_told_in_one_line():
    with pytest.raises(InputError, match=r"^attacker mine failed with ValueError; ") as caught:
        asked(attackers={"mine": brought.Fails}).run(engine=POOL)

    assert "lo," not in str(caught.value)


@pytest.mark.parametrize("engine", [POOL, OnRay(2)])
def test_an_attacker_that_cannot_be_sent_is_refused(engine):
    def mine():
        return brought.plain()

    evaluation = asked(attackers={"mine": mine})
    with pytest.raises(InputError, match="these attackers cannot be sent to other processes"):
        evaluation.run(engine=engine)


@pytest.fixture
def world(tmp_path):
    """The small world as files, and the options that go with them."""
    (tmp_path / "tmp").mkdir()
    rows = [
        f"{word} {' '.join(f'{x:.4f}' for x in vector)}"
        for word, vector in zip(table().words, table().vectors, strict=True)
    ]
    (tmp_path / "t.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    made = corpus(each=8)
    lines = [
        json.dumps({"text": text, "author": made.author.names[made.author.codes[i]]})
        for i, text in enumerate(made.texts)
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [
        "evaluate", "c.jsonl", "--table", "t.txt", "--stop-words", "none", "--folds", "4",
        "--size", "20", "--draws", "2", "--epsilon", "0.5,1,2,3", "--engine", "pool",
        "--workers", "2", "--results", "r.json", "--quiet",
    ]  # fmt: skip


def test_a_run_whose_driver_is_killed_goes_on_where_it_was(world, tmp_path):
    how = {"cwd": tmp_path, "env": environment(tmp_path)}
    stops = stopping(tmp_path, "nomdeplume.evaluate.store:Store.add", 2)
    running = subprocess.Popen([str(COMMAND), *world], cwd=tmp_path, env=how["env"] | stops)
    until_stopped(running)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = read(tmp_path / "r.json").everything
    subprocess.run([str(COMMAND), *world], check=True, **how)
    after = read(tmp_path / "r.json").everything

    assert (len(before.keys), len(after.keys)) == (2, 5)
    assert after | before == after
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "2"], "--workers are those of an engine"),
        (["--address", "somewhere:1"], "goes with --engine ray"),
        (["--engine", "pool", "--address", "somewhere:1"], "goes with --engine ray"),
        (["--engine", "pool", "--workers", "0"], "workers must be"),
    ],
)
@pytest.mark.parametrize("command", [["evaluate", "sotu"], ["audit"]])
def test_options_that_need_an_engine_say_so(command, options, said):
    with pytest.raises(InputError, match=said):
        cli([*command, *options], standalone_mode=False)
