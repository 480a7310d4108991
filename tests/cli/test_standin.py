"""Stand-ins on the command line: released, certified, charged, by workers and by shards."""

import json
from math import log

import pytest

from nomdeplume import Ledger, Table, Vocabulary
from nomdeplume.formats.released import records
from nomdeplume.library import Library, Passage

SHIPPED = Library.shipped("en")
POSTS = [
    {"id": n, "author": "Ann" if n % 2 else "Bob", "text": f"The dough rests {n} hours, Vorplique."}
    for n in range(12)
]


@pytest.fixture
def posts(tmp_path):
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in POSTS), encoding="utf-8")
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_letter_becomes_a_public_text(run, tmp_path):
    (tmp_path / "letter.txt").write_text("The dough rests.", encoding="utf-8")
    done = run("obfuscate", "letter.txt")

    assert done.stdout.decode().strip() in SHIPPED.texts
    said = " ".join(done.stderr.decode().split())
    assert "Nobody's odds between any two texts change by more than 100 to 1" in said
    assert "21 in 100 releases are one of the 867 that fit less well" in said
    assert len(done.stderr.decode().splitlines()) < 8


@pytest.mark.parametrize(
    ("given", "mechanism"),
    [
        ("", "standin"),
        ("--library my.library", "standin"),
        ("--odds 7", "standin"),
        ("--as words", "standin"),
        ("--budget 5", "mean"),
        ("--size 9", "mean"),
        ("--vectors", "mean"),
        ("--map subjects", "mean"),
        ("--dimensions 3", "mean"),
        ("--vocabulary words.txt", "mean"),
        ("--weights zipf", "mean"),
        ("--features topics.features", "mean"),
        ("--epsilon 5", "laplace"),
        ("--decode rank", "laplace"),
        ("--reduction apportion", "laplace"),
    ],
)
def test_the_mechanism_follows_from_what_is_given(run, tmp_path, posts, given, mechanism):
    (tmp_path / "words.txt").write_text("bread\nharbour\nhours\n", encoding="utf-8")
    few = Library(SHIPPED.passages[:9])
    (tmp_path / "my.library").write_text(few.to_jsonl(), encoding="utf-8")
    if "--features" in given:
        news = [{"text": f"{each} wind {n % 3}", "topic": each} for n in range(9)
                for each in ("rain snow", "bread soup")]  # fmt: skip
        lines = "".join(f"{json.dumps(each)}\n" for each in news)
        (tmp_path / "news.jsonl").write_text(lines, encoding="utf-8")
        run("features", "fit", "news.jsonl", "-o", "topics.features", "--words", "4")
    run("obfuscate", "posts.jsonl", "-o", "out.jsonl", *given.split())

    stated = json.loads((tmp_path / "out.jsonl.certificate.json").read_text(encoding="utf-8"))
    assert stated["mechanism"] == mechanism


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--mechanism standin --size 9", "a size and a reduction are for words"),
        ("--odds 9 --reduction sample", "a size and a reduction are for words"),
        ("--odds 9 --budget 9", "give odds alone"),
        ("--as words --budget 9", "has odds, and no budget"),
        ("--as text --mechanism mean", "--as is for stand-ins"),
        ("--as words --library foreign.library", "text '1' of library foreign has no kept words"),
        ("--as words --library twins.library", "has the kept words of text '0'"),
        ("--odds 9 --keep standin", "is the id of a stand-in"),
        ("--table german.safetensors", "no public texts ship for the language 'de'"),
    ],
)
def test_what_does_not_go_together_is_refused(run, tmp_path, given, said):
    (tmp_path / "posts.jsonl").write_text('{"text": "Rain.", "standin": 1}\n', encoding="utf-8")
    for name, texts in {
        "foreign": ("The fence.", "Qwxzv zzqqx.", "A boat."),
        "twins": ("The fence and the hedge.", "A hedge, a fence!", "A boat."),
    }.items():
        few = Library(tuple(Passage(str(i), text) for i, text in enumerate(texts)), name=name)
        (tmp_path / f"{name}.library").write_text(few.to_jsonl(), encoding="utf-8")
    table = Table(("regen", "hafen", "brot"), [[0, 1], [1, 0], [1, 1]], language="de")
    table.save(tmp_path / "german.safetensors")
    done = run("obfuscate", "posts.jsonl", "-o", "out.jsonl", *given.split(), code=2)

    assert said in done.stderr.decode()
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet"])
def test_each_record_names_its_public_text(run, tmp_path, posts, name):
    run("obfuscate", "posts.jsonl", "-o", name, "--workers", "1")

    found = [dict(each) for each in records(tmp_path / name, name.partition(".")[2])]
    assert [SHIPPED[each["standin"]].text for each in found] == [each["text"] for each in found]
    run("certificate", f"{name}.certificate.json", "--release", name)


def test_an_id_of_another_text_is_found(run, tmp_path, posts):
    run("obfuscate", "posts.jsonl", "-o", "out.jsonl")
    path = tmp_path / "out.jsonl"
    first = lines(path)[0]["standin"]
    other = next(each.id for each in SHIPPED.passages if each.id != first)
    path.write_text(path.read_text(encoding="utf-8").replace(f'"{first}"', f'"{other}"', 1))
    done = run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", code=3)

    assert "11 of 12 that are one of the public texts" in done.stdout.decode()


def test_words_of_public_texts_come_out(run, tmp_path, posts):
    run("obfuscate", "posts.jsonl", "-o", "out.jsonl", "--as", "words")
    kept = Vocabulary.of(Table.bundled())

    for each in lines(tmp_path / "out.jsonl"):
        assert each["text"].split() == sorted(each["text"].split())
        assert kept.bag(each["text"]).counts.sum() == len(each["text"].split())
        assert each["text"] == kept.words_of(SHIPPED[each["standin"]].text)
    run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl")
    wrong = run("library", "counts", "out.jsonl", code=2)
    assert "this release has their words" in wrong.stderr.decode()


def test_records_are_released_charged_and_certified(run, tmp_path, posts):
    ask = ["obfuscate", "posts.jsonl", "--odds", "100", "--author-field", "author"]
    run(*ask, "-o", "out.jsonl", "--ledger", "l", "--limit", "30", "--workers", "2")

    found = lines(tmp_path / "out.jsonl")
    assert [each["id"] for each in found] == list(range(1, 13))
    assert {each["text"] for each in found} <= set(SHIPPED.texts)
    with Ledger(tmp_path / "l") as ledger:
        spent = ledger.spent(ledger.claims.by_author("Ann")).budget
    assert spent == pytest.approx(6 * log(100), abs=1e-4)
    said = run(
        "certificate", "out.jsonl.certificate.json", "--release", "out.jsonl"
    ).stdout.decode()
    assert "12 of 12 that are one of the public texts" in said
    assert "best 32" in said
    run(*ask, "-o", "more.jsonl", "--ledger", "l", "--limit", "30", code=3)


@pytest.mark.parametrize("change", ["a word of a text", "the odds", "the tickets", "the library"])
def test_a_changed_release_or_certificate_is_found(run, tmp_path, posts, change):
    run("obfuscate", "posts.jsonl", "--odds", "50", "-o", "out.jsonl")
    path = tmp_path / "out.jsonl.certificate.json"
    stated = json.loads(path.read_text(encoding="utf-8"))
    if change == "a word of a text":
        text = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
        (tmp_path / "out.jsonl").write_text(text.replace(" the ", " a ", 1), encoding="utf-8")
    elif change == "the odds":
        stated["epsilon"] = 20
    elif change == "the tickets":
        stated["settings"]["tickets"] += 1
    else:
        stated["settings"]["fingerprint"] = "0" * 64
    path.write_text(json.dumps(stated), encoding="utf-8")
    done = run("certificate", "out.jsonl.certificate.json", "--release", "out.jsonl", code=3)

    assert "not as the certificate says" in done.stderr.decode()


def test_texts_of_an_author_become_one_standin(run, tmp_path, posts):
    ask = ["obfuscate", "posts.jsonl", "--odds", "100", "--unit-field", "author"]
    run(*ask, "--keep", "author", "-o", "out.jsonl", "--ledger", "l", "--limit", "9")

    found = lines(tmp_path / "out.jsonl")
    assert [each["author"] for each in found] == ["Bob", "Ann"]
    assert {each["text"] for each in found} <= set(SHIPPED.texts)
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.spent(ledger.claims.by_author("Ann")).budget == pytest.approx(
            log(100), abs=1e-4
        )
    said = run(
        "certificate", "out.jsonl.certificate.json", "--release", "out.jsonl"
    ).stdout.decode()
    assert "however many they are" in said


def test_the_cost_of_many_texts_is_said_in_numbers(run, posts):
    said = run("obfuscate", "posts.jsonl", "--odds", "10", "-o", "out.jsonl").stderr.decode()

    assert "up to e^11.6 (about 10^5) to 1, 20 by up to e^46.1" in " ".join(said.split())


def test_counts_of_fields_are_estimated(run, tmp_path, posts):
    run("obfuscate", "posts.jsonl", "--odds", "100", "-o", "out.jsonl")
    told = json.loads(run("library", "counts", "out.jsonl", "--json").stdout)
    said = run("library", "counts", "out.jsonl").stdout.decode()

    assert sum(each["released"] for each in told) == 12
    assert sum(each["estimate"] for each in told) == pytest.approx(12)
    assert [each["field"] for each in told] == list(SHIPPED.fields)
    assert "estimated   95 % interval" in said
    (tmp_path / "my.library").write_text(Library(SHIPPED.passages[:9]).to_jsonl(), encoding="utf-8")
    wrong = run("library", "counts", "out.jsonl", "--library", "my.library", code=2)
    assert "not of this library" in wrong.stderr.decode()
    assert "no certificate" in run("library", "counts", "posts.jsonl", code=2).stderr.decode()


def test_epsilon_is_rounded_down_to_whole_odds(run, tmp_path, posts):
    ask = ["obfuscate", "posts.jsonl", "--mechanism", "standin", "-o", "out.jsonl"]
    said = run(*ask, "--epsilon", "5").stderr.decode()

    assert "with odds of 148 to 1." in said
    assert "by more than 148 to 1" in " ".join(said.split())


def test_shards_become_shards_of_public_texts(run, tmp_path, posts):
    (tmp_path / "in").mkdir()
    posts.rename(tmp_path / "in" / "a.jsonl")
    run("obfuscate", "in", "-o", "out", "--engine", "pool", "--workers", "1", "--odds", "9")

    [shard] = (tmp_path / "out").glob("part-*")
    assert {each["text"] for each in lines(shard)} <= set(SHIPPED.texts)


def test_a_library_of_ones_own(run, tmp_path, posts):
    public = [
        {
            "text": f"Public passage {n} about ships in the harbor.",
            "title": f"ship {n}",
            "topic": "sea",
        }
        for n in range(5)
    ]
    (tmp_path / "public.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in public), encoding="utf-8"
    )
    said = run(
        "library", "build", "public.jsonl", "-o", "my.library", "--licence", "CC0-1.0"
    ).stderr
    assert b"Wrote 5 texts to my.library." in said
    run(
        "obfuscate",
        "posts.jsonl",
        "--library",
        "my.library",
        "--setting",
        "best=2",
        "-o",
        "o.jsonl",
    )

    assert {each["text"] for each in lines(tmp_path / "o.jsonl")} <= {p["text"] for p in public}
    told = run("library", "info", "--library", "my.library").stdout.decode()
    assert told.startswith("Library my: 5 texts, language en, licence CC0-1.0.")
    assert "ship 3 · sea" in run("library", "show", "4", "--library", "my.library").stdout.decode()
    ask = ["certificate", "o.jsonl.certificate.json", "--release", "o.jsonl"]
    assert "--library" in run(*ask, code=2).stderr.decode()
    run(*ask, "--library", "my.library")


def test_the_clearest_texts_of_each_topic_are_kept(run, tmp_path):
    public = [
        {"text": f"The {subject} of {n} and the {subject} again.", "topic": topic}
        for topic, subjects in (("sea", "ship wave sail"), ("land", "barn soil wheat"))
        for subject in subjects.split()
        for n in range(4)
    ]
    (tmp_path / "public.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in public), encoding="utf-8"
    )
    said = run("library", "build", "public.jsonl", "-o", "my.library", "--each", "5").stderr
    told = run("library", "info", "--library", "my.library").stdout.decode()

    assert b"Wrote 10 of 24 texts to my.library." in said
    assert "Texts are ranked by topics." in told
    assert sorted(told.split()[-4:]) == ["5", "5", "land", "sea"]


def test_a_library_with_a_private_text_is_refused(run, tmp_path, posts):
    run("library", "build", "posts.jsonl", "-o", "my.library")
    said = run("obfuscate", "posts.jsonl", "--library", "my.library", "-o", "o.jsonl", code=3)

    assert "holds a text that is to be released" in said.stderr.decode()
    assert b"Vorplique" not in said.stderr
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--odds", "1"], "odds must be"),
        (["--odds", "-3"], "odds must be"),
        (["--odds", "99999999999999999999999"], "odds must be"),
        (["--odds", "100", "--epsilon", "3"], "give odds alone"),
        (["--mechanism", "standin", "--budget", "3"], "standin has odds"),
        (["--mechanism", "laplace", "--odds", "3"], "laplace has no odds"),
        (["--mechanism", "mean", "--library", "posts.jsonl"], "no texts of a library"),
        (["--mechanism", "standin", "--epsilon", "0.5"], "at least ln 2"),
        (["--library", "posts.jsonl"], "is not a library"),
        (["--odds", "100", "--setting", "best=899"], "number of best texts"),
        (["--odds", "100", "--setting", "best=1.5"], "whole number"),
        (["--odds", "100", "--vectors"], "no mean"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(run, posts, more, said):
    assert said in run("obfuscate", "posts.jsonl", *more, "-o", "o.jsonl", code=2).stderr.decode()


def test_the_library_is_shown(run):
    assert "home and household" in run("library", "info").stdout.decode()
    assert "hedge" in run("library", "show", "hedges-fences").stdout.decode()
    assert "no text with the id" in run("library", "show", "none", code=2).stderr.decode()


def test_texts_without_known_words_are_charged_like_others(run, tmp_path):
    posts = [{"text": "\u3053\u3093\u306b\u3061\u306f"}, {"text": ""}, {"text": "The dough rests."}]
    (tmp_path / "p.jsonl").write_text(
        "".join(f"{json.dumps({'id': None, **each})}\n" for each in posts), encoding="utf-8"
    )
    ask = ["obfuscate", "p.jsonl", "--odds", "100", "--ledger", "l", "--limit", "5"]
    run(*ask, "-o", "one.jsonl")

    assert "all 3 have no room" in run(*ask, "-o", "two.jsonl", code=3).stderr.decode()


def test_a_library_with_the_text_of_a_unit_is_refused(run, tmp_path, posts):
    run("library", "build", "posts.jsonl", "-o", "my.library")
    ask = ["obfuscate", "posts.jsonl", "--library", "my.library", "--unit-field", "author"]
    said = run(*ask, "-o", "o.jsonl", "--ledger", "l", "--limit", "99", code=3).stderr.decode()

    assert "holds a text that is to be released" in said
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.runs() == []


def test_texts_of_several_lines_come_out_on_one(run, tmp_path):
    public = [{"text": f"Public\u2028text\r\nnumber {n}.\n\nAbout ships."} for n in range(5)]
    (tmp_path / "public.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in public), encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("The ship.", encoding="utf-8")
    run("library", "build", "public.jsonl", "-o", "my.library")
    run("obfuscate", "a.txt", "--library", "my.library", "-o", "out.txt")

    assert len((tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()) == 1
    run(
        "certificate", "out.txt.certificate.json", "--release", "out.txt", "--library", "my.library"
    )


def test_a_library_of_another_language_than_the_table_is_refused(run, tmp_path, posts):
    made = Library(SHIPPED.passages[:9], language="de")
    (tmp_path / "my.library").write_text(made.to_jsonl(), encoding="utf-8")
    said = run("obfuscate", "posts.jsonl", "--library", "my.library", "-o", "o.jsonl", code=2)

    assert "of language de and is ranked by a table of language en" in said.stderr.decode()


@pytest.mark.parametrize(
    "change",
    [{"best": None}, {"best": "abc"}, {"best": 0}, {"best": 898}, {"best": 1e308}, {"tickets": 7}],
)
def test_counts_refuse_a_certificate_that_cannot_be(run, tmp_path, posts, change):
    run("obfuscate", "posts.jsonl", "--odds", "100", "-o", "out.jsonl")
    path = tmp_path / "out.jsonl.certificate.json"
    stated = json.loads(path.read_text(encoding="utf-8"))
    stated["settings"] = {
        k: v for k, v in {**stated["settings"], **change}.items() if v is not None
    }
    path.write_text(json.dumps(stated), encoding="utf-8")

    assert "certificate" in run("library", "counts", "out.jsonl", code=2).stderr.decode()


def test_counts_take_a_folder_of_shards(run, tmp_path, posts):
    (tmp_path / "in").mkdir()
    posts.rename(tmp_path / "in" / "a.jsonl")
    run("obfuscate", "in", "-o", "out", "--engine", "pool", "--workers", "1", "--odds", "9")
    told = json.loads(run("library", "counts", "out", "--json").stdout)

    assert sum(each["released"] for each in told) == 12
    assert all(0 <= each["low"] <= each["high"] <= 12 for each in told)
