"""Every mechanism through the command line: released, stated, and proven again."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from nomdeplume import Table, Vocabulary
from nomdeplume.cli.mechanisms import open_weights
from nomdeplume.cli.obfuscate import obfuscate
from nomdeplume.compose import COMPOSERS
from nomdeplume.decode import DECODERS
from nomdeplume.mechanism import MECHANISMS
from nomdeplume.mechanism.maps import MAPS
from nomdeplume.mechanism.menu import COMPOSINGS, DECODINGS
from tests.cli.conftest import COMMAND, here
from tests.waiting import PATIENCE

WORDS = [
    *("rain", "snow", "sunlight", "harbour", "fishing", "nets", "sailor", "bonfire", "hearth"),
    *("lamplight", "oil", "bread", "salt", "wine", "river", "lake", "gravel", "tower"),
]
TEXT = "Rain, snow and sunlight on the harbour; a sailor mended zyxoquant nets by the hearth."
SECRET = ("harbour", "sunlight", "sailor", "nets", "hearth", "zyxoquant", "mended")
OWN = ("--table", "t.txt", "--size", "6", "--epsilon", "6")
MEAN = ("--table", "t.txt", "--size", "6", "--budget", "6")
NEEDED = ("--table", "t.txt")
WEIGHTS = {  # files of weights that are none
    "numbers.tsv": "5\n2.5\n",
    "spaced.tsv": "lake\t5\nwine 2.5\n",
    "one-number.tsv": "lake\t5\n2.5\n",
    "nameless.tsv": "lake\t5\n \t2.5\n",
    "elsewhere.tsv": "unheard\t5\n",
}
OPTIONS = {  # of releases besides those of every mechanism as it is
    "listed": ("--mechanism", "exponential", "--vocabulary", "words.txt"),
    "listed laplace": ("--vocabulary", "words.txt"),
    "capitals": ("--vocabulary", "upper.txt"),
    "flat": ("--dimensions", "2", "--decode", "rank", "--setting", "c=0.3"),
    "weighted": ("--mechanism", "tem", "--weights", "zipf", "--setting", "beta=0.1"),
    "bayesian": ("--mechanism", "polar", "--decode", "bayes", "--weights", "w.tsv"),
    "ranked": ("--mechanism", "santext+", "--decode", "rank"),
    "narrow": ("--mechanism", "mahalanobis", "--setting", "mu=0.5"),
    "exactly": ("--mechanism", "exponential", "--setting", "a=0.5", "--epsilon", "1"),
}
AGAIN = {  # what must be given again
    "listed": ("--vocabulary", "words.txt"),
    "listed laplace": ("--vocabulary", "words.txt"),
    "capitals": ("--vocabulary", "upper.txt"),
    "weighted": ("--weights", "zipf"),
    "bayesian": ("--weights", "w.tsv"),
}
OPTIONS |= {name: ("--mechanism", name) for name in MECHANISMS if name != "standin"}
OPTIONS |= {
    "mean of vectors": ("--map", "vectors"),
    "mean, flat": ("--dimensions", "2", "--setting", "penalty=0.3"),
    "mean, drawn": ("--compose", "maxent", "--setting", "ridge=0.2"),
    "mean, listed": ("--vocabulary", "words.txt"),
    "mean, weighted": ("--weights", "zipf"),
}
AGAIN |= {"mean, listed": ("--vocabulary", "words.txt"), "mean, weighted": ("--weights", "zipf")}
REAL = ("exponential", "santext+", "listed")  # released and checked by processes of their own


def process(folder, *arguments):
    """The installed command."""
    return subprocess.run(
        [str(COMMAND), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
        timeout=PATIENCE,
        check=False,
    )


def name_of(kind):
    return f"{kind.replace(' ', '-')}.txt"


def stated(kind):
    return f"{name_of(kind)}.certificate.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mechanisms")
    vectors = np.random.default_rng(3).standard_normal((len(WORDS), 3)) * 2
    rows = (
        f"{word} {' '.join(f'{x:.4f}' for x in row)}\n"
        for word, row in zip(WORDS, vectors, strict=True)
    )
    (folder / "t.txt").write_text("".join(rows), encoding="utf-8")
    (folder / "in.txt").write_text(TEXT, encoding="utf-8")
    (folder / "words.txt").write_text("lake\n\nwine\nriver\nunheard\n", encoding="utf-8")
    (folder / "other.txt").write_text("lake\nwine\noil\n", encoding="utf-8")
    (folder / "upper.txt").write_text("Lake\nWINE\nlake\nriver\n", encoding="utf-8")
    (folder / "w.tsv").write_text("lake\t5\nwine\t2.5\n", encoding="utf-8")
    for name, lines in WEIGHTS.items():
        (folder / name).write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def releases(folder):
    """What was said about a release of each kind, and about the certificates of some."""

    def release(kind):
        run = process if kind in REAL else here
        own = MEAN if kind.startswith("mean") else OWN
        return run(folder, "obfuscate", "in.txt", "-o", name_of(kind), *own, *OPTIONS[kind])

    def check(kind):
        given = (*NEEDED, *AGAIN.get(kind, ()))
        return process(folder, "certificate", stated(kind), "--release", name_of(kind), *given)

    with ThreadPoolExecutor(2) as pool:
        released = dict(zip(REAL, pool.map(release, REAL), strict=True))
        checked = dict(zip(REAL, pool.map(check, REAL), strict=True))
    return {kind: released.get(kind) or release(kind) for kind in OPTIONS}, checked


@pytest.fixture
def call(folder, releases):
    def call(*arguments, code=0):
        done = here(folder, *arguments)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call


def read(folder, kind):
    return json.loads((folder / stated(kind)).read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_release_of_every_kind_has_a_certificate_that_is_true(releases, folder, call, kind):
    done = releases[0][kind]
    assert done.returncode == 0, done.stderr
    words = (folder / name_of(kind)).read_text(encoding="utf-8").split()
    given = (*NEEDED, *AGAIN.get(kind, ()))
    said = call("certificate", stated(kind), "--release", name_of(kind), *given)

    assert len(words) == 6
    assert words == sorted(words)
    assert set(words) <= set(WORDS)
    assert "All 9 checks passed" in said.stdout
    assert "✗" not in said.stdout
    expected = dict(zip(OPTIONS[kind][::2], OPTIONS[kind][1::2], strict=True))
    usual = "mean" if kind.startswith("mean") else "laplace"
    assert read(folder, kind)["mechanism"] == expected.get("--mechanism", usual)


@pytest.mark.parametrize("kind", REAL)
def test_an_installed_command_says_the_same(releases, kind):
    assert releases[1][kind].returncode == 0, releases[1][kind].stderr
    assert "All 9 checks passed" in releases[1][kind].stdout


@pytest.mark.parametrize("kind", OPTIONS)
def test_no_word_of_the_text_is_in_a_certificate_or_a_message(releases, folder, kind):
    said = releases[0][kind].stderr + (folder / stated(kind)).read_text(encoding="utf-8")

    assert "Certificate" in said
    assert not [word for word in SECRET if word in said.lower()]
    assert "Traceback" not in said


@pytest.mark.parametrize("kind", ["exponential", "tem", "santext+", "weighted"])
def test_what_was_found_is_stated(folder, releases, kind):
    settings = read(folder, kind)["settings"]
    epsilon = read(folder, kind)["epsilon"]

    assert settings["a"] <= settings["exact"] <= epsilon == 6
    assert settings["exact"] > epsilon * (1 - 1e-6)
    assert settings["textbook"] == 2 * settings["a"]


def test_settings_are_stated_as_they_were_given(folder, releases):
    flat = read(folder, "flat")["settings"]

    assert (flat["decode"], flat["c"], flat["dimensions"]) == ("rank", 0.3, 2)
    assert read(folder, "narrow")["settings"]["mu"] == 0.5
    assert read(folder, "weighted")["settings"]["beta"] == 0.1
    assert len(read(folder, "weighted")["settings"]["weights"]) == 64
    assert read(folder, "exactly")["settings"]["a"] == 0.5
    assert read(folder, "exactly")["epsilon"] == 1
    mean = read(folder, "mean, flat")["settings"]
    assert (mean["map"], mean["dimensions"], mean["penalty"]) == ("principal", 2, 0.3)
    drawn = read(folder, "mean, drawn")["settings"]
    assert (drawn["compose"], drawn["ridge"]) == ("maxent", 0.2)
    assert read(folder, "mean of vectors")["settings"]["map"] == "vectors"
    assert len(read(folder, "mean, weighted")["settings"]["weights"]) == 64


@pytest.mark.parametrize("kind", ["santext+", "ranked", "custext", "diffractor"])
def test_what_is_not_covered_is_said_in_report_and_certificate(releases, folder, call, kind):
    covers = read(folder, kind)["covers"]
    said = call("certificate", stated(kind), *NEEDED).stdout
    reported = releases[0][kind].stderr

    assert "The promise" in covers
    assert all(covers in promise["sentence"] for promise in read(folder, kind)["promises"])
    assert covers in " ".join(said.split())
    assert covers in " ".join(reported.split())


# Lists of words


@pytest.mark.parametrize("kind", ["listed", "listed laplace", "capitals"])
def test_only_words_of_the_list_come_out(releases, folder, kind):
    words = (folder / name_of(kind)).read_text(encoding="utf-8").split()

    assert set(words) <= {"lake", "wine", "river"}
    assert read(folder, kind)["output_words"] == 3
    assert read(folder, kind)["output_fingerprint"] != read(folder, kind)["kept_fingerprint"]


@pytest.mark.parametrize("kind", ["listed", "listed laplace"])
def test_a_list_must_be_given_again_and_be_the_same(call, kind):
    missing = call("certificate", stated(kind), *NEEDED, code=2)
    other = call("certificate", stated(kind), *NEEDED, "--vocabulary", "other.txt", code=3)

    assert "3 words that could come out; give their list with --vocabulary" in missing.stderr
    assert "statements" in other.stderr or "promises" in other.stderr


@pytest.mark.parametrize("kind", ["weighted", "bayesian"])
def test_weights_must_be_given_again_and_be_the_same(call, kind):
    missing = call("certificate", stated(kind), *NEEDED, code=2)
    other = {"weighted": "w.tsv", "bayesian": "zipf"}[kind]

    assert "give them with --weights" in missing.stderr
    call("certificate", stated(kind), *NEEDED, "--weights", other, code=3)


# Certificates that were changed


def lowered(path, factor=0.99):
    """A change of one number, given by the way to it."""

    def change(data):
        *way, last = path
        for step in way:
            data = data[step]
        data[last] *= factor

    return change


def replaced(path, value):
    def change(data):
        *way, last = path
        for step in way:
            data = data[step]
        data[last] = value

    return change


def promised_less(data):
    """Everything that is said about ε, a tenth lower, and its promises in agreement with it."""
    for entry in (data, *data["promises"]):
        entry["budget"] *= 0.9
    data["epsilon"] *= 0.9
    data["settings"]["exact"] *= 0.9
    for promise in data["promises"]:
        shown = f"{promise['budget']:.12g} ·"
        promise["formula"] = promise["formula"].replace("36 ·", shown)
        promise["sentence"] = promise["sentence"].replace("36 ·", shown)
        for odds in promise["odds"]:
            odds["loss"] *= 0.9
            odds["loss_at_delta"] *= 0.9


FORGED = {
    "exponential: epsilon": lowered(["epsilon"]),
    "exponential: everything": promised_less,
    "exponential: a lower": lowered(["settings", "a"]),
    "exponential: a higher": lowered(["settings", "a"], 1.01),
    "exponential: a hidden": replaced(["settings", "a"], 0),
    "exponential: a as text": replaced(["settings", "a"], "3"),
    "exponential: exact": lowered(["settings", "exact"], 0.9999),
    "exponential: textbook": lowered(["settings", "textbook"]),
    "exponential: nothing stated": replaced(["settings"], {}),
    "exponential: more stated": replaced(["settings", "certified"], 1),
    "exponential: budget": lowered(["budget"]),
    "exponential: promise": lowered(["promises", 1, "budget"]),
    "exponential: odds": lowered(["promises", 1, "odds", 0, "loss"]),
    "exponential: another name": replaced(["mechanism"], "laplace"),
    "tem: a": lowered(["settings", "a"]),
    "tem: beta": lowered(["settings", "beta"]),
    "tem: gamma": lowered(["settings", "gamma"]),
    "tem: metric": replaced(["metric"], "Euclidean distance"),
    "santext+: share": lowered(["settings", "share"], 0.5),
    "santext+: p": lowered(["settings", "p"], 2),
    "santext+: a": lowered(["settings", "a"], 1.01),
    "santext+: covers": replaced(["covers"], ""),
    "ranked: covers": replaced(["covers"], ""),
    "ranked: decode": replaced(["settings", "decode"], "nearest"),
    "custext: group": replaced(["settings", "group"], 10),
    "syntf: epsilon": lowered(["epsilon"]),
    "narrow: mu": replaced(["settings", "mu"], 0.4),
    "flat: dimensions": replaced(["settings", "dimensions"], 1),
    "flat: directions": replaced(["settings", "directions"], "0" * 64),
    "mean: epsilon": lowered(["epsilon"]),
    "mean: budget": lowered(["budget"]),
    "mean: promise": lowered(["promises", 0, "budget"]),
    "mean: stretch lower": lowered(["settings", "stretch"]),
    "mean: stretch a little lower": lowered(["settings", "stretch"], 1 - 1e-5),
    "mean: stretch higher": lowered(["settings", "stretch"], 1.01),
    "mean: stretch hidden": replaced(["settings", "stretch"], 0),
    "mean: stretch as text": replaced(["settings", "stretch"], "1"),
    "mean: map": replaced(["settings", "map"], "vectors"),
    "mean: share that stays": replaced(["unchanged"], 0.1),
    "mean: units": replaced(["unit_field"], "author"),
    "mean: odds": lowered(["promises", 1, "odds", 0, "loss"]),
    "mean of vectors: map": replaced(["settings", "map"], "principal"),
    "mean, flat: dimensions": replaced(["settings", "dimensions"], 3),
    "laplace: no share that stays": replaced(["unchanged"], None),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_changed_certificate_is_exit_3(folder, call, forgery):
    kind = forgery.partition(":")[0]
    data = read(folder, kind)
    whole = json.dumps(data)
    FORGED[forgery](data)
    (folder / "forged.json").write_text(json.dumps(data), encoding="utf-8")
    said = call("certificate", "forged.json", *NEEDED, code=3)

    assert json.dumps(data) != whole
    assert "✗" in said.stdout
    assert said.stderr.startswith("nomdeplume: not as the certificate says: ")


IMPOSSIBLE = {  # settings of releases that nobody can make
    "tem: beta": replaced(["settings", "beta"], 2),
    "tem: dimensions": replaced(["settings", "dimensions"], 5),
    "flat: decode": replaced(["settings", "decode"], 5),
    "flat: dimensions": replaced(["settings", "dimensions"], 9),
    "laplace: reduction": replaced(["reduction"], "foo"),
    "laplace: size": replaced(["size"], 0),
    "laplace: epsilon": replaced(["epsilon"], -6),
    "laplace: name": replaced(["mechanism"], "gauss"),
    "syntf: reduction": replaced(["reduction"], "apportion"),
    "mean: reduction": replaced(["reduction"], "sample"),
    "mean: map": replaced(["settings", "map"], "subjects"),
    "mean: compose": replaced(["settings", "compose"], "prose"),
    "mean, flat: dimensions": replaced(["settings", "dimensions"], 9),
    "mean: epsilon": replaced(["epsilon"], 1e-30),
    "laplace: vectors": replaced(["vectors"], value=True),
}


@pytest.mark.parametrize("forgery", IMPOSSIBLE)
def test_a_certificate_of_what_cannot_be_is_exit_3(folder, call, forgery):
    data = read(folder, forgery.partition(":")[0])
    IMPOSSIBLE[forgery](data)
    (folder / "forged.json").write_text(json.dumps(data), encoding="utf-8")
    said = call("certificate", "forged.json", *NEEDED, code=3)

    assert "✗ statements: no such release can be made" in said.stdout
    assert said.stderr == "nomdeplume: not as the certificate says: statements.\n"


def test_a_forgery_is_exit_3_for_the_installed_command_too(folder, releases):
    data = read(folder, "exponential")
    promised_less(data)
    (folder / "forged.json").write_text(json.dumps(data), encoding="utf-8")
    done = process(folder, "certificate", "forged.json", *NEEDED)

    assert done.returncode == 3
    assert "✗ promises: cannot be proven" in done.stdout


@pytest.mark.parametrize("number", ["1e999", "-1", "0.5", "1e30", "true", "null", "[1]", "-1e999"])
@pytest.mark.parametrize(
    ("kind", "setting"), [("flat", "dimensions"), ("exponential", "a"), ("custext", "group")]
)
def test_an_absurd_setting_is_no_accident(folder, releases, kind, setting, number):
    data = read(folder, kind)
    data["settings"][setting] = "HERE"
    text = json.dumps(data).replace('"HERE"', number)
    (folder / "forged.json").write_text(text, encoding="utf-8")
    done = here(folder, "certificate", "forged.json", *NEEDED)

    assert done.returncode in (2, 3)
    assert "unexpected" not in done.stderr


# What is refused


REFUSED = [
    (("--mechanism", "gauss"), "one of standin, mean, laplace, vickrey"),
    (("--mechanism", "exponential", "--decode", "vickrey"), "take rank"),
    (("--mechanism", "vickrey", "--decode", "rank"), "take laplace"),
    (("--mechanism", "vmf", "--dimensions", "2"), "not for vmf"),
    (("--dimensions", "9"), "dimensions"),
    (("--dimensions", "0"), "dimensions"),
    (("--mechanism", "custext", "--vocabulary", "words.txt"), "one vocabulary"),
    (("--mechanism", "exponential", "--vocabulary", "in.txt"), "none of the words"),
    (("--weights", "zipf"), "not for this"),
    (("--mechanism", "tem", "--weights", "nowhere.tsv"), "zipf or a file"),
    (("--mechanism", "tem", "--weights", "in.txt"), "a word, a tab and a number above 0"),
    *(
        (("--mechanism", "tem", "--weights", name), "a word, a tab and a number above 0")
        for name in WEIGHTS
        if name != "elsewhere.tsv"
    ),
    (
        ("--mechanism", "tem", "--weights", "elsewhere.tsv"),
        "no word of elsewhere.tsv is in table t",
    ),
    (("--mechanism", "mahalanobis", "--setting", "=5"), "NAME=NUMBER"),
    (("--mechanism", "mahalanobis", "--setting", "mu=much"), "NAME=NUMBER"),
    (("--mechanism", "mahalanobis", "--setting", "mu"), "NAME=NUMBER"),
    (("--mechanism", "mahalanobis", "--setting", "mu=7"), "mu must be"),
    (("--mechanism", "mahalanobis", "--setting", "mu=nan"), "mu must be"),
    (("--mechanism", "exponential", "--setting", "b=1"), "no setting b; it has a"),
    (("--mechanism", "custext", "--setting", "group=2.5"), "whole number"),
    (("--mechanism", "custext", "--setting", "group=inf"), "whole number"),
    (("--mechanism", "syntf", "--reduction", "apportion"), "must be sample, got apportion"),
    (("--mechanism", "syntf", "--decode", "rank", "--reduction", "apportion"), "must be sample"),
    (("--mechanism", "tem", "--epsilon", "-1"), "epsilon must be"),
    (("--mechanism", "tem", "--epsilon", "nan"), "epsilon must be"),
    (("--mechanism", "tem", "--epsilon", "2", "--budget", "3"), "not both"),
    (("--mechanism", "santext+", "--setting", "share=1"), "leave words to cover"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED, ids=[" ".join(each) for each, _ in REFUSED])
def test_bad_values_are_exit_2_and_one_line(folder, call, options, said):
    found = call("obfuscate", "in.txt", "-o", "none.txt", *OWN, *options, code=2)

    assert said in found.stderr
    assert found.stderr.startswith("nomdeplume: ")
    assert found.stderr.count("\n") == 1
    assert not [word for word in SECRET if word in found.stderr.lower()]
    assert not list(folder.glob("none*"))


def test_an_a_that_promises_less_is_a_refusal_for_privacy(folder, call):
    options = ("--mechanism", "exponential", "--setting", "a=6", "--epsilon", "6")
    found = call("obfuscate", "in.txt", "-o", "none.txt", *OWN, *options, code=3)

    assert "a = 6.0 promises" in found.stderr
    assert not list(folder.glob("none*"))


def test_the_options_name_every_mechanism_map_and_decoding():
    """They are spelled out, since --help must not wait for what makes mechanisms."""
    options = {each.name: each for each in obfuscate.params}
    listed = options["mechanism"].help.partition(";")[0].replace("or word by word ", "")

    assert listed.replace(" or ", ", ").split(", ") == list(MECHANISMS)
    assert list(options["decode"].type.choices) == list(DECODERS) == list(DECODINGS)
    assert list(options["map"].type.choices) == list(MAPS)
    assert list(options["compose"].type.choices) == list(COMPOSERS) == list(COMPOSINGS)


def test_words_without_a_weight_have_the_least(folder, releases):
    kept = Vocabulary.of(Table.open(folder / "t.txt"))
    weights = dict(zip(WORDS, open_weights(str(folder / "w.tsv"), kept), strict=True))

    assert weights == {**dict.fromkeys(WORDS, 2.5), "lake": 5}
    assert "without a line have the least" in " ".join(
        next(each.help for each in obfuscate.params if each.name == "weights").split()
    )


def test_an_unknown_decoding_is_exit_2(folder, call):
    assert "--decode" in call("obfuscate", "in.txt", *OWN, "--decode", "best", code=2).stderr


def test_a_mechanism_that_is_calibrated_is_audited(call):
    arguments = ("--mechanism", "exponential", "--epsilon", "1", "--instrument", "law")
    said = call("audit", *arguments, "--seconds", "1", *NEEDED)

    assert "chances of words are as their formula says" in said.stdout


def test_what_was_calibrated_is_remembered_between_runs(folder, call, monkeypatch, tmp_path):
    monkeypatch.setenv("NOMDEPLUME_CACHE", str(tmp_path))
    for name in ("one.txt", "two.txt"):
        call("obfuscate", "in.txt", "-o", name, *OWN, "--mechanism", "tem", "--epsilon", "1.25")
    [remembered] = (tmp_path / "calibrations").glob("*")
    one, two = (read(folder, name)["settings"] for name in ("one", "two"))

    assert one == two
    assert json.loads(remembered.read_text(encoding="utf-8"))["a"] == one["a"]
    call("certificate", stated("two"), "--release", "two.txt", *NEEDED)
