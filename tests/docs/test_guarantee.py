"""The tables of docs/guarantee.md are what the program states now."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "guarantee_page.py"
    made = {"__name__": "page", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), made)
    return made


def test_the_page_is_what_the_script_makes(script, tmp_path):
    page = (ROOT / "docs" / "guarantee.md").read_text(encoding="utf-8")
    script["PAGE"] = tmp_path / "guarantee.md"
    script["PAGE"].write_text(page.replace("6.22", "1.62"), encoding="utf-8")
    script["main"]()

    assert script["PAGE"].read_text(encoding="utf-8") == page


def test_a_page_without_a_place_for_a_table_is_refused(script, tmp_path):
    script["PAGE"] = tmp_path / "guarantee.md"
    script["PAGE"].write_text("# The guarantee\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="one word: begin"):
        script["main"]()
