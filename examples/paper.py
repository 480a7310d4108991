"""Algorithm 1 of the paper, step by step: a text in, N noisy words out.

    python examples/paper.py examples/letters/bread.txt --epsilon 6
    python examples/paper.py letter.txt --epsilon 6 --table glove.6B.300d.txt

The paper is Fernandes, Dras and McIver, "Author Obfuscation using Generalised Differential
Privacy" (2018). docs/paper.md lists its statements and its errata. `nomdeplume obfuscate
--epsilon 6` draws the same words from the same randomness. It also checks its options, writes a
certificate, keeps a ledger and releases many documents at a time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.random import Generator

from nomdeplume import Laplace, Table, Vocabulary, secure, seeded
from nomdeplume.bag import sample
from nomdeplume.nearest import Exact
from nomdeplume.noise import to_grid


def release(
    text: str, vocabulary: Vocabulary, *, epsilon: float, size: int, rng: Generator
) -> list[str]:
    """`size` noisy words of a text, in alphabetical order."""
    table = vocabulary.table

    # 1. The bag of words. Order, case, stop words and words that the table lacks are dropped.
    #    A text without kept words becomes a fixed public bag: a refusal would be an answer.
    bag = vocabulary.filled(text)

    # 2. N words, drawn from the bag by frequency, with replacement. N is public.
    [ids] = sample([bag], size, rng)  # (N,)

    # 3. The vector of each word as it stands in the table, where the distance d is measured.
    vectors = table.vectors[ids].astype(np.float64)  # (N, k)

    # 4. Independent noise z for each word, with density ∝ exp(−ε‖z‖). The sampler computes
    #    z = R·g/‖g‖ with a radius R ~ Gamma(k, 1/ε) and a direction g ~ N(0, 1)ᵏ.
    noisy = Laplace(epsilon).add(vectors, rng)

    #    Floats have gaps that depend on the vector under the noise. Rounding hides them.
    noisy = to_grid(noisy, table.grid)

    # 5. The kept word nearest to each noisy vector. This step does not see the original word.
    released = Exact(table, vocabulary.ids).nearest(noisy)

    # 6. A public order, because the order of the text would identify it.
    return sorted(table.words[i] for i in released)


def main() -> None:
    parser = argparse.ArgumentParser(description="The paper's release of one text.")
    parser.add_argument("text", type=Path, help="a text file in UTF-8")
    parser.add_argument("--epsilon", type=float, default=6.0, help="ε of each word (6)")
    parser.add_argument("--size", type=int, default=100, help="N, the number of words (100)")
    parser.add_argument("--table", type=Path, help="a file of word vectors (the bundled table)")
    parser.add_argument("--seed", type=int, help="repeatable noise for experiments: NOT PRIVATE")
    args = parser.parse_args()

    vocabulary = Vocabulary.of(Table.open(args.table) if args.table else Table.bundled())
    rng = secure() if args.seed is None else seeded(args.seed)
    text = args.text.read_text(encoding="utf-8", errors="replace")
    words = release(text, vocabulary, epsilon=args.epsilon, size=args.size, rng=rng)
    if args.seed is not None:
        print("# NOT PRIVATE: the noise can be replayed and undone, so no promise holds")
    print(*words)

    # The losses of N words add up, so the budget of the document is E = N·ε, not ε.
    word = Laplace(args.epsilon).guarantee  # ε·d between two words
    samples, texts = word.over_bags(args.size), word.over_samples(args.size)
    promise = f"{samples.formula} between two samples, {texts.formula} between two texts"
    print(f"loss at most {promise}", file=sys.stderr)


if __name__ == "__main__":
    main()
