"""The document level through the command line: released, stated, refused, and proven again."""

import csv
import json
from hashlib import sha256

import numpy as np
import pytest

from nomdeplume import Table, Vocabulary
from nomdeplume.privacy.certificate import UNITS
from tests.cli.conftest import here

WORDS = [
    *("rain", "snow", "sunlight", "harbour", "fishing", "nets", "sailor", "bonfire", "hearth"),
    *("lamplight", "oil", "bread", "salt", "wine", "river", "lake", "gravel", "tower"),
]
CANARIES = ("zyxoquant", "wumblegorf", "vorplique")
RECORDS = [
    {"id": 11, "author": "Ann", "topic": "sea", "text": "Rain on zyxoquant harbour nets."},
    {"id": 12, "author": "Bob", "topic": "home", "text": "Bread, salt and wumblegorf wine."},
    {"id": 13, "author": " Ann ", "topic": "sea", "text": "A sailor, a sailor by the lake."},
    {"id": 14, "author": "Cid", "topic": "none", "text": "Vorplique!"},
    {"id": 15, "author": None, "topic": "sea", "text": "Snow on the tower, vorplique."},
]
OWN = ("--table", "t.txt", "--size", "6")


@pytest.fixture
def folder(tmp_path):
    vectors = np.random.default_rng(3).standard_normal((len(WORDS), 3)) * 2
    rows = (
        f"{word} {' '.join(f'{x:.4f}' for x in row)}\n"
        for word, row in zip(WORDS, vectors, strict=True)
    )
    (tmp_path / "t.txt").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "in.txt").write_text(RECORDS[0]["text"], encoding="utf-8")
    lines = "".join(json.dumps(each) + "\n" for each in RECORDS)
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


@pytest.fixture
def call(folder):
    def call(*arguments, code=0):
        done = here(folder, *map(str, arguments))
        assert done.returncode == code, done.stderr
        said = (done.stdout + done.stderr).lower()
        assert not [canary for canary in CANARIES if canary in said]
        return done

    return call


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stated(folder, name):
    return json.loads((folder / f"{name}.certificate.json").read_text(encoding="utf-8"))


# What is usual


def test_with_a_size_documents_are_released_at_once(call, folder):
    done = call("obfuscate", "in.txt", "-o", "out.txt", "--table", "t.txt", "--size", "100")
    certificate = stated(folder, "out.txt")
    words = (folder / "out.txt").read_text(encoding="utf-8").split()

    assert len(words) == 100
    assert words == sorted(words)
    assert set(words) <= set(WORDS)
    assert "with E = 20 per document" in done.stderr
    assert "exp(20 · W₁)" in " ".join(done.stderr.split())
    assert (certificate["mechanism"], certificate["reduction"]) == ("mean", "mean")
    assert certificate["budget"] == certificate["epsilon"] == 20
    assert certificate["unchanged"] is None
    assert certificate["settings"]["map"] == "principal"  # of a table without subjects
    assert [each["formula"] for each in certificate["promises"]] == [
        "loss ≤ 20 · ‖Δf‖",
        "loss ≤ 20 · W₁",
    ]


@pytest.mark.parametrize("size", [1, 6, 200])
def test_a_budget_is_for_the_document_whatever_its_size(call, folder, size):
    given = ("--budget", "7.5", "--size", size)
    call("obfuscate", "in.txt", "-o", "out.txt", "--table", "t.txt", *given)
    certificate = stated(folder, "out.txt")

    assert (certificate["mechanism"], certificate["budget"]) == ("mean", 7.5)
    assert certificate["epsilon"] == 7.5
    assert len((folder / "out.txt").read_text(encoding="utf-8").split()) == size


def test_the_word_level_is_asked_for_by_epsilon_or_by_name(call, folder):
    for name, given in {
        "a.txt": ("--epsilon", "3"),
        "b.txt": ("--mechanism", "laplace", "--budget", "18"),
        "c.txt": ("--epsilon", "3", "--decode", "rank"),
        "d.txt": ("--epsilon", "3", "--reduction", "apportion"),
    }.items():
        call("obfuscate", "in.txt", "-o", name, *OWN, *given)
        assert stated(folder, name)["mechanism"] == "laplace"
        assert (stated(folder, name)["epsilon"], stated(folder, name)["budget"]) == (3, 18)
        assert stated(folder, name)["unchanged"] is not None


@pytest.mark.parametrize("given", [("--decode", "rank"), ("--reduction", "apportion")])
def test_what_is_for_words_only_means_the_word_level(call, folder, given):
    call("obfuscate", "in.txt", "-o", "out.txt", *OWN, *given)

    assert stated(folder, "out.txt")["mechanism"] == "laplace"
    assert stated(folder, "out.txt")["epsilon"] == 6


MAPPED = {
    "vectors": ("--map", "vectors"),
    "principal": ("--map", "principal"),
    "principal in 2": ("--map", "principal", "--dimensions", "2"),
    "herding": ("--compose", "herding", "--setting", "penalty=0"),
    "maxent": ("--compose", "maxent"),
}


@pytest.mark.parametrize("kind", MAPPED)
def test_maps_and_composers_are_stated_and_proven_again(call, folder, kind):
    call("obfuscate", "in.txt", "-o", "out.txt", *OWN, *MAPPED[kind])
    settings = stated(folder, "out.txt")["settings"]
    given = dict(zip(MAPPED[kind][::2], MAPPED[kind][1::2], strict=True))
    release = ("--release", "out.txt", "--table", "t.txt")
    said = call("certificate", "out.txt.certificate.json", *release).stdout

    assert settings["map"] == given.get("--map", "principal")
    assert settings["compose"] == given.get("--compose", "herding")
    assert settings["dimensions"] == int(given.get("--dimensions", 3))
    assert 0 < settings["stretch"] <= 1 + 1e-6
    assert "All 9 checks passed" in said
    assert "of any length" in " ".join(said.split())
    assert "stay as they were" not in " ".join(said.split())


def test_a_changed_release_of_means_is_exit_3(call, folder):
    call("obfuscate", "in.txt", "-o", "out.txt", *OWN)
    path = folder / "out.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("\n", " zulu\n"), encoding="utf-8")
    release = ("--release", "out.txt", "--table", "t.txt")
    said = call("certificate", "out.txt.certificate.json", *release, code=3).stdout

    assert "✗ hash" in said
    assert "✗ size" in said
    assert "✗ vocabulary" in said


def test_on_the_bundled_table_subjects_are_told_and_proven_again(call, folder):
    """The words that read like subjects need no list: whoever checks can derive them."""
    call("obfuscate", "in.txt", "-o", "out.txt", "--size", "20")
    release = ("--release", "out.txt")
    said = call("certificate", "out.txt.certificate.json", *release).stdout

    assert stated(folder, "out.txt")["settings"]["map"] == "subjects"
    assert 1000 < stated(folder, "out.txt")["output_words"] < 2000
    assert "All 9 checks passed" in said


# Units


def test_texts_of_one_value_are_one_document(call, folder):
    done = call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, "--unit-field", "author", code=4)
    certificate = stated(folder, "o.jsonl")

    assert [set(each) for each in read(folder / "o.jsonl")] == [{"id", "text"}] * 3
    assert [each["id"] for each in read(folder / "o.jsonl")] == [1, 2, 3]
    assert "line 5: withheld: no value in field 'author'." in done.stderr
    assert certificate["documents"] == 3
    assert (certificate["unit_field"], certificate["kept_fields"]) == ("author", [])
    assert "one document, once" in certificate["several_documents"]
    checked = ("--release", "o.jsonl", "--table", "t.txt")
    assert "All 9" in call("certificate", "o.jsonl.certificate.json", *checked).stdout


def test_the_value_of_a_unit_comes_out_only_if_kept(call, folder):
    unit = ("--unit-field", "author", "--keep", "author")
    call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, *unit, code=4)

    assert [(r["id"], r["author"]) for r in read(folder / "o.jsonl")] == [
        (1, "Ann"),
        (2, "Bob"),
        (3, "Cid"),
    ]
    checked = ("--release", "o.jsonl", "--table", "t.txt")
    assert "All 10" in call("certificate", "o.jsonl.certificate.json", *checked).stdout


def test_the_words_of_a_unit_are_those_of_all_its_texts(call, folder):
    """Without noise, the release of a unit is that of its texts in one."""
    one = {"id": 1, "text": f"{RECORDS[0]['text']} {RECORDS[2]['text']}"}
    (folder / "one.jsonl").write_text(json.dumps(one), encoding="utf-8")
    sharp = ("--budget", "1e9", "--seed", "4")
    call("obfuscate", "in.jsonl", "-o", "a.jsonl", *OWN, *sharp, "--unit-field", "author", code=4)
    call("obfuscate", "one.jsonl", "-o", "b.jsonl", *OWN, *sharp)

    assert read(folder / "a.jsonl")[0]["text"] == read(folder / "b.jsonl")[0]["text"]


@pytest.mark.parametrize("given", [("--epsilon", "3"), ("--mechanism", "exponential")])
def test_units_are_for_the_word_level_too(call, folder, given):
    unit = ("--unit-field", "author", *given)
    call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, *unit, code=4)

    assert [each["id"] for each in read(folder / "o.jsonl")] == [1, 2, 3]
    assert stated(folder, "o.jsonl")["unit_field"] == "author"
    checked = ("--release", "o.jsonl", "--table", "t.txt")
    assert "All 9" in call("certificate", "o.jsonl.certificate.json", *checked).stdout


def test_a_unit_without_kept_words_is_public_or_withheld(call, folder):
    unit = ("--unit-field", "author", "--empty", "withhold")
    done = call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, *unit, code=4)

    assert "unit 3: withheld: no kept words." in done.stderr
    assert [each["id"] for each in read(folder / "o.jsonl")] == [1, 2]


# Vectors


def vector_of(value):
    return [float(x) for x in (value.split() if isinstance(value, str) else value)]


def released(folder, name):
    path = folder / name
    if name.endswith("jsonl"):
        return read(path)
    if name.endswith("csv"):
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    pa = pytest.importorskip("pyarrow")
    if name.endswith("parquet"):
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pylist()
    with pa.OSFile(str(path)) as raw:
        return pa.ipc.open_file(raw).read_all().to_pylist()


@pytest.mark.parametrize("name", ["o.jsonl", "o.csv", "o.parquet", "o.arrow"])
def test_noisy_means_come_out_beside_the_words(call, folder, name):
    seeded = ("--vectors", "--seed", "3", "--map", "principal", "--dimensions", "2")
    call("obfuscate", "in.jsonl", "-o", name, *OWN, *seeded)
    call("obfuscate", "in.jsonl", "-o", "plain.jsonl", *OWN, "--seed", "3", *seeded[3:])
    rows = released(folder, name)

    assert [set(row) for row in rows] == [{"id", "text", "vector", "warning"}] * 5
    assert [row["text"] for row in rows] == [each["text"] for each in read(folder / "plain.jsonl")]
    vectors = [vector_of(row["vector"]) for row in rows]
    assert {len(each) for each in vectors} == {2}
    assert len({tuple(each) for each in vectors}) == 5
    assert stated(folder, name)["vectors"] is True
    assert stated(folder, "plain.jsonl")["vectors"] is False
    checked = ("--release", name, "--table", "t.txt")
    assert "All 10" in call("certificate", f"{name}.certificate.json", *checked).stdout


def test_vectors_that_were_not_stated_are_found(call, folder):
    call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, "--vectors")
    forged = stated(folder, "o.jsonl") | {"vectors": False}
    (folder / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    checked = ("--release", "o.jsonl", "--table", "t.txt")
    said = call("certificate", "forged.json", *checked, code=3).stdout

    assert "✗ size: 0 of 5" in said


# What is refused


REFUSED = {
    "an epsilon for mean": (("--mechanism", "mean", "--epsilon", "6"), "no epsilon for a word"),
    "two spendings": (("--budget", "6", "--epsilon", "6"), "not both"),
    "no budget": (("--budget", "0"), "budget must be a finite number above 0"),
    "an endless budget": (("--budget", "inf"), "budget must be a finite number above 0"),
    "a budget too small for floats": (("--budget", "1e-12"), "the budget must be at least"),
    "an unknown map": (("--map", "thoughts"), "--map"),
    "an unknown composer": (("--compose", "prose"), "--compose"),
    "a map of words": (("--epsilon", "6", "--map", "vectors"), "one by one; take mean"),
    "a composer of words": (("--epsilon", "6", "--compose", "maxent"), "one by one; take mean"),
    "a decoding": (("--mechanism", "mean", "--decode", "rank"), "it decodes no word alone"),
    "a reduction": (
        ("--mechanism", "mean", "--reduction", "sample"),
        "its own way from a text to words",
    ),
    "subjects of no language": (("--map", "subjects"), "no subjects for table t"),
    "topics without features": (("--map", "topics"), "needs features"),
    "a learnt map without features": (("--map", "learnt"), "needs features"),
    "dimensions of vectors": (("--map", "vectors", "--dimensions", "2"), "dimensions that it has"),
    "too many dimensions": (("--map", "principal", "--dimensions", "4"), "dimensions"),
    "no dimensions": (("--dimensions", "0"), "dimensions"),
    "a setting of another composer": (("--setting", "ridge=1"), "no setting ridge"),
    "a penalty below 0": (("--setting", "penalty=-1"), "penalty must be"),
    "vectors of words": (("--epsilon", "6", "--vectors"), "has no mean to release"),
    "vectors as lines": (("--vectors", "-o", "none.txt"), "cannot hold vectors"),
    "a field that is not the unit's": (
        ("--unit-field", "author", "--keep", "topic"),
        "only the unit field itself",
    ),
    "a unit field that is not there": (("--unit-field", "autor"), "it has id, author, topic, text"),
    "the text as unit": (("--unit-field", "text"), "field"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_exit_2_and_writes_nothing(call, folder, case):
    options, said = REFUSED[case]
    name = "in.txt" if case == "vectors as lines" else "in.jsonl"
    output = () if "-o" in options else ("-o", "none.jsonl")
    done = call("obfuscate", name, *output, *OWN, *options, code=2)

    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not list(folder.glob("none*"))


def test_vectors_have_no_place_in_a_folder(call, folder):
    (folder / "letters").mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / "letters" / name).write_text(RECORDS[0]["text"], encoding="utf-8")
    done = call("obfuscate", "letters", "-o", "out", *OWN, "--vectors", code=2)

    assert "cannot hold vectors" in done.stderr
    assert not (folder / "out").exists()


# Features


@pytest.fixture
def fitted(call, folder):
    """Topic words and directions, fitted on public texts of two topics."""
    sides = {"sea": WORDS[:6], "home": WORDS[8:14]}
    public = [
        {"topic": topic, "text": " ".join(words[i % 3 : i % 3 + 4])}
        for topic, words in sides.items()
        for i in range(12)
    ]
    lines = "".join(json.dumps(each) + "\n" for each in public)
    (folder / "public.jsonl").write_text(lines, encoding="utf-8")
    given = ("--words", "8", "--dimensions", "1")
    call("features", "fit", "public.jsonl", "-o", "my.features", "--table", "t.txt", *given)
    return folder / "my.features"


def test_a_release_with_features_is_proven_with_them_only(call, folder, fitted):
    given = ("--table", "t.txt", "--features", "my.features")
    call("obfuscate", "in.txt", "-o", "out.txt", "--size", "6", *given)
    release = ("--release", "out.txt")
    said = call("certificate", "out.txt.certificate.json", *release, *given).stdout
    without = call("certificate", "out.txt.certificate.json", *release, *given[:2], code=2).stderr

    assert stated(folder, "out.txt")["mechanism"] == "mean"
    assert stated(folder, "out.txt")["features"]
    assert "All 9 checks passed" in said
    assert "--features" in without


def test_words_weigh_as_public_texts_hold_them(call, folder, fitted):
    given = ("--table", "t.txt", "--features", "my.features", "--weights", "features")
    call("obfuscate", "in.txt", "-o", "out.txt", "--size", "6", *given)
    check = ("certificate", "out.txt.certificate.json", "--release", "out.txt")
    lacking = call("obfuscate", "in.txt", *OWN, "--weights", "features", code=2).stderr

    assert "weights" in stated(folder, "out.txt")["settings"]
    assert "All 9 checks passed" in call(*check, *given).stdout
    assert "give them with --weights" in call(*check, *given[:4], code=2).stderr
    assert "needs --features" in lacking


# Between two texts


@pytest.fixture
def between(call, folder):
    (folder / "a.txt").write_text("rain rain snow harbour zyxoquant", encoding="utf-8")
    (folder / "b.txt").write_text("bread wine", encoding="utf-8")

    def between(*options):
        return call("distance", "a.txt", "b.txt", "--table", "t.txt", *options)

    return between


def test_a_budget_is_said_of_means_between_texts_of_any_lengths(between, folder):
    facts = json.loads(between("--budget", "5", "--json").stdout)
    said = " ".join(between("--budget", "5").stdout.split())
    table = Table.open(folder / "t.txt")
    kept = Vocabulary.of(table)
    release = facts["release"]

    assert release["mechanism"] == "mean"
    assert release["formula"] == "loss ≤ 5 · W₁"
    assert release["loss"] == pytest.approx(5 * release["distance"])
    assert 0 < release["loss_of_means"] < release["loss"]
    assert "composed from a noisy mean at E = 5" in said
    assert "Between these two it is less: their mean features are" in said
    assert len(kept) == len(WORDS)


def test_a_budget_word_by_word_is_asked_for_by_a_reduction(between):
    facts = json.loads(
        between("--budget", "6", "--size", "3", "--reduction", "apportion", "--json").stdout
    )

    assert facts["release"]["mechanism"] == "laplace"
    assert facts["release"]["formula"] == "loss ≤ 6 · W₁"
    assert "loss_of_means" not in facts["release"]


def test_up_to_delta_no_more_is_lost_than_by_means(between):
    facts = json.loads(between("--budget", "5", "--delta", "1e-6", "--json").stdout)["release"]

    assert 0 < facts["loss_at_delta"] <= facts["loss_of_means"] * (1 + 1e-9)


def test_losses_of_several_documents_add_up(between):
    one = json.loads(between("--budget", "5", "--json").stdout)["release"]
    many = json.loads(between("--budget", "5", "--documents", "12", "--json").stdout)["release"]

    assert many["loss"] == pytest.approx(12 * one["loss"])
    assert many["loss_of_means"] == pytest.approx(12 * one["loss_of_means"])


def forged(folder, name, change, rows):
    """A release with other rows under a certificate that says so, but for its hash."""
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / name).write_text(text, encoding="utf-8")
    output = {"kind": "jsonl", "sha256": sha256(text.encode()).hexdigest()}
    facts = stated(folder, name) | change | {"output": output}
    (folder / f"{name}.certificate.json").write_text(json.dumps(facts), encoding="utf-8")


VECTORS = {
    "a sentence": "a text that was never released",
    "numbers that are not on the grid": [0.1, 0.2, 0.3],
    "more numbers": [0.0] * 30,
    "nothing": None,
}


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_a_vector_that_is_no_noisy_mean_is_found(call, folder, vector):
    call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, "--vectors")
    check = ("certificate", "o.jsonl.certificate.json", "--release", "o.jsonl", "--table", "t.txt")
    rows = [json.loads(line) for line in (folder / "o.jsonl").read_text().splitlines()]
    call(*check)
    rows[0]["vector"] = vector
    forged(folder, "o.jsonl", {}, rows)

    assert "vectors" in call(*check, code=3).stderr


def test_documents_that_are_no_units_are_found(call, folder):
    call("obfuscate", "in.jsonl", "-o", "o.jsonl", *OWN, "--keep", "topic")
    rows = [json.loads(line) for line in (folder / "o.jsonl").read_text().splitlines()]
    rows = [row | {"topic": "one"} for row in rows]

    forged(folder, "o.jsonl", {"unit_field": "topic", "several_documents": UNITS}, rows)
    check = ("certificate", "o.jsonl.certificate.json", "--release", "o.jsonl", "--table", "t.txt")

    assert "units" in call(*check, code=3).stderr
    forged(folder, "o.jsonl", {"unit_field": "author"}, rows)
    assert "statements" in call(*check, code=3).stderr


def test_a_folder_of_units_is_numbered(call, folder):
    (folder / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / "texts" / name).write_text(f"{WORDS[0]} {WORDS[1]}", encoding="utf-8")
    call("obfuscate", "texts", "-o", "out", *OWN, "--unit-field", "name")

    assert len(list((folder / "out").iterdir())) == 2
