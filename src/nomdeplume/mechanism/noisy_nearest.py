"""The paper's mechanism: noise on a word's vector, then the nearest word; and its relatives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from nomdeplume.decode import Decode, Decoder, Nearest
from nomdeplume.decode.nearest import Search
from nomdeplume.distance import Chord
from nomdeplume.distance.ground import directions
from nomdeplume.errors import InputError, stated
from nomdeplume.mechanism.contract import Declaration
from nomdeplume.mechanism.image import Image, Projection, Unit, imaged
from nomdeplume.mechanism.inputs import prepared, renewed
from nomdeplume.mechanism.word_by_word import word_by_word
from nomdeplume.nearest import Auto, Exact, Scan
from nomdeplume.noise import Laplace, Noise, Planar, to_grid
from nomdeplume.privacy.exact import laplace_channel
from nomdeplume.privacy.guarantee import Guarantee
from nomdeplume.privacy.random import is_private
from nomdeplume.table import Table

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

WORDS = 1 << 13  # words released together: bounds the memory, whatever is asked for


@dataclass(frozen=True, eq=False)
class NoisyNearest:
    """Add noise to a word's vector, then take the nearest word.

    What follows the noise is handed the noisy vector alone, so it can only lose
    information: the guarantee is that of the noise. `outputs` are the ids that may be
    released, a public choice; all words of the table if none are given. A public `image` of
    the vectors may get the noise in their place, and another `decoder` choose the word.
    """

    table: Table
    noise: Noise
    outputs: Ids | None = None
    image: Image | None = field(default=None, kw_only=True)
    decoder: Decoder = field(default=Nearest(), kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.noise.guarantee.metric, Chord) and not isinstance(self.image, Unit):
            raise InputError("noise on the sphere is for vectors of length 1; give image=Unit().")
        word = self.guarantee  # refused now, if nothing can be promised
        stated("epsilon", word.epsilon, word.metric.widest(lambda: 2 * self.table.radius))
        least = self.places.dimensions / (2.0**42 * self.places.grid)
        if self.noise.guarantee.epsilon < least:
            raise InputError(
                f"epsilon must be at least {least:.3g} on this table, got "
                f"{self.noise.guarantee.epsilon!r}: below, floats cannot hold the noise."
            )
        somewhere = directions(np.zeros((1, self.places.dimensions)))
        self.noise.log_density(somewhere, somewhere)  # refuses dimensions that it has no law for

    @property
    def name(self) -> str:
        """That of its noise, or of the mechanism that this noise and this decoder are known as."""
        known = (self.noise.name, self.decoder.name) == ("laplace", "vickrey")
        return self.decoder.name if known else self.noise.name

    @property
    def settings(self) -> dict[str, float | str]:
        """What makes it besides its name and ε: for a certificate."""
        image = self.image.settings if self.image else {}
        return self.noise.settings | image | self.decoder.settings

    @property
    def guarantee(self) -> Guarantee:
        """That of the noise on images, in terms of the table's own vectors."""
        noise = self.noise.guarantee
        word = self.image.guarantee(noise) if self.image else noise
        return replace(word, proofs=(*word.proofs, *self.decoder.proofs))

    @property
    def declaration(self) -> Declaration:
        return Declaration(
            together=WORDS,
            laplace=(self.guarantee.epsilon, self.places.dimensions) if self._laplace else None,
            channel=self._channel if self._on_a_line else None,
            agreement=self.agreement,
            at=self.at,
            elsewhere=self.elsewhere,
            vectors=self,
        )

    documents = word_by_word

    @cached_property
    def places(self) -> Table:
        """The table as it is searched: the images of its words."""
        return imaged(self.table, self.image)

    @cached_property
    def decode(self) -> Decode:
        """From noisy vectors to words; it is made of public things and gets nothing else."""
        return self.decoder.over(self.places, self.outputs, self.noise)

    def elsewhere(self, table: Table, epsilon: float) -> Self:
        """The same mechanism for another table, all of whose words may come out.

        Noise on the sphere has the words of a small world lifted, so that they have directions.
        """
        lifted, epsilon = self.noise.lifted(table, epsilon)
        image = self.image.fitted(lifted) if self.image else None
        noise = self.noise.fitted(imaged(lifted, image), epsilon)
        decoder = self.decoder.elsewhere()
        return replace(self, table=lifted, noise=noise, outputs=None, image=image, decoder=decoder)

    def at(self, epsilon: float) -> Self:
        """The same mechanism under another ε."""
        return self.under(self.noise.at(epsilon))

    def under(self, noise: Noise) -> Self:
        """The same with other noise; an index takes long to make and does not depend on it."""
        decode = self.decoder.again(self.decode, self.places, self.outputs, noise)
        return renewed(self, "places", noise=noise, decode=decode)

    def decoded(self, decode: Decode) -> Self:
        """The same mechanism with another step from noisy vectors to words."""
        return renewed(self, "places", decode=decode)

    def release(self, ids: Ids, rng: Generator) -> Ids:
        if (there := self._on_card(ids, rng)) is not None:
            return there
        released = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), WORDS):
            noisy = self.noise.add(self.vectors(ids[start : start + WORDS]), rng)
            released[start : start + WORDS] = self.decode(to_grid(noisy, self.places.grid), rng)
        return released

    def _on_card(self, ids: Ids, rng: Generator) -> Ids | None:
        """The same on a card, if it pays, and if nobody must be able to draw the noise again."""
        search = self.decode
        if not isinstance(search, Search) or not isinstance(search.index, Auto):
            return None
        own = (
            type(self).vectors is NoisyNearest.vectors and type(search).__call__ is Search.__call__
        )
        portable = own and vars(type(self.noise)).get("portable")  # what is made of them may differ
        there = search.index.on_card(len(ids)) if portable and is_private(rng) else None
        if there is None:
            return None
        from nomdeplume.mechanism.on_card import released

        image = self.vectors if self.image else None
        work = partial(released, there, self.noise, self.places.grid, ids, image)
        found = search.index.tried(work)
        return None if found is None else search.after(found, rng)

    def agreement(self, ids: Ids, rng: Generator) -> float | None:
        """Share of these words for which a compressed search finds the nearest; none if exact."""
        index = getattr(self.decode, "index", None)
        if not isinstance(index, Scan):
            return None
        noisy = to_grid(self.noise.add(self.vectors(ids), rng), self.places.grid)
        exact = Exact(self.places, self.outputs).nearest(noisy)
        return float((index.nearest(noisy) == exact).mean())

    @property
    def _laplace(self) -> bool:
        """True if it is Laplace noise on vectors or a projection of them, however decoded.

        A subclass may do anything with the noise, and another image with the vectors.
        """
        plain = self.image is None or type(self.image) is Projection
        return type(self) is NoisyNearest and type(self.noise) in (Laplace, Planar) and plain

    @property
    def _on_a_line(self) -> bool:
        """True if it is Laplace noise on a line and the nearest of all words."""
        everything = self.outputs is None or len(np.unique(self.outputs)) == len(self.table)
        nearest = self.decoder in (Nearest(), Nearest(index="auto"), Nearest(index="exact"))
        line = self.image is None and self.table.dimensions == 1
        law = type(self) is NoisyNearest and self.noise.name == "laplace"  # or what claims it
        return law and line and nearest and everything

    def _channel(self, ids: Ids) -> Floats:
        places = self.table.vectors[:].astype(np.float64).ravel()
        return laplace_channel(places, self.guarantee.epsilon, places[ids])

    def vectors(self, ids: Ids) -> Floats:
        """What noise is added to: vectors of words, or their images, in float64."""
        vectors = self.table.vectors[ids].astype(np.float64)
        return self.image(vectors) if self.image else vectors

    __getstate__ = prepared
