"""`nomdeplume calibrate`: what it prints, draws and refuses."""

import json
import random
import re
import stat

import pytest

WORDS = "apple pear plum cherry river lake pond brook bread cheese soup tea storm rain snow wind"


@pytest.fixture
def calibrate(run, tmp_path, monkeypatch):
    """Sixteen words in space, and two texts of some of them."""
    monkeypatch.setenv("NOMDEPLUME_CACHE", str(tmp_path / "cache"))
    draw = random.Random(4)
    rows = [
        f"{word} " + " ".join(f"{draw.gauss(0, 2):.3f}" for _ in range(3)) for word in WORDS.split()
    ]
    (tmp_path / "t.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("A pear, a plum and a lake.", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Storm and cheese!", encoding="utf-8")

    def calibrate(*arguments, **more):
        return run("calibrate", "--table", "t.txt", *arguments, **more)

    return calibrate


def test_the_answer_comes_first_then_the_curve(calibrate):
    said = calibrate("--unchanged", ".5").stdout.decode()
    epsilon = re.match(r"ε = ([\d.]+): about 50 in 100 words stay, ", said)[1]
    flat = " ".join(said.split())

    assert (
        f"E = {100 * float(epsilon):.6g} for documents of 100 words, per unit of Euclidean" in flat
    )
    assert f"\nnomdeplume obfuscate --epsilon {epsilon} --table t.txt\n" in said
    assert re.search(r"\n +ε +unchanged +near +far +support +alike +moved\n", said)
    assert len(re.findall(rf"^→ +{epsilon} +0\.(?:50|49)", said, re.MULTILINE)) == 1
    assert "all 16 kept words, by 200 draws of each" in flat


def test_without_a_target_there_is_the_curve(calibrate):
    done = calibrate()
    lines = done.stdout.decode().splitlines()
    stay = [float(line.split()[1]) for line in lines[1:14]]

    assert lines[0].split() == ["ε", "unchanged", "near", "far", "support", "alike", "moved"]
    assert stay == sorted(stay)
    assert done.stderr == b""


@pytest.mark.parametrize("mechanism", ["laplace", "exponential"])
def test_obfuscate_does_what_was_asked_for(calibrate, run, mechanism):
    """The command that is printed runs, and about as many words stay."""
    wanted = ["--mechanism", mechanism, "--unchanged", ".4", "--size", "400"]
    facts = json.loads(calibrate(*wanted, "--json").stdout)
    command = facts["command"].split()[1:]
    released = run(*command, "--quiet", stdin=WORDS.encode() * 50).stdout.decode().split()

    assert facts["answer"]["unchanged"] == pytest.approx(0.4, rel=0.01)
    assert facts["budget"] == pytest.approx(400 * facts["answer"]["epsilon"])
    assert command[:3] == ["obfuscate", "--epsilon", f"{facts['answer']['epsilon']:g}"]
    assert ("--mechanism" in command) == (mechanism == "exponential")
    assert len(released) == 400


@pytest.mark.parametrize(
    "asked",
    [
        ["--support", "5"],
        ["--moved", "1.5"],
        ["--epsilon", "2"],
        ["--mechanism", "exponential", "--decode", "rank", "--unchanged", ".3"],
        ["--mechanism", "custext", "--setting", "group=4", "--unchanged", ".5"],
        ["--mechanism", "tem", "--weights", "zipf", "--moved", "2"],
        ["--dimensions", "2", "--unchanged", ".2", "--common", "--sample", "8", "--draws", "50"],
    ],
    ids=" ".join,
)
def test_whatever_is_asked_for_is_answered(calibrate, asked):
    facts = json.loads(calibrate(*asked, "--json").stdout)
    point = facts["answer"]
    names = [name for name in ("unchanged", "support", "moved", "near") if f"--{name}" in asked]

    assert point in facts["curve"]
    assert point["unchanged"] + point["near"] + point["far"] == pytest.approx(1)
    for name in names:
        wanted = float(asked[asked.index(f"--{name}") + 1])
        assert point[name] == pytest.approx(wanted, rel=0.02)


def test_near_words_are_all_there_are_in_a_small_table(calibrate):
    """The least ε then does it, and that is said as any other answer."""
    point = json.loads(calibrate("--near", ".3", "--json").stdout)["answer"]

    assert point["epsilon"] == 1e-3
    assert point["near"] > 0.3


def test_what_is_not_promised_is_said(calibrate):
    asked = ["--mechanism", "custext", "--setting", "group=4", "--unchanged", ".5"]
    said = " ".join(calibrate(*asked).stdout.decode().split())

    assert "which group a word is in is revealed with certainty" in said
    assert "--mechanism custext --table t.txt --setting group=4" in said


def test_words_are_told_with_what_they_may_become(calibrate):
    said = calibrate(
        "--mechanism", "exponential", "--unchanged", ".5", "--words", "pear,lake"
    ).stdout.decode()

    assert re.search(r"^pear: stays [\d.]+ %; \w+ [\d.]+ %, ", said, re.MULTILINE)
    assert re.search(r"^lake: stays ", said, re.MULTILINE)


def test_a_loss_between_texts_is_kept_and_nothing_of_them_told(calibrate, run):
    texts = ["a.txt", "b.txt"]
    done = calibrate("--loss", "20", "--between", *texts, "--size", "10", "--json")
    facts = json.loads(done.stdout)
    epsilon = f"{facts['answer']['epsilon']:.12g}"
    distance = run(
        "distance", "--table", "t.txt", *texts, "--epsilon", epsilon, "--size", "10", "--json"
    )

    assert json.loads(distance.stdout)["release"]["loss"] == pytest.approx(facts["between"]["loss"])
    assert 19.9 < facts["between"]["loss"] <= 20
    assert not re.search(r"\b(pear|plum|storm|cheese)\b", (done.stdout + done.stderr).decode())
    assert b"tells how far apart they are" in done.stderr


def test_a_delta_allows_more(calibrate):
    asked = ["--loss", "3", "--between", "a.txt", "b.txt", "--size", "10", "--json"]
    pure = json.loads(calibrate(*asked).stdout)
    found = json.loads(calibrate(*asked, "--delta", "1e-3").stdout)

    assert found["answer"]["epsilon"] > pure["answer"]["epsilon"]
    assert found["between"]["loss_at_delta"] <= 3 < found["between"]["loss"]


def test_curves_are_drawn_once(calibrate, tmp_path):
    calibrate("--unchanged", ".5", "-o", "curve.html")
    page = (tmp_path / "curve.html").read_text(encoding="utf-8")
    refused = calibrate("--unchanged", ".5", "-o", "curve.html", code=2)

    assert page.count("<svg") == 2
    assert "<script" not in page
    assert b"--force" in refused.stderr
    assert (tmp_path / "curve.html").read_text(encoding="utf-8") == page
    assert calibrate("-o", "curve.html", "--force", "--quiet").stdout == b""
    assert 'class="chosen"' not in (tmp_path / "curve.html").read_text(encoding="utf-8")
    assert stat.S_IMODE((tmp_path / "curve.html").stat().st_mode) & 0o400


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--unchanged", ".5", "--near", ".2"], "ask for one thing at a time"),
        (["--unchanged", "1.5"], "share between 0 and 1"),
        (["--unchanged", "1e-9"], "must be from"),
        (["--loss", "5"], "belong together"),
        (["--between", "a.txt", "b.txt"], "belong together"),
        (["--delta", "1e-6"], "is for --loss"),
        (["--words", "pear"], "needs an answer"),
        (["--epsilon", "2", "--words", "zebra"], "1 of 1 are not"),
        (["--draws", "1"], "at least 2"),
        (["-o", "curve.png"], "drawn as .html"),
        (["--mechanism", "nobody"], "mechanism must be one of"),
        (["--mechanism", "tem", "--setting", "a=1"], "leave the setting out"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_what_makes_no_sense_is_refused(calibrate, asked, said):
    done = calibrate(*asked, code=2)

    assert said in " ".join(done.stderr.decode().split())
    assert b"zebra" not in done.stderr
