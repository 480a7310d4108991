"""No word of a private text outside the promise: every command, option and failure."""

import subprocess
import sys

import pytest
import rich_click as click

from nomdeplume.cli.main import COMMANDS, loaded
from tests.cli.conftest import COMMAND, environment, here
from tests.cli.leak_cases import CASES
from tests.cli.leak_failures import BUGS, FOR_ONE, KILLED, WATCHED
from tests.cli.leaks import CANARIES, TEXT, Case, hits, places, played, world

NO_TEXT = {  # options that no case needs, and why: the sweep gives each of them a text all the same
    "--index": "how a search is made",
    "--device": "where products run",
    "--float32": "how numbers are stored",
    "--float16": "how numbers are stored",
    "--int8": "how numbers are stored",
    "--moves": "a number",
    "--help": "asks for nothing",
}
FIRST = {("studio",): ("--host", "192.0.2.1", "--password", "0123456789")}  # nobody is there


@pytest.fixture
def play(tmp_path, starter):
    """Run a case in a world full of canaries, and search all that it leaves."""
    (tmp_path / "tmp").mkdir()
    before = world(tmp_path)

    def play(case):
        done = played(starter, tmp_path, case, environment(tmp_path))
        found = places(done, tmp_path, before)
        wrong, searched = hits(case, found)
        assert done.returncode == case.code, done.stderr.decode()
        assert case.said.encode() in done.stderr
        assert searched
        assert not wrong
        return found

    return play


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_no_canary_gets_out(play, case):
    assert play(case)


@pytest.mark.parametrize("case", BUGS.values(), ids=BUGS.keys())
def test_no_bug_tells_what_it_tripped_over(play, case):
    found = play(case)

    assert b"Traceback" not in found["stderr"]


@pytest.mark.parametrize("case", KILLED.values(), ids=KILLED.keys())
def test_what_a_kill_leaves_is_private(play, tmp_path, case):
    left = [name for name in play(case) if name.startswith((".", "l"))]  # and a ledger

    assert [name for name in left if name.startswith(".out")]
    assert not [name for name in left if not private(tmp_path, name)]
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("name", WATCHED)
def test_what_is_made_on_the_way_is_private(play, tmp_path, name):
    found = play(WATCHED[name])
    shared = [
        line.split()[1] for line in found["stderr"].decode().splitlines() if "shared /" in line
    ]

    assert b"made 0" not in found["stderr"]
    assert not [path for path in shared if path.startswith(str(tmp_path))]
    made = [each for each in found if each.startswith("out") and "jsonl" not in each]
    assert not [
        each for each in made if name in FOR_ONE and (tmp_path / each).stat().st_mode & 0o77
    ]


def private(folder, name):
    """Whether others can neither read it nor get to it."""
    path = folder / name
    above = [each for each in (path, *path.parents) if folder in each.parents]
    return any(not each.stat().st_mode & 0o077 for each in above)


def commands():
    """Every command, by the words that it is called with."""
    waiting = [((name,), loaded(name)) for name in COMMANDS]
    while waiting:
        words, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [((*words, name), each) for name, each in command.commands.items()]
        else:
            yield words, command


def test_every_option_has_a_case():
    lines = [case.arguments for case in CASES.values()]
    missing = []
    for words, command in commands():
        used = {part for line in lines if tuple(line[: len(words)]) == words for part in line}
        numbers = (click.Choice, type(click.INT), type(click.FLOAT))
        missing += [
            " ".join((*words, option.opts[0]))
            for option in command.params
            if isinstance(option, click.Option)
            and not used.intersection(option.opts)
            and not isinstance(option.type, numbers)
            and option.opts[0] not in NO_TEXT
        ]
        assert used, words

    assert missing == []


@pytest.mark.parametrize("words", [words for words, _ in commands()], ids=" ".join)
def test_a_text_for_a_value_is_not_shown(tmp_path, words):
    """Whatever value a command takes, a text in its place is refused or used, and not said."""
    world(tmp_path)
    command = dict(commands())[words]
    asked = [each for each in command.params if not getattr(each, "is_flag", False)]
    tabled = any(each.name == "table_name" for each in command.params)
    said = []
    for each in asked:
        given = ["--table", "t.txt"] if tabled and each.name != "table_name" else []
        given += FIRST.get(words, ())
        given += [each.opts[0]] if isinstance(each, click.Option) else []
        for value in (TEXT, "zyxoquant wumblegorf", "\nvorplique\nzyxoquant\n"):
            done = here(tmp_path, *words, *given, *[value] * max(each.nargs, 1))
            output = (done.stdout + done.stderr).lower()
            said += [(each.opts[0], canary) for canary in CANARIES if canary in output]

    assert said == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["TEXT"],
        ["vorplique"],
        ["a.txt", "--keep", "TEXT"],
        ["ledger", "TEXT"],
        ["ledger", "check", "l", "TEXT", "vorplique"],
        ["obfuscate", "--TEXT"],
        ["obfuscate", "--quiet=vorplique"],
        ["--TEXT"],
    ],
    ids=" ".join,
)
def test_a_text_in_the_wrong_place_is_not_shown(tmp_path, arguments):
    world(tmp_path)
    done = here(tmp_path, *(each.replace("TEXT", TEXT) for each in arguments))

    assert done.returncode == 2
    assert not [each for each in CANARIES if each in (done.stdout + done.stderr).lower()]


@pytest.mark.parametrize("end", ["> /dev/full", "| true", ">&-", "2>&- | cat"])
def test_a_standard_output_that_fails_is_told_without_a_word(tmp_path, end):
    world(tmp_path)
    line = f"{COMMAND} obfuscate in.jsonl --epsilon 2 --table t.txt {end}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, check=False)
    wrong, searched = hits(
        Case(line, known=("stdout",)), {"stdout": done.stdout, "stderr": done.stderr}
    )

    assert searched
    assert not wrong


def test_a_crash_dump_holds_no_text(tmp_path):
    """Development mode, every warning shown, and a crash within a text: functions and lines."""
    script = (
        "import sys, faulthandler\n"
        "from nomdeplume.vocabulary import Vocabulary\n"
        "from nomdeplume.cli.main import main\n"
        "def bag(self, text):\n"
        "    open('/dev/null')  # which development mode warns of\n"
        "    __import__('warnings').warn(text)\n"
        "    faulthandler._sigsegv()\n"
        "Vocabulary.bag = bag\n"
        "sys.argv = ['nomdeplume', 'obfuscate', '-', '--quiet']\n"
        "main()\n"
    )
    options = ["-X", "dev", "-X", "faulthandler", "-X", "tracemalloc", "-W", "always"]
    done = subprocess.run(
        [sys.executable, *options, "-c", script],
        input=TEXT.encode(),
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )

    assert b"Segmentation fault" in done.stderr
    assert b"ResourceWarning at" in done.stderr
    assert not [each for each in CANARIES if each.encode() in done.stderr.lower()]
