"""The library around a sample: its passages by field, the likeliest marked, and the one drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from nomdeplume.library import Library
from nomdeplume.picture.writing import ems, fit, safe
from nomdeplume.web.pictures.paper import NARROW, WIDE, svg, text
from nomdeplume.web.studio import Around

GAP = 16.0  # units between two columns of fields
SQUARE = 0.36  # half of a side, of the distance of two marks
RING = 0.75  # radius of the mark around the passage that was drawn
FOOT = 1.9  # letters of a line of the legend
Spot = tuple[float, float]


@dataclass(frozen=True)
class Sizes:
    """The width of the picture, the columns of fields, and the marks in a row."""

    width: float
    columns: int
    rows: int
    letters: float

    @property
    def column(self) -> float:
        return (self.width - GAP * (self.columns - 1)) / self.columns


SCREEN = Sizes(WIDE, 4, 2, 11.5)
PHONE = Sizes(NARROW, 2, 1, 11.5)


@dataclass(frozen=True)
class Shelf:
    """The places of passages and fields in the picture, and the distance of two marks."""

    spots: Sequence[Spot]
    fields: Mapping[str, Spot]
    pitch: float
    height: float


def passages(around: Around, *, narrow: bool = False) -> str:
    """The library around a sample: squares hold many tickets, dots one, and a ring was drawn."""
    sizes = PHONE if narrow else SCREEN
    shelf, best = arranged(around.library, sizes), set(around.best)
    named = around.library.passages
    fields = Counter(named[place].field for place in around.best)
    legend = list(_legend(around, sizes, shelf.height))
    half, radius = SQUARE * shelf.pitch, RING * shelf.pitch
    parts = [
        *_names(shelf, fields, sizes),
        _dots([spot for place, spot in enumerate(shelf.spots) if place not in best]),
        *(_square(shelf.spots[place], half, named[place].title) for place in around.best),
        _ring(shelf.spots[around.drawn], radius, f"This draw: {around.passage.title}"),
        *(part for part, _ in legend),
    ]
    told = "; ".join(f"{field}: {count}" for field, count in fields.most_common())
    height = legend[-1][1] + 0.5 * sizes.letters
    label = f"Passages of the library around the sample. {chances(around)}"
    return svg((sizes.width, height), label, parts, told=f"Those that fit best, by field: {told}.")


def chances(around: Around) -> str:
    """The probabilities in words, and the passage that came out."""
    k, size = len(around.best), len(around.library)
    among = "one of them" if around.drawn in around.best else "not one of them"
    return (
        f"Each of the {k:,} passages of {size:,} that fit the sample best holds {around.odds:,} "
        f"tickets, each other one holds one. One of these {k:,} comes out in "
        f"{100 * around.hit:.0f} of 100 draws. This draw: {around.passage.title}, {among}."
    )


def arranged(library: Library, sizes: Sizes) -> Shelf:
    """Fields in columns from the top left, the passages of each below its name."""
    counts = library.fields
    across = ceil(max(counts.values()) / sizes.rows)
    pitch = sizes.column / across
    high = 1.35 * sizes.letters + pitch * (sizes.rows + 0.8)
    fields = {}
    for number, field in enumerate(counts):
        row, column = divmod(number, sizes.columns)
        fields[field] = (column * (sizes.column + GAP), row * high)
    spots, seen = [], Counter[str]()
    for passage in library.passages:
        x, y = fields[passage.field]
        row, column = divmod(seen[passage.field], across)
        seen[passage.field] += 1
        top = y + 1.35 * sizes.letters
        spots.append((x + pitch * (column + 0.5), top + pitch * (row + 0.5)))
    return Shelf(spots, fields, pitch, high * ceil(len(counts) / sizes.columns))


def _names(shelf: Shelf, best: Mapping[str, int], sizes: Sizes) -> Iterator[str]:
    """The names of fields; those that fit stand out."""
    for field, (x, y) in shelf.fields.items():
        kind, at = "np-head" if field in best else "np-field", (x, y + sizes.letters)
        shown = fit(field, sizes.column / sizes.letters - (field in best))  # bold is wider
        yield text(at, shown, kind, letters=sizes.letters, anchor="start", title=field)


def _dots(spots: Sequence[Spot]) -> str:
    return f'<path class="np-one" d="{"".join(f"M{x:.1f},{y:.1f}h0" for x, y in spots)}"/>'


def _square(at: Spot, half: float, title: str = "") -> str:
    (x, y), side = at, f"{2 * half:.1f}"
    place = f'x="{x - half:.1f}" y="{y - half:.1f}" width="{side}" height="{side}"'
    return f'<rect class="np-many" {place}>{_title(title)}</rect>'


def _ring(at: Spot, radius: float, title: str = "") -> str:
    place = f'cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:.1f}"'
    return f'<circle class="np-drawn" {place}>{_title(title)}</circle>'


def _title(said: str) -> str:
    return f"<title>{safe(said)}</title>" if said else ""


def _legend(around: Around, sizes: Sizes, top: float) -> Iterator[tuple[str, float]]:
    """Marks and what they mean, each with its line; below each other if one does not hold them."""
    size, half, x, y = sizes.letters, 0.36 * sizes.letters, 0.0, top + sizes.letters
    meanings: tuple[tuple[Callable[[Spot], str], str], ...] = (
        (lambda at: _square(at, half), f"fits best: {around.odds:,} tickets"),
        (lambda at: _dots([at]), "fits less: one ticket"),
        (lambda at: _ring(at, 1.5 * half), "came out in this draw"),
    )
    for mark, said in meanings:
        wide = (ems(said) + 3) * size
        if x and x + wide > sizes.width:
            x, y = 0.0, y + FOOT * size
        yield mark((x + 0.7 * size, y - half)), y
        yield text((x + 1.7 * size, y), said, "np-field", letters=size, anchor="start"), y
        x += wide
