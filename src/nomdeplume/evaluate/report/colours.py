"""Colours of the page, on light and on dark ground: calm ones, and dark enough to be read."""

from __future__ import annotations

from nomdeplume.picture.writing import shade

STEPS = 10  # shades of a heat map above chance
LEVELS = 9  # shades of a matrix
INKS = ("#000000", "#ffffff")  # upon a colour, whichever is read better
WARM = ("#ffffff", "#f6dfe2", "#e9b3bd", "#cf7389", "#a93a5c", "#7a1540")  # from chance to certain
GLOW = ("#14181d", "#38202a", "#5e2a3d", "#8f3f58", "#cf7389", "#f7bcc6")  # the same in the dark
LIGHT = {
    "ink": "#1f2933", "soft": "#5a6673", "line": "#dde2e7", "paper": "#ffffff", "wash": "#f6f7f9",
    "risk": "#a3264f", "keep": "#1c6a86", "warn": "#9a3412", "here": "#fdf3d7", "link": "#1d4ed8",
    "s0": "#1d4ed8", "s1": "#15803d", "s2": "#c2410c", "s3": "#7e22ce", "s4": "#0e7490",
    "s5": "#be185d", "s6": "#6b6200",
}  # fmt: skip
DARK = {
    "ink": "#e4e7eb", "soft": "#a3adb8", "line": "#323b45", "paper": "#14181d", "wash": "#1c2229",
    "risk": "#f08aa5", "keep": "#6cc3de", "warn": "#ffad80", "here": "#3a3320", "link": "#8fb1ff",
    "s0": "#7aa2ff", "s1": "#5bd08a", "s2": "#ff9466", "s3": "#c99bff", "s4": "#5fd0e6",
    "s5": "#ff8ab8", "s6": "#d6c84f",
}  # fmt: skip


def luminance(colour: str) -> float:
    """How bright a colour is, as WCAG reckons it."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1, the same, to 21, black on white; text is read well from 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def inked(colour: str) -> str:
    """The ink that is read better upon a colour."""
    return max(INKS, key=lambda ink: contrast(ink, colour))


def variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


def heat(stops: tuple[str, ...]) -> str:
    """A rule for each shade of a heat map and of a matrix, and for the ink upon it."""
    shades = [shade(i / STEPS, stops) for i in range(STEPS + 1)]
    rules = [f".h{i}{{background:{c};color:{inked(c)}}}" for i, c in enumerate(shades)]
    levels = [shade((i + 0.6) / (LEVELS + 0.6), stops) for i in range(1, LEVELS + 1)]
    for i, colour in enumerate(levels, start=1):
        rules.append(f".m{i}{{stroke:{colour}}}svg text.n{i}{{fill:{inked(colour)}}}")
    return "".join(rules)
