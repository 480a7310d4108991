"""CSV as people have it: any dialect, any encoding, and rows that break the rules."""

import pytest

from nomdeplume import InputError
from nomdeplume.formats.csv_dialect import Dialect, dialect_of
from nomdeplume.formats.csv_rows import read_rows
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields

FIELDS = Fields("text", "id", ("topic",))
ROWS = [
    ("1", "rain", "weather"),
    ("2", 'she said "no, never"', "talk"),
    ("3", "two\nlines, and a comma; a bar | a\ttab", "layout"),
    ("4", "", "nothing"),
]


def read(content, fields=FIELDS, **options):
    lines = iter(content.encode().splitlines(keepends=True))
    return list(read_rows(lines, "row", fields, **options))


def rows(content, **options):
    found = read(content, **options)
    assert all(not each.unreadable for each in found), found
    return [(each.fields["id"], each.text, each.fields["topic"]) for each in found]


def written(delimiter=",", quote='"', escape=None, end="\n"):
    def cell(text):
        doubled = escape + quote if escape else quote * 2
        return quote + text.replace(quote, doubled) + quote

    table = [("id", "text", "topic"), *ROWS]
    return "".join(delimiter.join(map(cell, row)) + end for row in table)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(("quote", "escape"), [('"', None), ('"', "\\"), ("'", None)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_dialect_is_told(delimiter, quote, escape, end):
    assert rows(written(delimiter, quote, escape, end)) == ROWS


def test_excel_says_its_delimiter_in_a_first_line():
    assert rows("sep=;\nid;text;topic\n1;rain, snow;weather\n") == [("1", "rain, snow", "weather")]


def test_a_delimiter_that_is_told_is_used():
    assert rows("id~text~topic\n1~rain, snow~a\n", delimiter="~") == [("1", "rain, snow", "a")]


def test_spaces_around_names_and_a_mark_at_the_start_do_not_count():
    assert rows("\ufeffid , text, topic\n1,rain,a\n") == [("1", "rain", "a")]


def test_a_quote_within_an_unquoted_field_is_a_sign_like_any_other():
    assert rows('id,text,topic\n1,a 2" nail,tools\n') == [("1", 'a 2" nail', "tools")]


def test_values_stay_as_they_are_written():
    assert rows("id,text,topic\n007,rain,1e3\n") == [("007", "rain", "1e3")]


def test_blank_lines_are_no_rows():
    assert rows("id,text,topic\n\n1,rain,a\n\n\n2,snow,b\n\n") == [
        ("1", "rain", "a"),
        ("2", "snow", "b"),
    ]


def test_one_column_may_hold_commas():
    [record] = read("text\nrain, snow, and wind\n", Fields())

    assert record.text == "rain, snow, and wind"


def faults(content):
    found = read(content)
    kept = [each.fields["id"] for each in found if not each.unreadable]
    return kept, [(each.place, each.unreadable) for each in found if each.unreadable]


def test_a_row_with_too_many_fields_is_withheld_by_number():
    kept, withheld = faults("id,text,topic\n1,rain,a\n2,rain, snow,b\n3,snow,c\n")

    assert kept == ["1", "3"]
    assert withheld == [("row 2 (line 3)", "expected 3 fields, got 4.")]


def test_the_row_after_one_that_is_too_short_may_be_a_piece_of_it():
    """A line break that nobody quoted would put words of the text into other columns."""
    kept, withheld = faults("id,text,topic\n1,rain\non the,harbour,wall\n2,snow,b\n")

    assert kept == ["2"]
    assert withheld == [
        ("row 1 (line 2)", "expected 3 fields, got 2."),
        ("row 2 (line 3)", "it may be a piece of what is broken on line 2."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '"He said "hi" and left',
        '"He said "hi", then\nwent home, alone, again\nat last"',
        '"one "two", three\nfour, five, six\n"seven" eight"',
    ],
)
def test_quotes_that_do_not_match_take_nothing_else_along(text):
    """Words of a text must not become the id or the topic of a row that was never there."""
    kept, withheld = faults(f'id,text,topic\n1,rain,a\n2,{text},b\n3,"snow",c\n4,wind,d\n')

    assert set(kept) <= {"1", "3", "4"}
    assert "1" in kept
    assert withheld[0][0] == "row 2 (line 3)"
    assert "quotes do not match" in withheld[0][1]


def test_a_quote_that_never_closes_takes_its_own_row_only():
    kept, withheld = faults('id,text,topic\n1,rain,a\n2,"snow,b\n3,wind,c\n4,hail,d\n')

    assert kept == ["1", "3", "4"]
    assert [place for place, _ in withheld] == ["row 2 (line 3)"]


LEAKS = {
    "a line after a row that is too long": "1,rain, snow, hail\nmy wife,my dog,my cat\nend,b",
    "two lines after one too short": "1,rain\nthe harbour,the wall,the sea\nmy wife,a,my dog\nend",
    "lines within quotes that are not doubled": (
        '1,"He said "hi there\nmy wife,my dog,my cat\nbye" and left",b'
    ),
    "an escape that nobody announced": "1,rain\\, my wife\\\nhere,a",
    "another line end": "1,rain\nmy wife,my dog,my cat\r",
    "a quote in a kept field": '1,rain,"a\n2,my wife left,b"',
    "single quotes": "1,'rain\nmy wife,left me,today',a",
    "a backslash before a quote": '1,"say \\",my wife\nmy dog,\\" she said",x',
}


@pytest.mark.parametrize("before", [0, 1, 150])
@pytest.mark.parametrize("broken", LEAKS.values(), ids=LEAKS.keys())
def test_no_piece_of_a_text_becomes_an_id_or_a_topic(broken, before):
    """The worst that a reader of CSV can do here."""
    sound = "".join(f"{i},rain,a\n" for i in range(before))
    after = "".join(f"{i},snow,b\n" for i in range(200, 210))
    content = f"id,text,topic\n{sound}{broken.replace('1,', '160,', 1)}\n{after}"
    end = "\r\n" if "\r" in broken else "\n"
    found = read(content.replace("\n", end) if before and end == "\r\n" else content)
    records = [each for each in found if not each.unreadable]

    assert not [each for each in records if not each.fields["id"].isdigit()]
    assert {each.fields["topic"] for each in records} <= {"a", "b", "x"}
    assert [each.fields["id"] for each in records][:before] == [str(i) for i in range(before)]
    if before:
        assert [each.fields["id"] for each in records][-9:] == [str(i) for i in range(201, 210)]


@pytest.mark.parametrize("named", ["r-{:04}", "{}", "{:04}", "2024/{}", "u{}@x.org"])
def test_ids_of_any_numbered_shape_tell_rows_from_pieces(named):
    sound = "".join(f"{named.format(i)},rain,a\n" for i in range(1, 40))
    after = "".join(f"{named.format(i)},snow,b\n" for i in range(50, 53))
    kept, withheld = faults(f"id,text,topic\n{named.format(0)},x\nmy wife,a,b\n{sound}y\n{after}")

    assert kept == [named.format(i) for i in (*range(1, 39), 50, 51, 52)]
    assert len(withheld) == 4  # two that are broken, a piece, and the row before "y"


def test_an_id_unlike_the_others_is_a_sign_of_damage():
    sound = "".join(f"{i},rain,a\n" for i in range(30))
    kept, withheld = faults(f"id,text,topic\n{sound}my wife,left,today\n31,snow,b\n")

    assert kept == [*map(str, range(29)), "31"]
    assert "unlike those before it" in withheld[1][1]


def test_the_number_of_a_broken_row_does_not_count():
    kept, _ = faults("id,text,topic\n1,rain,a\n99,a,b,c\n2,snow,b\n3,hail,c\n")

    assert kept == ["1", "2", "3"]


def test_without_ids_that_tell_nothing_after_a_break_is_released():
    lines = "".join(f"{word},rain,a\n" for word in ("ann", "bob", "cyd", "dan"))
    kept, withheld = faults(f"id,text,topic\n{lines}eve,a,b,c\n{lines}")

    assert kept == ["ann", "bob", "cyd"]  # the last before the break may be the start of it
    assert withheld[2][0] == "the 4 lines after it"
    assert "--id-field" in withheld[2][1]


def test_without_ids_rows_go_on_where_their_fields_tell_nothing_new():
    fields = Fields("text", "id", ("topic",))
    lines = "rain,a\nsnow,b\nhail,a\n"
    found = read(f"text,topic\n{lines}x,y,z\nmy wife,my dog\n{lines}", fields)
    topics = [each.fields["topic"] for each in found if not each.unreadable]

    assert topics == ["a", "b", "a", "a", "b", "a"]


def test_with_nothing_beside_the_words_only_broken_rows_are_withheld():
    found = read("text,topic\nrain,a\nx,y,z\nsnow,b\nhail,c\n", Fields())

    assert [bool(each.unreadable) for each in found] == [False, True, False, False]


def test_rows_that_a_quote_may_have_joined_are_withheld():
    kept, withheld = faults('id,text,topic\n1,rain,a\n2,"snow,b\n3,pear,c\n4,rain",d\n5,hail,e\n')

    assert kept == ["1", "5"]
    assert withheld[0][0] == "row 2 (lines 3 to 5)"
    assert "look like rows" in withheld[0][1]


def test_a_list_in_a_text_is_not_taken_for_rows():
    assert rows('id,text,topic\n1,"Dear Tom, yes, ok\n- eggs, milk, 3 pears",a\n') == [
        ("1", "Dear Tom, yes, ok\n- eggs, milk, 3 pears", "a")
    ]


def test_lines_are_counted_through_quoted_line_breaks():
    _, withheld = faults('id,text,topic\n1,"a\nb\nc",x\n2,rain\n')

    assert withheld == [("row 2 (line 5)", "expected 3 fields, got 2.")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,body\n1,rain\n", "no field 'text' in the input; it has id, body. Name the one"),
        ("id,Review Text,Größe\n1,a,b\n", "it has id, Review Text, 1 with other names"),
        ("id,text\n1,rain\n", "no field 'topic'"),
        ("7,It rained all day on us.,x\n8,a,b\n", "the first row .* must name its 3 fields"),
        ("Dear mother, the oven burned\nAnn,b\n", "which must name its 2 fields; name the one"),
        ("id,text,topic,text\n", "names a field twice"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(content, message):
    with pytest.raises(InputError, match=message):
        read(content)


@pytest.mark.parametrize(
    ("encoding", "remark"),
    [("utf-8", ""), ("utf-8-sig", ""), ("utf-16", ""), ("cp1252", "read as Windows-1252")],
)
def test_every_usual_encoding_is_read(tmp_path, encoding, remark):
    (tmp_path / "in.csv").write_bytes('id,text,topic\n1,"Über\nuns",é\n'.encode(encoding))
    [record] = open_inputs([str(tmp_path / "in.csv")], FIELDS).records

    assert (record.text, record.fields["topic"]) == ("Über\nuns", "é")
    assert remark in record.remark


def test_lines_may_end_as_on_old_computers(tmp_path):
    (tmp_path / "in.csv").write_bytes("id,text,topic\r1,Über,a\r2,snow,b\r".encode())
    records = list(open_inputs([str(tmp_path / "in.csv")], FIELDS).records)

    assert [(each.fields["id"], each.text) for each in records] == [("1", "Über"), ("2", "snow")]


def test_a_row_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("nomdeplume.formats.csv_dialect.LONGEST", 1000)

    with pytest.raises(InputError, match=r"the row on line 2 is longer .* quote open"):
        read('id,text,topic\n1,"' + "rain\n" * 300)


def test_a_dialect_without_evidence_is_the_usual_one():
    assert dialect_of([]) == Dialect()
    assert dialect_of(["text\n", "rain\n"]) == Dialect()
