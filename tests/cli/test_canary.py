"""No word of a private text anywhere but in what the release may say.

Canaries are words that no table knows, so a release cannot hold them by
chance; they stand in every place of a text and in every field that is not kept.
"""

import gzip
import json

import pytest

CANARIES = ("zyxoquant", "wumblegorf", "canary@secret", "Qx7Canary", "vorplique")
TEXT = "Rain on zyxoquant harbour. Wumblegorf canary@secret.org Qx7Canary l'vorplique boats."


def spill(run, done, tmp_path, inputs):
    """Everything that a run leaves anywhere, less its own inputs."""
    left = [done.stdout, done.stderr]
    for path in tmp_path.rglob("*"):
        if path.name in inputs:
            continue
        left.append(path.relative_to(tmp_path).as_posix().encode())
        if path.is_file():
            data = path.read_bytes()
            left.append(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    return b"\n".join(left).lower()


def record(**more):
    return json.dumps({"id": 1, "text": TEXT, "author": "Vorplique", **more})


ROWS = f'id,text,author\n1,"{TEXT}",Vorplique\n'
CASES = {
    "a letter": ("in.txt", TEXT, [], 0),
    "a letter to a file": ("in.txt", TEXT, ["-o", "out.txt"], 0),
    "seeded": ("in.txt", TEXT, ["-o", "out.txt", "--seed", "1"], 0),
    "records": ("in.jsonl", record(), ["-o", "out.jsonl"], 0),
    "packed records": ("in.jsonl", record(), ["-o", "out.jsonl.gz"], 0),
    "broken JSON": ("in.jsonl", record() + "\n" + record()[:-9], ["-o", "out.jsonl"], 4),
    "broken JSON, strict": ("in.jsonl", record()[:-9], ["--strict"], 2),
    "text is a list": ("in.jsonl", record() + "\n" + record(text=[TEXT]), [], 4),
    "id is an object": ("in.jsonl", record() + "\n" + record(id={"a": TEXT}), [], 0),
    "kept id is an object": (
        "in.jsonl",
        record() + "\n" + record(id={"a": TEXT}),
        ["--keep", "id"],
        4,
    ),
    "no text field": ("in.jsonl", json.dumps({"body": TEXT, "id": TEXT}), [], 2),
    "a key is a sentence": ("in.jsonl", json.dumps({TEXT: 1, f"on {CANARIES[0]}": 2}), [], 2),
    "a CSV file": ("in.csv", ROWS, ["-o", "out.csv"], 0),
    "a CSV file, broken": ("in.csv", ROWS + f"2,{TEXT},x,y\n", ["-o", "out.parquet"], 4),
    "a CSV file, quotes open": ("in.csv", ROWS + f'2,"{TEXT}\n' * 3, ["-o", "out.jsonl"], 4),
    "a CSV file, strict": ("in.csv", ROWS + f"2,{TEXT},x,y\n", ["--strict"], 2),
    "a CSV file without names": ("in.csv", f'1,"{TEXT}",Vorplique\n', [], 2),
    "no column of that name": ("in.csv", ROWS, ["--text-field", "body"], 2),
    "Parquet that is none": ("in.parquet", TEXT * 9, [], 2),
    "names of files": ("zyxoquant.txt", TEXT, ["-o", "out.jsonl"], 0),
    "binary": ("in.txt", TEXT + "\x00\x01\x02\x03\x04" * 99, [], 2),
    "impossible epsilon": ("in.txt", TEXT, ["--epsilon", "-1"], 2),
    "unwritable": ("in.txt", TEXT, ["-o", "no/where/out.txt"], 2),
    "a text for a table": ("in.txt", TEXT, ["--table", "in.txt"], 2),
    "a text for a table of numbers": ("in.txt", f"{TEXT} 1", ["--table", "in.txt"], 2),
    "nothing but canaries": ("in.txt", " ".join(CANARIES), ["-o", "out.txt"], 0),
    "withheld": (
        "in.jsonl",
        record(text=CANARIES[0]),
        ["-o", "o.jsonl", "--budget", "9", "--empty", "withhold"],
        4,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_no_canary_gets_out(run, tmp_path, case):
    name, content, arguments, code = case
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = run("obfuscate", name, *arguments, code=code)

    left = spill(run, done, tmp_path, {name})
    assert done.stderr
    assert not [canary for canary in CANARIES if canary.lower().encode() in left]


@pytest.mark.parametrize(
    "arguments", [[TEXT], ["obfuscate", TEXT], ["obfuscate", "--from", "csv", "in.txt"]]
)
def test_a_text_in_the_wrong_place_is_not_shown(run, tmp_path, arguments):
    (tmp_path / "in.txt").write_text(
        f"{CANARIES[0]}, {CANARIES[4]} {CANARIES[1]}\nx,y\n", encoding="utf-8"
    )
    done = run(*arguments, code=2)

    assert not [canary for canary in CANARIES if canary.lower().encode() in done.stderr.lower()]


def test_known_words_stay_out_of_messages_and_certificates(run, tmp_path):
    """Words that the table knows can be released; nothing else may name them."""
    (tmp_path / "in.txt").write_text("penguin accordion " * 40, encoding="utf-8")
    done = run("obfuscate", "in.txt", "-o", "out.txt")
    said = done.stdout + done.stderr + (tmp_path / "out.txt.certificate.json").read_bytes()

    assert not [word for word in (b"penguin", b"accordion") if word in said.lower()]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_unexpected_error_says_where_and_nothing_else(tmp_path):
    """Even a bug of ours must not print the text that it tripped over."""
    import subprocess
    import sys

    script = tmp_path / "bug.py"
    script.write_text(
        "import sys\n"
        "from nomdeplume.vocabulary import Vocabulary\n"
        "from nomdeplume.cli.main import main\n"
        "Vocabulary.bag = lambda self, text: {}[text]\n"
        "sys.argv = ['nomdeplume', 'obfuscate', '-']\n"
        "main()\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, script], input=TEXT.encode(), capture_output=True, check=False
    )

    assert done.returncode == 1
    assert b"unexpected KeyError at bug.py:4" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not [c for c in CANARIES if c.lower().encode() in (done.stdout + done.stderr).lower()]
