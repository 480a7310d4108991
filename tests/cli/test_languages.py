"""The whole path in other languages: segmentation, stop words, release, certificate."""

import json

import pytest

GREEK = "βροχή 0 0\nχιόνι 0 1\nάνεμος 0 2\nθάλασσα 5 5\nλιμάνι 5 6\nκαι 9 9\nτο 9 8\n"
FRENCH = "pluie 0 0\nneige 0 9\nété 3 3\navec 4 4\nœuvre 5 5\n"
CHINESE = "北京 0 0\n上海 0 1\n苹果 5 5\n苹 5 6\n首都 3 3\n的 9 9\niphone 7 7\n"
THAI = "น้ำตก 0 0\nน้ำ 0 1\nตก 0 2\nฝน 4 4\nและ 9 9\n"
JAPANESE = "東京 0 0\nタワー 0 1\nりんご 5 5\nの 9 9\n"
RUSSIAN = "дождь 0 0\nснег 0 1\nгавань 4 4\nи 9 9\n"


@pytest.fixture
def build(run, tmp_path):
    def build(lines, language):
        (tmp_path / "t.txt").write_text(lines, encoding="utf-8")
        run("tables", "build", "t.txt", "-o", "t.safetensors", "--language", language)
        return ["--table", "t.safetensors"]

    return build


@pytest.mark.parametrize(
    "case",
    [
        (GREEK, "el", "Βροχή ΚΑΙ άνεμος: το λιμάνι…", {"και", "το"}, 5),
        (FRENCH, "fr", "L'été, la pluie — avec l’Œuvre.", {"avec", "été"}, 3),
        (CHINESE, "zh", "北京的苹果和iPhone。", {"的"}, 6),
        (JAPANESE, "ja", "東京タワーのりんご", {"の"}, 3),
        (THAI, "th", "น้ำตกและฝน", {"และ"}, 4),
        (RUSSIAN, "ru", "Дождь и снег «в гавани».", {"и"}, 3),
    ],
)
def test_a_text_is_released_in_its_own_language(run, tmp_path, build, case):
    lines, language, text, stopped, size = case
    table = build(lines, language)
    (tmp_path / "letter.txt").write_text(text, encoding="utf-8")
    noisy = ["--size", "4000", "--epsilon", ".1"]  # one word of fifty is missing by 10⁻³⁵
    done = run("obfuscate", "letter.txt", "-o", "out.txt", *table, *noisy)
    stated = json.loads((tmp_path / "out.txt.certificate.json").read_text(encoding="utf-8"))
    words = {line.split()[0] for line in lines.splitlines()}

    assert b"Released 1 document" in done.stderr
    assert set((tmp_path / "out.txt").read_text(encoding="utf-8").split()) == words - stopped
    assert (stated["table_language"], stated["stop_words"]) == (language, f"iso-{language}")
    assert stated["kept_words"] == size
    checked = run("certificate", "out.txt.certificate.json", "--release", "out.txt", *table)
    assert b"All 9 checks passed" in checked.stdout


def test_words_of_a_text_are_found_in_their_table(run, tmp_path, build):
    """With hardly any noise, the words that come out are those that the text has."""
    table = build(GREEK, "el")
    done = run(
        "obfuscate", *table, "--epsilon", "9999", "--size", "50", stdin="ΒΡΟΧΉ στο λιμάνι".encode()
    )

    assert set(done.stdout.decode().split()) == {"βροχή", "λιμάνι"}


@pytest.mark.parametrize(
    "case",
    [
        (CHINESE, "zh", "北京是首都。我爱苹果和iPhone手机!", {"北京", "首都", "苹果", "iphone"}),
        (JAPANESE, "ja", "東京タワーへ行きました。", {"東京", "タワー"}),
        (THAI, "th", "น้ำตกและฝน", {"น้ำตก", "ฝน"}),
    ],
)
def test_text_without_spaces_is_parted_by_the_words_of_the_table(run, build, case):
    lines, language, text, words = case
    table = build(lines, language)
    done = run("obfuscate", *table, "--epsilon", "9999", "--size", "99", stdin=text.encode())

    assert set(done.stdout.decode().split()) == words


def test_a_table_of_another_language_is_refused(run, build):
    table = build(FRENCH, "fr")
    done = run("obfuscate", *table, "--language", "en", stdin=b"pluie", code=2)

    assert b"holds words of language fr, asked was en" in done.stderr


def test_a_language_without_stop_words_asks_for_a_list(run, build):
    table = build("rege 0 0\nschnee 0 1\n", "als")
    refused = run("obfuscate", *table, stdin=b"rege", code=2)
    done = run("obfuscate", *table, "--stop-words", "none", "--size", "3", stdin=b"rege")

    assert b"no stop words are known for language 'als'" in refused.stderr
    assert len(done.stdout.split()) == 3
    assert b"kept words    2" in run("tables", "info", "t.safetensors").stdout
