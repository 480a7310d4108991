"""The map of a word's neighbourhood, and upon it where its releases landed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from nomdeplume.calibrate.neighbourhood import Landing, Neighbourhood
from nomdeplume.picture.writing import ems, fit, safe
from nomdeplume.web.pictures.paper import NARROW, WIDE, Box, share, svg, text

Floats = NDArray[np.float64]

STRETCH = 1.4  # of one axis beside the other, at most
CORNERS = 5  # the rim is where |x|⁵ + |y|⁵ = 1: an ellipse with the corners of a page
EDGES = 120  # points it is drawn by
INSIDE = 0.84  # of the way to the rim, within which the near words are
ROOM = 9.0  # ems of a label at most
STROKE = 7.0  # units of a stroke at the rim for one draw
SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))  # of a label


@dataclass(frozen=True)
class Paper:
    """A size of the map, its letters, and the radius of a circle that all draws would make."""

    width: float
    height: float
    letters: float
    circle: float
    dot: float
    foot: float = 26.0  # units below the map, for words

    @property
    def middle(self) -> tuple[float, float]:
        return self.width / 2, (self.height - self.foot) / 2

    @property
    def rim(self) -> Floats:
        """Half of the map's width and height."""
        return np.array([self.width / 2 - 4, (self.height - self.foot) / 2 - 4])


SCREEN = Paper(WIDE, 500, 13.5, 64, 2.4)
PHONE = Paper(NARROW, 400, 12, 44, 2)


@dataclass(frozen=True)
class Spot:
    """A word on the map: where it is, how often it came out, and how large it is drawn."""

    word: str
    x: float
    y: float
    count: int
    radius: float


def neighbours(
    neighbourhood: Neighbourhood,
    landing: Landing,
    *,
    words: Sequence[str],
    narrow: bool = False,
) -> str:
    """The map: near words as dots, draws as circles upon them, the others at the rim."""
    paper = PHONE if narrow else SCREEN
    spots = _spots(neighbourhood, landing, words, paper)
    foot = f"{landing.missed:,} of {landing.draws:,} landed elsewhere"
    foot += ": strokes at the rim" if landing.missed else ""
    return svg(
        (paper.width, paper.height),
        _label(neighbourhood, landing),
        [
            _rim(neighbourhood, landing, paper),
            *(_dot(spot, paper) for spot in spots),
            *(_circle(spot, landing.draws) for spot in spots if spot.count),
            *_labels(spots, paper),
            text((paper.width / 2, paper.height - 7), foot, "np-soft", letters=paper.letters),
        ],
        told=f"A map of two dimensions, which show {share(neighbourhood.told)} of the spread "
        "of the near words: distances on it are not the true ones.",
    )


def _label(neighbourhood: Neighbourhood, landing: Landing) -> str:
    first = ", ".join(f"{word} {share(part)}" for word, part in landing.commonest[:5])
    return (
        f"Where {landing.draws:,} releases of {neighbourhood.word} landed: "
        f"{share(landing.stays)} stay, {share(landing.near)} become one of "
        f"{len(neighbourhood.ids)} near words, {share(landing.elsewhere)} land elsewhere. "
        f"Commonest: {first}."
    )


def _spots(
    neighbourhood: Neighbourhood, landing: Landing, words: Sequence[str], paper: Paper
) -> list[Spot]:
    """The word itself and then the near ones, nearest first."""
    came = dict(zip(landing.ids.tolist(), landing.counts.tolist(), strict=True))
    ids = [neighbourhood.id, *neighbourhood.ids.tolist()]
    places = np.vstack((np.zeros((1, 2)), neighbourhood.places)) * (1, -1)
    at = paper.middle + _fitted(places / paper.rim) * paper.rim
    return [
        Spot(
            words[i],
            float(x),
            float(y),
            came.get(i, 0),
            max(paper.dot, paper.circle * sqrt(came.get(i, 0) / landing.draws)),
        )
        for i, (x, y) in zip(ids, at, strict=True)
    ]


def _fitted(places: Floats) -> Floats:
    """Places as parts of the rim's radius; a little wider or higher, where that fills the map."""
    across, along = np.abs(places).max(axis=0)
    if across and along:
        places = places * (np.clip(along / across, 1 / STRETCH, STRETCH), 1)
    reach = float(_far(places).max()) or 1.0
    return np.asarray(places * (INSIDE / reach))


def _rim(neighbourhood: Neighbourhood, landing: Landing, paper: Paper) -> str:
    """The edge of the map, with a stroke in the direction of each word that is beyond it."""
    edge = _edge(paper)
    off = ~np.isin(landing.ids, neighbourhood.ids) & (landing.ids != neighbourhood.id)
    if not off.any():
        return edge
    ways = neighbourhood.placed(landing.ids[off]) * (1, -1) / paper.rim
    length = _far(ways)[:, None]
    ways = np.where(length > 0, ways / np.where(length > 0, length, 1), (1.0, 0.0))
    inward = 1 - np.sqrt(landing.counts[off])[:, None] * STROKE / paper.rim.min()
    ends = np.hstack((paper.middle + ways * paper.rim, paper.middle + ways * inward * paper.rim))
    path = "".join(f"M{a:.1f},{b:.1f}L{c:.1f},{d:.1f}" for a, b, c, d in ends.tolist())
    return f'{edge}\n<path class="np-off" d="{path}"/>'


def _far(places: Floats) -> Floats:
    """How far out places are: 1 at the rim, which is between an ellipse and a rectangle."""
    return np.asarray((np.abs(places) ** CORNERS).sum(axis=1) ** (1 / CORNERS))


def _edge(paper: Paper) -> str:
    turn = np.linspace(0, 2 * np.pi, EDGES, endpoint=False)
    ways = np.column_stack((np.cos(turn), np.sin(turn)))
    at = paper.middle + ways / _far(ways)[:, None] * paper.rim
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in at.tolist())
    return f'<path class="np-edge" d="M{path}z"/>'


def _dot(spot: Spot, paper: Paper) -> str:
    return f'<circle class="np-dot" cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{paper.dot:g}"/>'


def _circle(spot: Spot, draws: int) -> str:
    """What landed on a word: as large an area as it has draws."""
    return (
        f'<circle class="np-came" cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="{spot.radius:.1f}">'
        f"<title>{safe(spot.word)}: {spot.count:,} of {draws:,}</title></circle>"
    )


def _labels(spots: list[Spot], paper: Paper) -> Iterator[str]:
    """The words, where there is room: the middle one, then the commonest, then the nearest."""
    centre, *others = spots
    taken = [_box(centre, 0, 0, 1.3 * paper.letters, centre.word)]
    dots = [Box(spot.x, spot.y, paper.dot, paper.dot) for spot in others]
    written = []
    for i in sorted(range(len(others)), key=lambda i: -others[i].count):
        spot = others[i]
        shown = fit(spot.word, ROOM)
        for across, along in SIDES:
            box = _box(spot, across, along, paper.letters, shown)
            if _within(box, paper) and not any(map(box.meets, (*taken, *dots[:i], *dots[i + 1 :]))):
                taken.append(box)
                kind = "np-near np-landed" if spot.count else "np-near"
                at = (box.x, box.y + 0.34 * paper.letters)
                written.append(text(at, shown, kind, letters=paper.letters))
                break
    yield from written
    at = (centre.x, centre.y + 0.44 * paper.letters)
    yield text(at, fit(centre.word, 2 * ROOM), "np-middle", letters=1.3 * paper.letters)


def _box(spot: Spot, across: int, along: int, letters: float, shown: str) -> Box:
    """The room of a label at one side of a spot."""
    half, high = (ems(shown) + 0.3) * letters / 2, 0.6 * letters
    far = 1 if not (across and along) else 0.75
    x = spot.x + across * (spot.radius * far + half + 1)
    y = spot.y + along * (spot.radius * far + high + 1)
    return Box(x, y, half, high)


def _within(box: Box, paper: Paper) -> bool:
    """Whether the outermost corner of a box leaves the strokes at the rim free."""
    (x, y), (across, along) = paper.middle, paper.rim - STROKE
    u, v = (abs(box.x - x) + box.across) / across, (abs(box.y - y) + box.along) / along
    return bool(u**CORNERS + v**CORNERS <= 1)
