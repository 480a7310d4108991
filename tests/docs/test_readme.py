"""README and guide do what they say."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nomdeplume import Table
from nomdeplume.library import Library

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = [
    ROOT / "docs" / "guide" / name
    for name in (
        "distances.md",
        "audit.md",
        "files.md",
        "tables.md",
        "documents.md",
        "features.md",
        "calibrate.md",
        "evaluate.md",
        "speed.md",
        "ledger.md",
        "engines.md",
    )
]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NAMED = r"`((?:tests|benchmarks|scripts|docs)/[\w/.-]+)`"
BRIEF = {"--seconds": "0.2", "--draws": "2"}  # options that say how long it takes
TAKES = rf"({'|'.join(BRIEF)}) [\d.]+"
COMMON = "common.safetensors"
LONG = ("audit", "calibrate", "evaluate")  # commands for which many words are much work


def blocks(language, page=README):
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def commands(page):
    lines = [line for block in blocks("console", page) for line in block.splitlines()]
    return [
        line.removeprefix("$ ")
        for line in lines
        if re.match(r"\$ (! )?(nomdeplume|cat|mkdir|ls)", line)
    ]


def briefly(page):
    """The commands of a page, in what time there is.

    For how long, and how often, is made little. A long command is run as it stands the first
    time; then, unless it names a table, on the commonest words of the one it would take.
    """
    seen = set()
    for command in commands(page):
        line = re.sub(TAKES, lambda given: f"{given[1]} {BRIEF[given[1]]}", command)
        name = line.removeprefix("nomdeplume ").split()[0]
        yield f"{line} --table {COMMON}" if name in seen and "--table" not in line else line
        seen |= {name} & set(LONG)


@pytest.fixture(scope="module")
def common(bundled, tmp_path_factory):
    """The commonest words of the bundled table, in a file."""
    path = tmp_path_factory.mktemp("common") / COMMON
    Table(list(bundled.words[:9000]), bundled.vectors[:9000], name="common").save(path)
    return path


@pytest.fixture
def sandbox(tmp_path, starter, common):
    """A folder with what the README's commands name, and the command on the path."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".*"))
    (tmp_path / "letter.txt").write_text("Rain on the old harbour.", encoding="utf-8")
    (tmp_path / "lettre.txt").write_text("Pluie sur le port.", encoding="utf-8")
    (tmp_path / "glove.6B.300d.txt").write_text("rain 0 0\nsnow 0 1\n", encoding="utf-8")
    (tmp_path / "pluie.vec").write_text("2 2\npluie 0 0 \nport 0 1 \n", encoding="utf-8")
    reviews = {"id": [1, 2], "body": ["Rain again.", "Good bread."], "topic": ["weather", "food"]}
    pq.write_table(pa.table(reviews), tmp_path / "reviews.parquet")
    rows = "id,body,topic\n1,Rain again.,weather\n2,Good bread.,food\n"
    (tmp_path / "reviews.csv").write_text(rows, encoding="utf-8")
    news = [
        {"text": f"{topic} {words} {number * 'today '}", "topic": topic, "author": number % 4}
        for topic, words in (("weather", "rain snow storm wind"), ("food", "bread cheese soup"))
        for number in range(20)
    ]
    lines = "".join(f"{json.dumps(each)}\n" for each in news)
    (tmp_path / "news.jsonl").write_text(lines, encoding="utf-8")
    habits = {"Ann": "boat rain", "Bob": "sail wind", "Cleo": "flour oven", "Dan": "yeast tea"}
    posts = [
        {"id": f"{author}{i}", "text": f"{likes} {likes} harbour bread {likes}" + " today" * i,
         "author": author, "topic": "sea" if author in ("Ann", "Bob") else "food"}
        for author, likes in habits.items() for i in range(8)
    ]  # fmt: skip
    lines = "".join(f"{json.dumps(each)}\n" for each in posts)
    (tmp_path / "posts.jsonl").write_text(lines, encoding="utf-8")
    broken = rows.replace("body", "text") + "3,a,b,c\n"
    mine = "def release(words):\n    return ['lake' for _ in words]\n"
    mine += "def make(table, epsilon):\n    return lambda words: [table.words[0] for _ in words]\n"
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")
    (tmp_path / "broken.csv").write_text(broken, encoding="utf-8")
    shutil.copy(common, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path}

    def shell(command):
        """As somebody types it."""
        return subprocess.run(
            command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )

    def run(command):
        """The same, where the line is one command by a process that has its modules."""
        name, *arguments = shlex.split(command)
        if name != "nomdeplume" or set(command) & set("|&;<>$"):
            return shell(command)
        done = starter.run(arguments, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr.decode()
        return subprocess.CompletedProcess(
            command, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    run.typed = shell
    return run


def test_the_python_example_runs(capsys):
    [example] = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    said = capsys.readouterr().out

    assert len([line for line in example.splitlines() if line]) <= 10
    assert said.count("by more than 100 to 1") == 2
    assert "20 · W₁" in said
    assert '"private": true' in said


def test_the_commands_run(sandbox):
    assert len(commands(README)) == 15
    assert [sandbox(command).returncode for command in briefly(README)] == [0] * 15


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_commands_of_the_guides_run(sandbox, guide):
    found = list(briefly(guide.read_text(encoding="utf-8")))

    assert len(found) >= 4
    assert [sandbox(command).returncode for command in found] == [0] * len(found)


def test_distances_are_as_shown(sandbox):
    """Where the page shows what a command says, it says that."""
    found = [
        re.fullmatch(r"(nomdeplume [^\n]*)\n(.+)", run, re.DOTALL)
        for block in blocks("console", GUIDES[0].read_text(encoding="utf-8"))
        for run in block.removeprefix("$ ").split("\n$ ")
    ]
    shown = [match.groups() for match in found if match]

    assert len(shown) >= 2
    for command, due in shown:
        assert sandbox(command).stdout.replace("\u00a0", " ").strip() == due.strip()


def test_the_first_run_looks_as_shown(sandbox):
    [shown] = [block for block in blocks("console") if "Released 1 document" in block]
    command, rest = shown.removeprefix("$ ").split("\n", 1)
    released, _, promise = rest.partition("Released")
    done = sandbox.typed(command)

    assert f"Released{promise}" == done.stderr
    texts = Library.shipped("en").texts
    assert " ".join(released.split()) in texts
    assert done.stdout.strip() in texts


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))

    assert not [link for link in links if not (page.parent / link).exists()]


def test_tests_that_the_docs_name_exist():
    named = {name for page in PAGES for name in re.findall(NAMED, page.read_text(encoding="utf-8"))}

    assert len(named) > 10
    assert not [name for name in named if not (ROOT / name).exists()]


@pytest.mark.parametrize("name", ["performance", "scale", "trust"])
def test_pages_of_figures_are_made_of_results(tmp_path, name):
    """Nobody typed a figure in: the script makes the same page of what is there."""
    page, script = ROOT / "docs" / f"{name}.md", ROOT / "scripts" / f"{name}_page.py"
    made = {"__name__": "page", "__file__": str(script)}
    exec(compile(script.read_text(encoding="utf-8"), script.name, "exec"), made)
    made["PAGE"] = tmp_path / "page.md"
    made["main"]()

    assert made["PAGE"].read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
