"""No file is ever unpickled: a pickle can run any program when it is read."""

import ast
import io
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.soak.oracle import outcome
from tests.soak.readers import READERS

SOURCES = Path(__file__).parents[2] / "src" / "nomdeplume"
OWN = {  # modules that unpickle what another process of the same run sent them, or, shards, what
    # they have written to a file without a name themselves
    "audit/streams.py", "engine/desk.py", "engine/shards.py", "engine/spark.py", "web/jobs.py",
    "workers/pool.py", "workers/shared.py", "workers/worker.py",
}  # fmt: skip


WORDS = re.compile("pickle|load|shelve|read_array")  # without which there is no such call


class Trap:
    """What makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def hostile(path):
    """Files that would make another at `path`, as libraries write them."""
    from gensim.models import KeyedVectors

    trap = Trap(path)
    keyed = KeyedVectors(2)
    keyed.add_vectors(["rain"], np.ones((1, 2), "f4"))
    keyed.extra = trap
    array = io.BytesIO()
    np.save(array, np.array([trap, None]), allow_pickle=True)
    model, arrays = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr("model/data.pkl", pickle.dumps(trap))
    np.savez(arrays, v=np.array([trap, None]), w=np.array(["rain", "lake"]))
    return {
        **{f"protocol {n}": pickle.dumps(trap, protocol=n) for n in range(6)},
        "gensim": pickle.dumps(keyed, protocol=4),
        "npy": array.getvalue(),
        "npz": arrays.getvalue(),
        "torch": model.getvalue(),
    }


@pytest.mark.parametrize("name", READERS)
def test_no_reader_runs_what_a_pickle_asks_for(tmp_path, name):
    made = tmp_path / "made"
    for data in hostile(made).values():
        ended = outcome(READERS[name], data, tmp_path)
        assert ended == "refused" or not name.startswith("table, native")
        assert not made.exists()


@pytest.mark.parametrize(
    "kind", [*(f"protocol {n}" for n in range(2, 6)), "gensim", "npy", "torch"]
)
def test_tables_that_are_pickles_are_refused(tmp_path, kind):
    data = hostile(tmp_path / "made")[kind]
    tables = [name for name in READERS if name.startswith("table,") and "part of" not in name]

    assert {outcome(READERS[name], data, tmp_path) for name in tables} == {"refused"}


def test_the_trap_is_one(tmp_path):
    made = tmp_path / "made"
    pickle.loads(hostile(made)["protocol 4"]).close()
    assert made.exists()
    made.unlink()
    for array in np.load(io.BytesIO(hostile(made)["npy"]), allow_pickle=True):
        _ = array and array.close()

    assert made.exists()


def unpickles(tree):
    """Calls that load pickles, or might."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        given = {each.arg: ast.unparse(each.value) for each in node.keywords}
        if called == "np.load" or called.endswith("read_array"):
            if given.get("allow_pickle") != "False":
                yield called
        elif called.rpartition(".")[2] in ("Unpickler", "read_pickle") or called in (
            "pickle.load", "pickle.loads", "torch.load", "joblib.load", "marshal.loads",
            "shelve.open", "dill.load", "dill.loads", "cloudpickle.load", "cloudpickle.loads",
        ):  # fmt: skip
            yield called


def test_no_module_unpickles_files():
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        calls = list(unpickles(ast.parse(text))) if WORDS.search(text) else []
        if calls or "pickle.load" in text:
            found[path.relative_to(SOURCES).as_posix()] = calls

    assert set(found) == OWN


@pytest.mark.parametrize(
    "line", ["pickle.load(f)", "np.load(p)", "pd.read_pickle(p)", "torch.load(p)"]
)
def test_a_module_that_did_would_be_found(line):
    assert list(unpickles(ast.parse(line)))
