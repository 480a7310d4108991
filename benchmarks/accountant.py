"""Is the account between the limits of a simulation, what does it save, and how fast is it?

    python benchmarks/accountant.py [CORPUS]

The saving is that between two texts of 100 to 199 kept words: the first two of the corpus (any
kind that `nomdeplume distance --all` reads), by default two letters of the examples, each
repeated until it is long enough. Times are ratios within one run.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import norm

from common import ROOT, best, record
from nomdeplume import Account, Obfuscator
from nomdeplume.formats.reading import open_inputs
from nomdeplume.formats.records import Fields, Record

SETTINGS, DRAWS, ALPHA = 50, 200_000, 1e-4
DELTA, WORDS = 1e-6, 100
DEVIATIONS = float(norm.isf(ALPHA))


def simulated(k: int, losses: Any, rng: np.random.Generator) -> Any:
    """The losses of bags: noise by its length and its angle, which is all that matters."""
    total = np.zeros(DRAWS)
    for s in losses:
        radius, along = rng.gamma(k, size=DRAWS), rng.standard_normal(DRAWS)
        cosine = along / np.sqrt(along**2 + (rng.chisquare(k - 1, DRAWS) if k > 1 else 0))
        total += np.sqrt(np.maximum(radius**2 + s**2 - 2 * radius * s * cosine, 0)) - radius
    return total


def limits(seen: Any, loss: float) -> tuple[float, float]:
    """Limits of δ, each wrong with a chance of ALPHA."""
    each = -np.expm1(np.minimum(loss - seen, 0))
    beside = DEVIATIONS * each.std() / np.sqrt(len(each))
    return float(each.mean() - beside), float(each.mean() + beside)


def against_simulation() -> dict[str, Any]:
    """Settings of dimensions, distances, ε and words, each at three losses of its curve."""
    rng = np.random.default_rng(11)
    between, above_low, less_seen, wide = 0, 0, 0, []
    for _ in range(SETTINGS):
        k, epsilon = int(rng.choice([1, 2, 3, 10, 50, 100, 300])), float(rng.choice([0.5, 1, 3, 6]))
        moves = rng.uniform(0.1, 8, int(rng.choice([1, 2, 5, 20])))
        account, less = (Account.of_bags(e, moves, k) for e in (epsilon, 0.97 * epsilon))
        seen = simulated(k, epsilon * moves, rng)
        at = np.clip(np.quantile(seen, [0.2, 0.6, 0.95]), 0, 0.97 * account.pure).tolist()
        bounds = [limits(seen, loss) for loss in at]
        found = [account.delta(loss) for loss in at]
        above_low += all(low <= delta for (low, _), delta in zip(bounds, found, strict=True))
        between += all(a <= delta <= b for (a, b), delta in zip(bounds, found, strict=True))
        less_seen += any(less.delta(loss) < low for (low, _), loss in zip(bounds, at, strict=True))
        wide += [(high - low) / high for low, high in bounds]
    return {
        "settings": SETTINGS,
        "curve between the lower and the upper limits": between,
        "curve above the lower limits": above_low,
        "settings in which 3 % less epsilon is caught": less_seen,
        "releases simulated for each": DRAWS,
        "median width of the limits": round(float(np.median(wide)), 4),
    }


def saving(account: Account) -> dict[str, float]:
    loss = account.loss(DELTA)
    return {
        "pure": round(account.pure, 2),
        f"up to {DELTA:g}": round(loss, 2),
        "times less": round(account.pure / loss, 2),
    }


def texts(path: str | None) -> tuple[str, list[str]]:
    """Two texts of at least 100 kept words, and where they are from."""
    kept = Obfuscator.laplace().vocabulary
    if path is None:
        letters = [ROOT / "examples" / "letters" / f"{name}.txt" for name in ("bread", "harbour")]
        said = [letter.read_text(encoding="utf-8") for letter in letters]
        return "two letters of the examples, each repeated", [
            " ".join([text] * -(-WORDS // len(kept.bag(text)))) for text in said
        ]
    records = (
        each.text for each in open_inputs([path], Fields()).records if isinstance(each, Record)
    )
    long = (text for text in records if WORDS <= len(kept.bag(text)) < 2 * WORDS)
    return path.replace("\\", "/").rpartition("/")[2], list(islice(long, 2))


def real_texts(path: str | None) -> dict[str, Any]:
    """The saving for releases of 100 words between two real texts, at several budgets."""
    name, (x, y) = texts(path)
    kept = Obfuscator.laplace().vocabulary
    found: dict[str, Any] = {"texts": name, "kept words": [len(kept.bag(each)) for each in (x, y)]}
    for reduction in ("sample", "apportion"):
        for epsilon in (0.1, 1.0, 6.0):
            obfuscator = Obfuscator.laplace(epsilon=epsilon, size=WORDS, reduction=reduction)
            found[f"{reduction}, ε = {epsilon:g}"] = saving(obfuscator.account(x, y))
    return found


def speed() -> dict[str, Any]:
    """Beside dp-accounting on a line, and beside a simulation that is right to 1 % of δ."""
    moves = np.random.default_rng(2).uniform(3, 8, WORDS)
    ours = best(lambda: Account.of_bags(6.0, moves, 100).loss(DELTA))
    line = best(lambda: Account.of_bags(1.0, [0.1] * WORDS, 1).loss(DELTA))

    def theirs() -> float:
        one = privacy_loss_distribution.from_laplace_mechanism(10)
        return float(one.self_compose(WORDS).get_epsilon_for_delta(DELTA))

    rng = np.random.default_rng(2)
    simulating = best(lambda: simulated(100, 6.0 * moves, rng), 1) / DRAWS
    return {
        "milliseconds for 100 different words in 100 dimensions": round(1000 * ours, 1),
        "times as fast as dp-accounting, 100 equal words on a line": round(best(theirs) / line, 1),
        "relative difference from it": float(
            f"{Account.of_bags(1.0, [0.1] * WORDS, 1).loss(DELTA) / theirs() - 1:.1e}"
        ),
        "times as fast as a simulation that is right to 1 % of δ": float(
            f"{simulating * 1e4 / DELTA / ours:.1e}"
        ),
    }


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else None
    record(
        "accountant" if path is None else "accountant-corpus",
        {
            "against simulation": against_simulation(),
            "100 words of loss 10 in 100 dimensions": saving(Account.of_bags(1, [10.0] * 100, 100)),
            "100 words of loss 5 in 10 dimensions": saving(Account.of_bags(1, [5.0] * 100, 10)),
            "one word of loss 5 in 10 dimensions": saving(Account.of_bags(1, [5.0], 10)),
            "real texts": real_texts(path),
            "speed": speed(),
        },
    )


if __name__ == "__main__":
    main()
