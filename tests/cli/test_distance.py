import csv
import gzip
import io
import json
import xml.etree.ElementTree as ET

import pytest

from nomdeplume import Account

LINE = "apple 0\npear 1\nriver 1.5\nlake 4\n"
A, B = "Apple, apple and a lake!", "A pear; an apple."


@pytest.fixture
def world(run, tmp_path):
    """Four words on a line, two texts, and a corpus."""
    (tmp_path / "line.txt").write_text(LINE, encoding="utf-8")
    (tmp_path / "a.txt").write_text(A, encoding="utf-8")
    (tmp_path / "b.txt").write_text(B, encoding="utf-8")
    records = [
        {"id": "fruit", "text": "apple pear"},
        {"id": "water", "text": "lake lake river"},
        {"id": "both", "text": "apple lake"},
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "corpus.jsonl").write_text(lines, encoding="utf-8")

    def distance(*arguments, **more):
        return run("distance", "--table", "line.txt", *arguments, **more)

    return distance


def rows(done):
    return list(csv.reader(io.StringIO(done.stdout.decode())))


def test_two_texts_as_a_table(world):
    said = world("a.txt", "b.txt").stdout.decode().splitlines()

    assert said[0] == "Word Mover's Distance W₁ = 1.1667; 50.0 % of words stay."
    assert said[2].split() == ["word", "becomes", "share", "distance", "adds"]
    assert said[3].split() == ["lake", "pear", "33.3", "%", "3.000", "1.0000"]
    assert said[-1].split()[:2] == ["apple", "pear"]  # what stays is not listed


def test_the_longest_move(world):
    said = world("a.txt", "b.txt", "--metric", "winf").stdout.decode()

    assert said.startswith("bottleneck distance W∞ = 3.0000")
    assert "adds" not in said  # to a longest move nothing adds up


def test_few_moves_can_be_asked_for(world):
    said = world("a.txt", "b.txt", "--moves", "1").stdout.decode()

    assert said.endswith("and 1 more\n")


def test_as_json(world):
    said = json.loads(world("a.txt", "b.txt", "--json", "--epsilon", "6", "--size", "10").stdout)

    assert said["distance"] == pytest.approx(7 / 6)
    assert said["stay"] == 0.5
    assert said["moves"][0] == {
        "word": "lake",
        "becomes": "pear",
        "share": pytest.approx(1 / 3),
        "distance": 3.0,
        "adds": pytest.approx(1.0),
    }
    assert said["release"]["loss"] == pytest.approx(60 * 3)
    assert said["release"]["distance"] == 3
    assert said["release"]["formula"] == "loss ≤ 60 · W∞"
    assert said["release"]["proofs"] == ["laplace", "sampling", "kept"]


def test_what_a_release_would_promise_between_them(world):
    said = " ".join(
        world("a.txt", "b.txt", "--epsilon", "6", "--size", "10").stdout.decode().split()
    )

    assert "One release of 10 words, drawn by chance, at ε = 6, can shift" in said
    assert "at most a factor of e^180 (about 10^78.2): the loss is at most" in said
    assert "60 · W∞ = 180 nats, with W∞ = 3.0000 between two texts' bags of kept words." in said
    assert "Run `nomdeplume evaluate` to measure how often authors are recognised." in said


def test_the_promise_of_apportioned_words_is_about_their_mean_move(world):
    more = ("--budget", "3", "--size", "2", "--reduction", "apportion")
    said = " ".join(world("a.txt", "b.txt", *more).stdout.decode().split())

    assert "2 words, apportioned, at ε = 1.5" in said
    assert "3 · W₁ = 4.5 nats, with W₁ = 1.5000 between two texts' bags reduced to 2" in said


def test_losses_add_up_over_an_authors_documents(world):
    more = ("--epsilon", "1", "--size", "1", "--documents", "12")
    said = " ".join(world("a.txt", "b.txt", *more).stdout.decode().split())

    assert "12 releases, each of one word" in said
    assert "between two authors of 12 documents, all as far apart as these," in said
    assert "1 · ΣW∞ = 36 nats" in said


def test_what_is_lost_up_to_delta_comes_after_what_is_lost_purely(world):
    more = ("--epsilon", "0.1", "--size", "10", "--delta", "1e-3")
    said = " ".join(world("a.txt", "b.txt", *more).stdout.decode().split())
    pure, _, up_to = said.partition("Up to δ = 0.001 less is lost:")

    assert "1 · W∞ = 3 nats" in pure
    assert "P(S) ≤ exp(ε′) · P′(S) + δ for every set S of releases" in up_to
    assert "times less than the pure bound." in up_to


def test_what_is_lost_up_to_delta_as_json(world):
    more = ("--epsilon", "0.1", "--size", "10", "--delta", "1e-3", "--json")
    one = json.loads(world("a.txt", "b.txt", *more).stdout)["release"]
    many = json.loads(world("a.txt", "b.txt", *more, "--documents", "20").stdout)["release"]
    account = Account.of_draws(0.1, [([0, 1, 3], [1 / 2, 1 / 6, 1 / 3])], 10, 1)

    assert one["delta"] == 1e-3
    assert one["loss_at_delta"] == pytest.approx(account.loss(1e-3), rel=1e-3)
    assert one["loss_at_delta"] < one["loss"] == pytest.approx(3)
    assert 5 * one["loss_at_delta"] < many["loss_at_delta"] < 20 * one["loss_at_delta"]
    assert many["loss"] == pytest.approx(60)


def test_what_is_lost_up_to_delta_follows_from_moves_and_not_from_a_distance(run, tmp_path):
    """Two pairs that are as far apart: a word in ten moves that far, or all of them do."""
    (tmp_path / "plane.txt").write_text("apple 0 0\npear 4 0\nlake 8 0\n", encoding="utf-8")
    texts = {"tenth": "apple " * 9 + "pear", "other": "apple " * 9 + "lake"}
    for name, text in {**texts, "one": "apple", "two": "pear"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    release = ("--epsilon", "0.1", "--size", "20", "--documents", "12", "--delta", "1e-6")

    def distance(*arguments):
        return run("distance", "--table", "plane.txt", *arguments, *release).stdout.decode()

    few = json.loads(distance("tenth.txt", "other.txt", "--json"))["release"]
    all_ = json.loads(distance("one.txt", "two.txt", "--json"))["release"]
    said = " ".join(distance("tenth.txt", "other.txt").split())

    assert few["loss"] == pytest.approx(all_["loss"]) == pytest.approx(12 * 8)
    assert few["loss_at_delta"] == pytest.approx(7.39, abs=0.01)
    assert all_["loss_at_delta"] == pytest.approx(28.9, abs=0.1)
    assert "less is lost for 12 documents whose words move as those of these two do: P(S)" in said


def test_between_identical_texts_nothing_is_said_about_delta(world):
    more = ("--epsilon", "6", "--size", "10", "--delta", "1e-6")
    said = world("a.txt", "a.txt", *more).stdout.decode()

    assert "at most a factor of 1:" in said
    assert "δ" not in said


def test_a_small_saving_is_not_called_one_time_less(world):
    more = ("--epsilon", "3", "--size", "1", "--delta", "0.01")
    said = " ".join(world("a.txt", "b.txt", *more).stdout.decode().split())

    assert "less is lost: P(S)" in said
    assert "times less" not in said


def test_what_is_not_known_to_be_less_is_said_so(world):
    more = ("--epsilon", "6", "--size", "1", "--delta", "1e-300")
    said = world("a.txt", "b.txt", *more).stdout.decode()

    assert "no less is known to be lost" in said


@pytest.mark.parametrize("name", ["plan.html", "plan.svg"])
def test_the_plan_as_a_picture(world, tmp_path, name):
    done = world("a.txt", "b.txt", "-o", name, "--epsilon", "2")
    drawn = (tmp_path / name).read_text(encoding="utf-8")

    assert name in done.stderr.decode()
    assert "keep them to yourself" in done.stderr.decode()
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert drawn.count('class="band') == 3
    assert "a.txt" in drawn
    if name == "plan.svg":
        assert ET.fromstring(drawn).tag.endswith("svg")
        assert "no release" in drawn
    else:
        assert "at most a factor" in drawn
        assert "not a release" in drawn


def test_all_distances(world, tmp_path):
    done = world("--all", "corpus.jsonl")
    header, *lines = rows(done)

    assert header == ["id", "fruit", "water", "both"]
    assert [line[0] for line in lines] == header[1:]
    assert [float(line[3]) for line in lines] == pytest.approx([1.5, 7 / 6, 0.0])
    assert b"distances between 3 documents; they are those of private texts" in done.stderr


@pytest.mark.parametrize("name", ["parquet", "arrow", "csv", "tsv", "jsonl.gz", "csv.zst"])
def test_all_distances_as_a_file(world, tmp_path, name):
    import pandas as pd
    import pyarrow as pa

    path = tmp_path / f"matrix.{name}"
    world("--all", "corpus.jsonl", "-o", path)
    if name == "parquet":
        frame = pd.read_parquet(path)
    elif name == "arrow":
        frame = pa.ipc.open_file(path).read_all().to_pandas()
    elif name == "jsonl.gz":
        frame = pd.DataFrame(map(json.loads, gzip.decompress(path.read_bytes()).splitlines()))
    elif name == "csv.zst":
        frame = pd.read_csv(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    else:
        frame = pd.read_csv(path, sep="\t" if name == "tsv" else ",")

    assert list(frame.columns) == ["id", "fruit", "water", "both"]
    assert frame["both"].tolist() == pytest.approx([1.5, 7 / 6, 0.0])


def test_all_distances_as_json(world):
    said = json.loads(world("--all", "corpus.jsonl", "--json", "--metric", "winf").stdout)

    assert said["ids"] == ["fruit", "water", "both"]
    assert said["distances"][0] == pytest.approx([0, 4, 3])


def test_the_nearest_of_each(world):
    done = world("--all", "corpus.jsonl", "--nearest", "1")

    assert [line[:3] for line in rows(done)] == [
        ["id", "rank", "nearest"],
        ["fruit", "1", "both"],
        ["water", "1", "both"],
        ["both", "1", "water"],
    ]
    assert b"nearest documents of 3 documents" in done.stderr


def test_the_nearest_to_a_letter(world):
    done = world("a.txt", "corpus.jsonl", "--nearest", "2")

    assert [line[:3] for line in rows(done)][1:] == [
        ["a.txt", "1", "both"],
        ["a.txt", "2", "fruit"],
    ]
    said = json.loads(world("-", "corpus.jsonl", "--nearest", "9", "--json", stdin=b"lake").stdout)
    assert [each["nearest"] for each in said] == ["water", "both", "fruit"]


def test_folders_are_corpora_and_files_are_called_by_name(world, tmp_path):
    (tmp_path / "letters").mkdir()
    for name, text in (("one.txt", "apple"), ("two.txt", "pear lake")):
        (tmp_path / "letters" / name).write_text(text, encoding="utf-8")

    assert rows(world("--all", "letters"))[0] == ["id", "one.txt", "two.txt"]
    assert rows(world("--all", "a.txt", "b.txt"))[0] == ["id", "a.txt", "b.txt"]


def test_documents_without_kept_words_are_left_out_and_said(world, tmp_path):
    with (tmp_path / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "none", "text": "zyxoquant"}\n{"id": "list", "text": ["x"]}\n')
    done = world("--all", "corpus.jsonl", code=4)

    assert rows(done)[0] == ["id", "fruit", "water", "both"]
    assert b"line 4: left out: no kept words." in done.stderr
    assert b"line 5: left out:" in done.stderr
    assert b"zyxoquant" not in done.stderr


def test_documents_without_an_id_are_called_by_their_number_in_the_input(world, tmp_path):
    texts = [("x", "zyxoquant"), ("x", "apple"), (None, "pear"), ("y", "lake"), ("id", "river")]
    lines = [json.dumps({"id": own, "text": text}) + "\n" for own, text in (*texts, texts[1])]
    (tmp_path / "twice.jsonl").write_text("".join(lines), encoding="utf-8")
    done = world("--all", "twice.jsonl", code=4)

    assert rows(done)[0] == ["id", "x#2", "#3", "y", "id#5", "x#6"]
    assert b"4 documents without an id of their own in field 'id'" in done.stderr


def test_where_no_document_has_an_id_all_are_numbered(world, tmp_path):
    (tmp_path / "bare.csv").write_text("text\nzyxoquant\napple\nlake\n", encoding="utf-8")
    done = world("--all", "bare.csv", code=4)

    assert rows(done)[0] == ["id", "2", "3"]
    assert b"--id-field" in done.stderr


def test_files_of_one_name_are_told_apart(world, tmp_path):
    for folder, text in (("one", "apple"), ("two", "lake")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "letter.txt").write_text(text, encoding="utf-8")

    assert rows(world("--all", "one/letter.txt", "two/letter.txt"))[0] == ["id", "1", "2"]
    world("one/letter.txt", "two/letter.txt", "-o", "plan.svg")
    assert "two/letter.txt" in (tmp_path / "plan.svg").read_text(encoding="utf-8")


def test_quiet_with_a_picture_says_nothing(world):
    done = world("a.txt", "b.txt", "-o", "plan.html", "--quiet")

    assert (done.stdout, done.stderr) == (b"", b"")


def test_many_documents_of_an_author_take_no_longer(world):
    more = ("--epsilon", "1", "--size", "1", "--documents", "1000000")

    assert "3000000 nats" in world("a.txt", "b.txt", *more).stdout.decode()


def test_identical_texts_are_exactly_zero_apart(world):
    assert json.loads(world("a.txt", "a.txt", "--json").stdout)["distance"] == 0


REFUSED = {
    "one input": (["a.txt"], "name two inputs, got 1"),
    "three inputs": (["a.txt", "b.txt", "a.txt"], "got 3"),
    "a corpus for a text": (["a.txt", "corpus.jsonl"], "holds several documents"),
    "no such file": (["a.txt", "none.txt"], "no file or folder at none.txt"),
    "no kept words": (["a.txt", "empty.txt"], "empty.txt has no kept words"),
    "output over input": (["--all", "corpus.jsonl", "-o", "corpus.jsonl", "--force"], "not be or"),
    "picture over input": (["a.txt", "b.html", "-o", "b.html", "--force"], "not be or"),
    "JSON to a file": (["--all", "corpus.jsonl", "--json", "-o", "m.csv"], "standard output"),
    "no documents": (["a.txt", "b.txt", "--epsilon", "1", "--documents", "0"], "--documents"),
    "a release of the nearest": (
        ["a.txt", "b.txt", "--nearest", "1", "--budget", "2"],
        "two texts",
    ),
    "a picture of another kind": (["a.txt", "b.txt", "-o", "plan.png"], ".html or .svg"),
    "figures of another kind": (["--all", "corpus.jsonl", "-o", "m.xlsx"], ".parquet, .arrow"),
    "packed twice": (["--all", "corpus.jsonl", "-o", "m.parquet.gz"], ".parquet, .arrow"),
    "an output that exists": (["--all", "corpus.jsonl", "-o", "exists.csv"], "--force"),
    "a release of a corpus": (["--all", "corpus.jsonl", "--epsilon", "6"], "is for two texts"),
    "documents without noise": (
        ["a.txt", "b.txt", "--documents", "3"],
        "needs --odds, --budget or --epsilon",
    ),
    "a delta without noise": (["a.txt", "b.txt", "--delta", "1e-6"], "--delta needs --odds"),
    "a delta of a corpus": (["--all", "corpus.jsonl", "--delta", "1e-6"], "is for two texts"),
    "a delta of 1": (["a.txt", "b.txt", "--epsilon", "1", "--delta", "1"], "between 0 and 1"),
    "two noises": (["a.txt", "b.txt", "--epsilon", "1", "--budget", "2"], "not both"),
    "no noise": (["a.txt", "b.txt", "--epsilon", "0"], "epsilon must be"),
    "none near": (["--all", "corpus.jsonl", "--nearest", "0"], "at least 1"),
    "standard input twice": (["-", "-"], "only one"),
    "fewer than no moves": (["a.txt", "b.txt", "--moves", "-1"], "0 or more"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_said_in_a_line(world, tmp_path, case):
    arguments, message = REFUSED[case]
    (tmp_path / "empty.txt").write_text("zyxoquant", encoding="utf-8")
    (tmp_path / "exists.csv").write_text("x", encoding="utf-8")
    (tmp_path / "b.html").write_text("lake", encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    done = world(*arguments, code=2)

    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert b"zyxoquant" not in done.stderr
    assert done.stdout == b""
    assert set(tmp_path.rglob("*")) == before
