import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nomdeplume import Features, Table, Vocabulary, fit_features

SEA = ["ship", "harbour", "boat", "sail", "anchor", "wave"]
LAND = ["field", "wheat", "barn", "cow", "tractor", "soil"]


def texts(own, start):
    """Ten public texts of common words and of a topic's own, each of other ones."""
    return [
        f"people in the house say year {'and day ' * n} {own[n % 6]} {own[(n + start) % 6]}"
        for n in range(10)
    ]


PUBLIC = [{"id": n, "text": text, "topic": "sea"} for n, text in enumerate(texts(SEA, 1))]
PUBLIC += [{"id": 10 + n, "text": text, "topic": "land"} for n, text in enumerate(texts(LAND, 2))]
PRIVATE = [{"id": 1, "text": "My boat left the harbour."}, {"id": 2, "text": "Nothing at all."}]


def jsonl(path, records):
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")


WORDS = [*SEA, *LAND, "people", "house", "say", "year", "day", "left", "nothing"]
TABLE = ["--table", "t.txt"]  # small, so that every process is quick


FIELDS = {"body": "text", "section": "topic"}


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{word} {n % 5} {n // 5}\n" for n, word in enumerate(WORDS))
    (tmp_path / "t.txt").write_text(rows, encoding="utf-8")
    jsonl(tmp_path / "public.jsonl", PUBLIC)
    jsonl(tmp_path / "private.jsonl", PRIVATE)
    return tmp_path


@pytest.fixture
def fitted(folder):
    fit(folder, 12, "my.features")
    return folder


def fit(folder, words, name, **options):
    texts, topics = ([each[name] for each in PUBLIC] for name in ("text", "topic"))
    kept = Vocabulary.of(Table.open(folder / "t.txt"))
    fit_features(texts, topics, kept, words=words, **options).save(folder / name)


def test_words_are_chosen_and_shown(run, folder):
    said = run(
        "features", "fit", "public.jsonl", "--words", 12, "-o", "my.features"
    ).stdout.decode()
    shown = run("features", "show", "my.features").stdout.decode()
    facts = json.loads(run("features", "show", "my.features", "--json").stdout)

    assert "12 words chosen by χ² on 20 public texts" in said
    assert "100.0 % of the texts are told right from these words" in said
    assert said == f"my.features: {shown}"
    assert set(facts["words"]) == {*SEA, *LAND}
    assert (facts["topics"], facts["texts"], facts["leaks"]) == (2, 20, False)


def test_a_release_is_of_topic_words_and_its_certificate_is_checked(run, fitted):
    done = run("obfuscate", "private.jsonl", "-o", "out.jsonl", *TABLE, "--features", "my.features")
    stated = json.loads((fitted / "out.jsonl.certificate.json").read_text(encoding="utf-8"))
    lines = (fitted / "out.jsonl").read_text(encoding="utf-8").splitlines()
    check = ["certificate", "out.jsonl.certificate.json", "--release", "out.jsonl"]
    said = run(*check, *TABLE, "--features", "my.features").stdout.decode()

    assert "1 text had no topic word" in " ".join(done.stderr.decode().split())
    assert {word for line in lines for word in json.loads(line)["text"].split()} <= {*SEA, *LAND}
    assert stated["features"].startswith("12 words chosen by χ² on 20 public texts (fingerprint")
    assert stated["kept_words"] == 12
    assert "All 9 checks passed" in said
    assert "Features: 12 words" in " ".join(said.split())
    assert b"give their file with --features" in run(*check, code=2).stderr

    fit(fitted, 6, "other.features")
    other = run(*check[:2], *TABLE, "--features", "other.features", code=3).stdout.decode()
    assert "✗ kept vocabulary" in other


def test_texts_that_it_was_fitted_on_are_refused_and_nothing_is_written(run, fitted):
    """Though the one that is known again comes last, after whole batches of others."""
    jsonl(fitted / "mixed.jsonl", [*(PRIVATE * 100), PUBLIC[3]])
    release = ["obfuscate", "mixed.jsonl", "-o", "out.jsonl", *TABLE]
    done = run(*release, "--features", "my.features", code=3)

    assert b"--i-know-this-leaks" in done.stderr
    assert b"people" not in done.stderr
    assert sorted(path.name for path in fitted.iterdir()) == [
        "mixed.jsonl", "my.features", "private.jsonl", "public.jsonl", "t.txt", "tmp",
    ]  # fmt: skip


def test_who_knows_that_it_leaks_is_told_so_everywhere(run, folder):
    fit = ["features", "fit", "public.jsonl", "--words", 5, *TABLE, "-o", "my.features"]
    said = [run(*fit, "--i-know-this-leaks").stdout, run("features", "show", "my.features").stdout]
    shown = run("features", "show", "my.features", "--json").stdout
    release = ["obfuscate", "public.jsonl", "-o", "out.jsonl", *TABLE, "--features", "my.features"]
    said.append(run(*release).stderr)
    certificate = ["certificate", "out.jsonl.certificate.json", *TABLE, "--features", "my.features"]
    said.append(run(*certificate).stdout)

    assert all("FITTED ON THE PRIVATE TEXTS" in " ".join(each.decode().split()) for each in said)
    for each in said[2:]:
        plainly = " ".join(each.decode().split())
        assert plainly.startswith("NOT PRIVATE: the topic words were fitted on the private texts")
        assert "Of all but the choice of topic words, this holds:" in plainly
        assert "If the noise" not in plainly
    assert json.loads(shown)["words"] == []
    assert not [word for word in (*SEA, *LAND) if word.encode() in said[0] + said[1]]
    assert (folder / "my.features").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["out.jsonl", "out.txt"])
def test_files_of_leaking_features_are_not_marked_and_are_checked(run, fitted, name):
    fit(fitted, 5, "my.features", leaks=True)
    (fitted / "in.txt").write_text("A ship, a boat, a barn and a cow.", encoding="utf-8")
    own = [*TABLE, "--features", "my.features"]
    check = ["certificate", f"{name}.certificate.json", "--release", name, *own]
    run("obfuscate", "in.txt", "-o", name, *own)
    stated = json.loads((fitted / check[1]).read_text(encoding="utf-8"))

    assert "NOT PRIVATE" not in (fitted / name).read_text(encoding="utf-8")
    assert (stated["private"], stated["seeded"]) == (False, False)
    assert b"All 9 checks passed" in run(*check).stdout

    (fitted / check[1]).write_text(json.dumps(stated | {"private": True, "warning": ""}), "utf-8")
    assert b"do not follow: private, warning" in run(*check, code=3).stdout
    (fitted / check[1]).write_text(json.dumps(stated), encoding="utf-8")
    mark = {"out.txt": "# NOT PRIVATE\n", "out.jsonl": '{"text": "# NOT PRIVATE"}\n'}[name]
    marked = mark + (fitted / name).read_text(encoding="utf-8")
    (fitted / name).write_text(marked, encoding="utf-8")
    assert "✗ documents: 2 found" in run(*check, code=3).stdout.decode()


def test_seeded_and_leaking_is_said_of_both(run, fitted):
    fit(fitted, 5, "my.features", leaks=True)
    own = [*TABLE, "--features", "my.features"]
    run("obfuscate", "private.jsonl", "-o", "out.csv", *own, "--seed", 1)
    check = ["certificate", "out.csv.certificate.json", "--release", "out.csv", *own]
    said = " ".join(run(*check).stdout.decode().split())

    assert said.count("NOT PRIVATE: ") == 2
    assert "Of all but the choice of topic words, if the noise were secret, this would hold" in said


def test_kept_words_are_said_to_be_topic_words(run, fitted):
    own = [*TABLE, "--features", "my.features"]
    run("obfuscate", "private.jsonl", "-o", "out.jsonl", *own)
    run("obfuscate", "private.jsonl", "-o", "all.jsonl", *TABLE, "--budget", "20")
    topical = run("certificate", "out.jsonl.certificate.json", *own).stdout.decode()
    usual = run("certificate", "all.jsonl.certificate.json", *TABLE).stdout.decode()
    kept = "12 of them kept after the stop words (short-en) as topic words; a text"

    assert kept in " ".join(topical.split())
    assert "that are no stop words and are topic words." in " ".join(topical.split())
    assert "that are no stop words. Deleting" in " ".join(usual.split())
    assert "topic words" not in usual


def test_directions_must_be_there_and_of_the_table(run, fitted):
    fit(fitted, 12, "my.features", dimensions=1)
    rows = (fitted / "t.txt").read_text(encoding="utf-8").replace("ship 0 0", "ship 0 9")
    (fitted / "u.txt").write_text(rows, encoding="utf-8")
    release = ["obfuscate", "private.jsonl", "--features", "my.features"]
    more = run(*release, *TABLE, "--dimensions", 2, code=2).stderr.decode()
    other = run(*release, "--table", "u.txt", "--dimensions", 1, code=2).stderr.decode()

    assert "hold 1 directions, asked was for 2; fit features with --dimensions 2" in more
    assert "are not those of table u; fit features with this table" in other
    run(*release, "-o", "out.jsonl", *TABLE, "--dimensions", 1)
    check = ["certificate", "out.jsonl.certificate.json", "--features", "my.features", *TABLE]
    assert b"All 4 checks passed" in run(*check).stdout


def test_the_fewest_words_are_found(run, folder):
    options = ["--keep-topic", ".8", "--dimensions", 2, "--method", "mutual-information"]
    done = run("features", "fit", "public.jsonl", *TABLE, *options, "-o", "my.features")
    found = Features.open(folder / "my.features")

    assert 1 <= len(found) < 12
    assert found.accuracy >= 0.8 * found.accuracy_all
    assert found.directions.shape == (2, 2)
    assert b"mutual information" in done.stdout
    assert b"2 of 2 directions" in done.stdout


@pytest.mark.parametrize("name", ["public.parquet", "public.csv"])
def test_other_formats_are_read_too(run, fitted, name):
    columns = {new: [each[old] for each in PUBLIC] for new, old in FIELDS.items()}
    pq.write_table(pa.table(columns), fitted / "public.parquet")
    rows = "".join(f"{','.join(row)}\n" for row in zip(*columns.values(), strict=True))
    (fitted / "public.csv").write_text(f"body,section\n{rows}", encoding="utf-8")
    named = ["--text-field", "body", "--topic-field", "section"]
    run("features", "fit", name, "-o", "new.features", "--words", 12, *TABLE, *named)
    one, other = (Features.open(fitted / f"{each}.features") for each in ("my", "new"))

    assert one.fingerprint == other.fingerprint


def test_texts_without_a_topic_are_counted_and_refused(run, folder):
    lacking = [{"id": 1, "text": "rain"}, {"id": 2, "text": "rain", "topic": ""}]
    jsonl(folder / "some.jsonl", [*PUBLIC, *lacking])
    done = run("features", "fit", "some.jsonl", *TABLE, "-o", "my.features", code=2)

    assert b"got 2 of 22 without one" in done.stderr
    assert not (folder / "my.features").exists()


def test_what_cannot_be_read_is_left_out_and_said(run, folder):
    with (folder / "public.jsonl").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    done = run("features", "fit", "public.jsonl", *TABLE, "-o", "my.features", code=4)

    assert b"line 21: left out" in done.stderr
    assert b"20 public texts" in done.stdout


@pytest.mark.parametrize(
    ("said", "options"),
    [
        (b"exists; choose another name, or say --force", ["-o", "private.jsonl"]),
        (b"must not be or hold one another", ["-o", "public.jsonl", "--force"]),
        (b"no field 'kind' in the input", ["-o", "x", "--topic-field", "kind"]),
        (b"not both", ["-o", "x", "--words", "5", "--keep-topic", ".5"]),
        (b"No such option", ["-o", "x", "--features", "public.jsonl"]),
    ],
)
def test_what_does_not_go_is_said(run, folder, said, options):
    assert said in run("features", "fit", "public.jsonl", *TABLE, *options, code=2).stderr


def test_other_commands_take_features(run, fitted):
    (fitted / "a.txt").write_text("a boat in the house", encoding="utf-8")
    (fitted / "b.txt").write_text("a boat of the people", encoding="utf-8")
    far = json.loads(run("distance", "a.txt", "b.txt", "--json", *TABLE).stdout)["distance"]
    near = run("distance", "a.txt", "b.txt", "--json", *TABLE, "--features", "my.features").stdout

    assert far > 0
    assert json.loads(near)["distance"] == 0


def test_a_table_without_the_words_is_said(run, fitted):
    (fitted / "u.txt").write_text("apple 0 0\npear 0 1\n", encoding="utf-8")
    done = run(
        "obfuscate", "private.jsonl", "--table", "u.txt", "--features", "my.features", code=2
    )

    assert b"none of the 12 topic words is a kept word of table u" in done.stderr


def test_a_file_of_something_else_is_exit_2(run, folder):
    done = run("obfuscate", "private.jsonl", *TABLE, "--features", "public.jsonl", code=2)

    assert b"features must be JSON" in done.stderr
    assert b"people" not in done.stderr
