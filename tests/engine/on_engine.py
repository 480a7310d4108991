"""What engines do with one corpus, told as JSON: run by tests in a process of its own.

python -m tests.engine.on_engine ray ADDRESS
python -m tests.engine.on_engine spark
"""

import json
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import binomtest, chi2_contingency

from nomdeplume import InputError, Ledger, Obfuscator, PrivacyError, Table, seeded
from nomdeplume.releasing import Job

TINY = Table(
    ("apple", "pear", "river", "lake"),
    np.array([[0, 0], [0, 1], [5, 5], [5, 6]], dtype=np.float32),
    name="tiny",
)
TEXT, SIZE, COPIES, EPSILON = "apple", 100, 4000, 0.7
ALPHA = 1e-6
ROOT = Path(__file__).parents[2]


def words(epsilon=EPSILON):
    return Obfuscator.laplace(TINY, epsilon=epsilon, size=SIZE)


def counts(texts):
    """How often each word came out."""
    found = Counter(word for text in texts for word in text.split())
    return [found[word] for word in TINY.words]


class Shared(Job):
    """A worker that begins every stream at the same place: what must never be."""

    def batches(self, items, number=1):
        return super().batches(items, 1)


def shared(made):
    """An obfuscator whose workers share their streams."""
    right = made.batches

    def batches(rng=None, **columns):
        function = right(rng, **columns)
        return replace(function, job=Shared(function.job.releasing, 7))

    object.__setattr__(made, "batches", batches)
    return made


def alike(found):
    """Whether counts are as those of one process, and not as those of a noise 6 % weaker."""

    def here(epsilon, seed):
        return counts(each.text for each in words(epsilon).releases([TEXT] * COPIES, seeded(seed)))

    right, wrong = here(EPSILON, 1), here(1.06 * EPSILON, 2)
    same = chi2_contingency([found, right]).pvalue > ALPHA
    return same and chi2_contingency([found, wrong]).pvalue < ALPHA


def asked(*arguments, cwd, **env):
    """What an engine does, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.on_engine", *arguments],
        cwd=cwd,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def standins(rows):
    """Whether stand-ins come out with their ids, about as often of the best as they should."""
    made = Obfuscator.standin(odds=20)
    found = rows(["The dough rests overnight."] * COPIES, made)
    [best] = made.mechanism._nearest(["The dough rests overnight."])
    passages = made.mechanism.library.passages
    hits = sum(row["standin"] in {passages[place].id for place in best} for row in found)
    named = all(row["text"] == made.mechanism.library[row["standin"]].text for row in found)
    return bool(named and binomtest(hits, COPIES, made.mechanism.hit).pvalue > ALPHA)


def repeated(rows):
    """Noisy means that came out more than once: of secret streams none."""
    seen = Counter(tuple(row["vector"]) for row in rows)
    return sum(times - 1 for times in seen.values())


def on_ray(address):
    import ray

    from nomdeplume.engine.ray import obfuscate

    ray.init(address=address, log_to_driver=False, logging_level="ERROR")

    def frame(texts, parts=4, named=False):
        ids = [f"Ann{i}" if named else i for i in range(len(texts))]
        table = pa.table({"id": ids, "author": ["Ann"] * len(texts), "text": texts})
        step = -(-len(texts) // parts)
        return ray.data.from_arrow([table.slice(i, step) for i in range(0, len(texts), step)])

    def rows(texts, made, named=False, **how):
        return obfuscate(frame(texts, named=named), made, workers=2, **how).take_all()

    found = told(rows)
    shown = {}
    exec(snippet("engine.ray"), shown)  # as the guide has it
    found["shown"] = shown["released"].take_all()
    return found


def snippet(name):
    """What the guide shows."""
    page = (ROOT / "docs/guide/engines.md").read_text(encoding="utf-8")
    [found] = [each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if name in each]
    return found


def on_spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from nomdeplume.engine.spark import obfuscate

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")

    def frame(texts, parts=4, named=False):
        data = [(f"Ann{i}" if named else i, "Ann", text) for i, text in enumerate(texts)]
        columns = f"id {'string' if named else 'int'}, author string, text string"
        return spark.createDataFrame(data, columns).repartition(parts)

    def rows(texts, made, named=False, **how):
        released = obfuscate(frame(texts, named=named), made, **how)
        once, twice = (sorted(map(str, released.collect())) for _ in range(2))
        assert once == twice, "noise was drawn twice"
        return [row.asDict() for row in released.collect()]

    found = told(rows)
    with Ledger("l", limit=15) as ledger:
        made = Obfuscator.laplace(TINY, epsilon=2, size=5)  # costs 10
        kept = {"keep": ["id"], "ledger": ledger, "id": "id"}
        first = obfuscate(frame([TEXT] * 20), made, **kept).collect()
        second = obfuscate(frame([TEXT] * 30), made, **kept).collect()
        found["charged"] = [sorted(row["id"] for row in each) for each in (first, second)]
        found["transactions"] = len(ledger.runs())
        found["documents"] = sum(documents for _, _, documents in ledger.runs())
        for name, wrong in {"no id": {"ledger": ledger}, "no ledger": {"id": "id"}}.items():
            try:
                obfuscate(frame([TEXT]), made, **wrong)
            except InputError as error:
                found[name] = str(error)
    with Ledger("m", limit=15) as ledger:
        rdds = spark.sparkContext._jsc.getPersistentRDDs
        cached, before = frame([TEXT] * 5).cache(), set(rdds())  # nobody has asked for it yet
        obfuscate(cached, made, ledger=ledger, id="id")
        found["kept"] = len(set(rdds()) - before)
    shown = {"spark": spark}
    exec(snippet("engine.spark"), shown)  # as the guide has it
    found["shown"] = [row.asDict() for row in shown["released"].collect()]
    spark.stop()
    return found


def told(rows):
    """The same questions to every engine."""
    means = Obfuscator.mean(budget=5, size=3)
    texts = [TEXT] * 400
    plain = rows(["rain", None, "snow"], means, keep=["id"])
    named = {"keep": ["id"], "named": True}
    try:
        refused = str(rows(["rain", "snow"], means, **named))
    except PrivacyError as error:
        refused = str(error)
    allowed = rows(["rain", "snow"], means, **named, allow_identifying_ids=True)
    return {
        "refused": refused,
        "allowed": sorted(row["id"] for row in allowed),
        "columns": sorted(plain[0]),
        "ids": sorted(row["id"] for row in plain),
        "words": counts(row["text"] for row in rows([TEXT] * COPIES, words())),
        "stand-ins": standins(rows),
        "repeated": repeated(rows(texts, means, vectors=True)),
        "repeated if shared": repeated(rows(texts, shared(means), vectors=True)),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = on_ray(sys.argv[2]) if sys.argv[1] == "ray" else on_spark()
    print(json.dumps(found))
