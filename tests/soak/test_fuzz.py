"""No damaged file crashes a reader, hangs it or fills the memory: it is refused in one line."""

import signal
import time
import warnings

import pytest

from nomdeplume.errors import InputError, PlumeError
from tests.soak import fuzz, seeds
from tests.soak.oracle import Unclear, clear, outcome
from tests.soak.readers import READERS
from tests.waiting import PATIENCE

CASES = 10_000


@pytest.fixture(autouse=True)
def _interrupted(monkeypatch):
    """A case that hangs is interrupted, here as in a soak, but later: cores are shared."""
    monkeypatch.setattr(fuzz, "HANG", PATIENCE)
    before = signal.signal(signal.SIGALRM, fuzz._hang)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
def test_whole_files_are_read(tmp_path, name):
    """Else what follows would only show that everything is refused."""
    assert "accepted" in [outcome(READERS[name], data, tmp_path) for data in seeds.of(name)] or (
        name == "table, sources"  # which holds a download to another one
    )


@pytest.mark.parametrize(("name", "cases"), fuzz.share(READERS, CASES).items())
def test_damaged_files_are_read_or_refused(tmp_path, name, cases):
    files = seeds.of(name)
    assert cases >= 100
    for number in range(cases):
        data = fuzz.case(name, number, 1, files)
        assert fuzz.attempt(READERS[name], data, tmp_path) in (("accepted", ""), ("refused", ""))


def test_ten_thousand_cases_are_shared_among_all_readers():
    shares = fuzz.share(READERS, CASES)

    assert sum(shares.values()) >= CASES
    assert set(shares) == set(READERS)


def _raise(error):
    raise error


LIARS = {
    "crashes": lambda *_: {}["zyxoquant"],
    "quotes a text": lambda *_: _raise(InputError("got zyxoquant.")),
    "says two lines": lambda *_: _raise(InputError("one\ntwo")),
    "says too much": lambda *_: _raise(InputError("x" * 401)),
    "says nothing": lambda *_: _raise(InputError(" ")),
    "has no code": lambda *_: _raise(PlumeError("no.")),
    "warns": lambda *_: warnings.warn("look here", UserWarning, stacklevel=1),
    "takes all memory": lambda *_: bytes(1 << 60),
}


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS.keys())
def test_a_reader_that_does_not_behave_is_caught(tmp_path, liar):
    ended, place = fuzz.attempt(liar, b"", tmp_path)

    assert ended == "crashes"
    assert place


def test_a_reader_that_hangs_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "HANG", 0.1)

    assert fuzz.attempt(lambda *_: time.sleep(9), b"", tmp_path)[0] == "hangs"


def test_a_case_is_the_same_each_time():
    made = [fuzz.case("jsonl", 7, 1, seeds.of("jsonl")) for _ in range(2)]
    others = {fuzz.case("jsonl", number, 1, seeds.of("jsonl")) for number in range(50)}

    assert made[0] == made[1]
    assert len(others) > 40


def test_a_fault_is_made_smaller(tmp_path):
    def reader(data, folder):
        if b"!" in data:
            raise KeyError("!")

    data = bytes(500) + b"!" + bytes(500)
    place = fuzz.attempt(reader, data, tmp_path)[1]

    assert fuzz.smaller(reader, data, tmp_path, place) == b"!"


def test_a_soak_counts_its_cases():
    found = fuzz.Work("text, decoded", 300, 1, time.time() + PATIENCE).all(print)

    assert found["cases"] == found["accepted"] + found["refused"] == 300
    assert found["crashes"] == found["hangs"] == 0


def test_a_child_that_dies_is_counted_and_another_goes_on(monkeypatch):
    told = []
    monkeypatch.setattr(fuzz.sys, "executable", "/bin/false")
    work = fuzz.Work("text, decoded", 3, 1, time.time() + PATIENCE)
    found = work.all(lambda name, fault, number, data: told.append(number))

    assert (found["cases"], found["crashes"], told) == (3, 3, [0, 1, 2])


def test_messages_are_held_to_one_line():
    clear("in.csv, row 3: no field 'text'.")
    with pytest.raises(Unclear):
        clear("row 3: Wumblegorf")
