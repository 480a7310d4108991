"""The options of `nomdeplume obfuscate`, and the objects that are made from several of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nomdeplume.cli.charges import LedgerOptions
from nomdeplume.cli.engines import EngineOptions
from nomdeplume.cli.mechanisms import MechanismOptions, ReleaseOptions
from nomdeplume.cli.options import ReadingOptions, TableOptions, bar_shown
from nomdeplume.errors import InputError, whole

if TYPE_CHECKING:
    from numpy.random import Generator

    from nomdeplume.formats.drawn import Drawn
    from nomdeplume.formats.records import Fields
    from nomdeplume.formats.spool import Spool
    from nomdeplume.formats.units import Units
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.identifying import IdCheck


@dataclass(frozen=True, kw_only=True)
class ObfuscateOptions:
    """Options of `nomdeplume obfuscate`: input, release, ledger and output."""

    table: TableOptions
    reading: ReadingOptions
    release: ReleaseOptions
    mechanism: MechanismOptions
    charging: LedgerOptions
    engine: EngineOptions
    output: Path | str | None  # a string is an address
    keep: tuple[str, ...]
    allow_identifying_ids: bool
    unit_field: str | None
    max_per_author: int | None
    shuffle: bool
    delta: float | None
    vectors: bool
    empty: str
    certificate_path: Path | None
    withheld: Path | None
    seed: int | None
    strict: bool
    force: bool
    quiet: bool

    def __post_init__(self) -> None:
        if self.vectors and "vector" in self.keep:
            raise InputError("field 'vector' of the output has a meaning of its own; keep another.")
        if self.shuffle:
            self._check_shuffle()
        elif self.delta is not None:
            raise InputError("--delta is about --shuffle; add it.")
        if self.max_per_author is not None:
            self._check_bound(self.max_per_author)

    def _check_bound(self, most: int) -> None:
        """Refuse a bound on documents without authors, or where each author has one document."""
        whole("--max-per-author", most)
        if self.unit_field:
            raise InputError("--unit-field releases one document of each author; give it alone.")
        if not self.charging.author_field:
            raise InputError("--max-per-author needs a field of authors; name it: --author-field.")
        if self.charging.permanent:
            raise InputError(
                "--max-per-author draws other documents in each run, so that --permanent does not "
                "keep its bound; take --unit-field with --permanent."
            )

    def _check_shuffle(self) -> None:
        """Refuse what would number or name documents, and authors whom no field tells apart."""
        from nomdeplume.privacy.shuffled import probability

        if self.delta is not None:
            probability(self.delta)
        if self.keep:
            raise InputError(f"--keep {self.keep[0]}: --shuffle releases texts and nothing beside.")
        if not self.author:
            raise InputError(
                "--shuffle needs one document for each author; name the field of the author with "
                "--unit-field, or with --author-field if nobody has several texts."
            )
        if self.author != self.unit:
            raise InputError("with --shuffle, --unit-field and --author-field must be the same.")
        if self.max_per_author is not None:
            raise InputError("--shuffle is for one document of each author: take --unit-field.")
        if self.charging.permanent:
            raise InputError("--shuffle is about one release; --permanent repeats an earlier one.")

    @property
    def shown(self) -> bool:
        """True if progress is shown."""
        return bar_shown(quiet=self.quiet)

    @property
    def kept_fields(self) -> tuple[str, ...]:
        """The fields that are released as they are, each once."""
        return tuple(dict.fromkeys(self.keep))

    @property
    def keeps_ids(self) -> bool:
        """True if ids of records are released as they are, in place of numbers."""
        return bool({"id", self.reading.id_field} & set(self.keep))

    @property
    def numbered(self) -> bool:
        """True if released documents have numbers."""
        return not (self.keeps_ids or self.shuffle)

    @property
    def unit(self) -> str:
        """The field of units, each released as one document, or an empty string."""
        return self.unit_field or (self.shuffle and self.charging.author_field) or ""

    def delta_among(self, documents: int) -> float | None:
        """The δ up to which the loss of one document among all is stated, if they are shuffled."""
        from nomdeplume.privacy.shuffled import usual_delta

        if not self.shuffle:
            return None
        return usual_delta(documents) if self.delta is None else self.delta

    @property
    def author(self) -> str:
        """The field that names the author of a document, or an empty string."""
        return self.charging.author_field or self.unit_field or ""

    def charged_author(self) -> str:
        """The field of the author whom documents are charged to, or an empty string.

        Refuses options of a ledger where none is named. Without a ledger the field is read
        to draw documents of each author, and to check ids that are kept.
        """
        asked = self.charging
        if asked.ledger is None and asked.limit is not None:
            raise InputError("--limit is about a ledger; name one: --ledger.")
        if asked.ledger is None and asked.permanent:
            raise InputError("--permanent needs the key of a ledger; name one: --ledger.")
        used = asked.ledger or self.max_per_author or self.keeps_ids or self.shuffle
        if asked.author_field is not None and not used:
            raise InputError(
                "--author-field is about a ledger or a bound; name one: --ledger, --max-per-author."
            )
        return self.author if asked.ledger or asked.author_field else ""

    @property
    def units(self) -> Units | None:
        """The units whose texts are released as one document, if that is asked for."""
        from nomdeplume.formats.units import Units

        field = self.unit
        single = field != self.unit_field
        return Units(field, keep=field in self.keep, single=single) if field else None

    def check_rereadable(self, inputs: tuple[str, ...]) -> None:
        """Refuse inputs that cannot be read twice if documents of each author are drawn."""
        from nomdeplume.formats.reading import rereadable

        if self.max_per_author and not rereadable(inputs):
            raise InputError("--max-per-author reads authors first; name files in place of a pipe.")

    def drawn(
        self, inputs: tuple[str, ...], fields: Fields, spool: Spool | None, rng: Generator
    ) -> Drawn | None:
        """The documents that are drawn of each author, if that is asked for.

        A run that resumes draws the same: its spool has the key.
        """
        from nomdeplume.formats.drawn import Drawn

        most = self.max_per_author
        if most is None:
            return None
        records = self.reading.opened(inputs, fields).records
        return Drawn.of(records, self.author, most, spool.generator() if spool else rng)

    def id_check(self) -> IdCheck:
        """The check that refuses ids which tell who wrote a document."""
        from nomdeplume.privacy.identifying import IdCheck

        check = IdCheck.of(
            self.keep,
            id_=self.reading.id_field,
            author=self.author,
            allowed=self.allow_identifying_ids,
        )
        kept = " ".join(f"--keep {name}" for name in check.names)
        fix = f"leave out {kept} to release numbers instead, or add --allow-identifying-ids."
        return IdCheck(check.names, check.authors, fix)

    def read_fields(self, keep: tuple[str, ...], check: IdCheck) -> Fields:
        """The fields that are read: those that come out, and those for the ledger and the check."""
        from nomdeplume.formats.records import Fields

        reading, with_id = self.reading, self.charging.ledger is not None
        return Fields(reading.text_field, reading.id_field, keep, with_id, check.authors)

    def generator(self) -> Generator:
        """A secure generator, unless a seed is given."""
        from nomdeplume.privacy.random import secure, seeded

        return secure() if self.seed is None else seeded(self.seed)

    def described(self, rng: Generator) -> str:
        """The name of the generator in the certificate."""
        from nomdeplume.privacy.random import KEYED, described

        return KEYED if self.charging.permanent else described(rng)

    def obfuscator(self) -> Obfuscator:
        """The obfuscator that the options describe; a terminal shows the progress of making it."""
        from nomdeplume.cli.progress import calibrating
        from nomdeplume.mechanism.contract import STANDIN
        from nomdeplume.obfuscator import Obfuscator

        vocabulary, release = self.table.vocabulary(), self.release
        recipe = self.mechanism.recipe(
            vocabulary,
            epsilon=release.epsilon,
            budget=release.budget,
            size=release.size,
            reduction=release.reduction,
            words=self.vectors,
        )
        with calibrating(len(vocabulary), shown=self.shown) as tell:
            made = Obfuscator.of(
                recipe, vocabulary, size=release.size, reduction=release.reduction or "", tell=tell
            )
        if made.documents.form.sources and STANDIN in self.keep:
            raise InputError(
                f"field {STANDIN!r} of the output is the id of a stand-in; keep another."
            )
        return made
