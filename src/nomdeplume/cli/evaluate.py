"""`nomdeplume evaluate`: is the author hidden, and is the topic still there? On one's own texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.core import ParameterSource

from nomdeplume.cli.engines import EngineOptions, engine_options, its_engine, workers_option
from nomdeplume.cli.mechanisms import MechanismOptions, mechanism_options
from nomdeplume.cli.options import (
    ReadingOptions,
    TableOptions,
    bar_shown,
    reading_options,
    table_options,
    typed,
)
from nomdeplume.errors import InputError, PlumeError, at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nomdeplume.engine import Engine
    from nomdeplume.evaluate.evaluation import Evaluation
    from nomdeplume.evaluate.results import Results
    from nomdeplume.evaluate.setting import Setting
    from nomdeplume.evaluate.store import Store
    from nomdeplume.mechanism import Recipe
    from nomdeplume.vocabulary import Vocabulary

PATH = click.Path(path_type=Path)
NONE = "none"  # a mechanism: look at clean texts only
PRIVATE = "it is about private texts: keep it to those who may see them."


class Interrupted(PlumeError):
    """Cut off by its user; what was finished is kept."""

    exit_code = 130


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """Options of `nomdeplume evaluate`: labels, releases, attackers and the output."""

    table: TableOptions
    reading: ReadingOptions
    mechanism: MechanismOptions  # names between commas
    engine: EngineOptions
    author_field: str | None
    topic_field: str | None
    group_field: str | None
    split_field: str | None
    epsilons: str | None
    budgets: str | None
    sizes: str
    reduction: str | None
    attackers: str
    draws: int
    folds: int
    min_documents: int | None
    public: str | None
    released: tuple[str, ...]
    original: str | None
    output: Path | None
    results: Path | None
    hide_authors: bool
    seed: int | None
    fresh: bool
    force: bool
    quiet: bool

    @property
    def shown(self) -> bool:
        """True if progress is shown."""
        return bar_shown(quiet=self.quiet)

    @property
    def labels(self) -> dict[str, str]:
        """The fields of labels that are named, by what each is a label of."""
        named = {
            "author": self.author_field,
            "topic": self.topic_field,
            "group": self.group_field,
            "split": self.split_field,
        }
        return {name: field for name, field in named.items() if field}


@click.command()
@click.argument("corpus", nargs=-1, metavar="[CORPUS]...")
@click.option("--author-field", help="Field of the author. [default: author, if there is one]")
@click.option("--topic-field", help="Field of the topic. [default: topic, if there is one]")
@click.option("--group-field", help="Never tear these apart: test on unseen books, threads, years.")
@click.option("--split-field", help="Field that says train or test, where that is given.")
@click.option("--epsilon", "epsilons", metavar="F,…", help="Per word; several between commas.")
@click.option("--budget", "budgets", metavar="F,…", help="Per document; several between commas.")
@click.option("--size", "sizes", default="100", show_default=True, metavar="N,…", help="Words.")
@click.option(
    "--reduction",
    type=click.Choice(["sample", "apportion"]),
    help="Word by word: draw the words by chance, or apportion them. [default: sample]",
)
@mechanism_options
@click.option(
    "--attackers",
    default="fast",
    show_default=True,
    metavar="fast|full|NAME,…",
    help="Who attacks; one's own as module:function that makes a scikit-learn classifier.",
)
@click.option("--draws", type=int, default=5, show_default=True, help="Releases of every text.")
@click.option("--folds", type=int, default=5, show_default=True, help="Parts that are tested.")
@click.option(
    "--min-documents",
    type=int,
    help="Leave out authors (without authors, topics) with fewer texts. [default: 5; of sotu 20]",
)
@click.option(
    "--public",
    type=click.Path(exists=True),
    metavar="FILE",
    help="Public texts that tell an attacker how often words occur.",
)
@click.option(
    "--released",
    multiple=True,
    type=click.Path(exists=True),
    metavar="FILE",
    help="Judge this release, made elsewhere; again for further draws of it.",
)
@click.option(
    "--original", type=click.Path(exists=True), metavar="FILE", help="The texts it was made of."
)
@click.option("-o", "--output", type=PATH, help="Report to write, an .html file.")
@click.option(
    "--results",
    type=PATH,
    help="JSON with every figure, from which a run goes on. [default: beside the report]",
)
@click.option("--hide-authors", is_flag=True, help="Number authors in the report.")
@table_options
@reading_options
@engine_options("settings, several at a time,")
@workers_option
@click.option("--seed", type=int, help="Repeatable noise: releases are NOT PRIVATE.")
@click.option("--fresh", is_flag=True, help="Begin anew, whatever the results hold.")
@click.option("--force", is_flag=True, help="Replace output that exists.")
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
@typed(EvaluateOptions)
def evaluate(corpus: tuple[str, ...], options: EvaluateOptions) -> int:
    """Attack one's own releases: is the author hidden, is the topic kept?

    CORPUS is records with an author or a topic each, or both: JSONL, CSV, Parquet, Arrow; or
    the name sotu, for speeches to try it on. Every text is released under every setting and
    attacked by those who learnt from such releases; the attacker informed also computes with the
    mechanism's probabilities, as if the noisy mean were released too. Without a mechanism,
    budget or epsilon, stand-ins and the mean are compared. --mechanism takes several names
    between commas, each with a decoding after a slash if one is wanted, and none for clean
    texts only. An engine works on several settings at a time, with the same results.

    \b
    nomdeplume evaluate posts.jsonl -o report.html
    nomdeplume evaluate sotu --epsilon 6,9,12 -o report.html
    nomdeplume evaluate posts.jsonl --mechanism laplace,exponential/rank --budget 300,600
    nomdeplume evaluate pages.csv --group-field book --attackers full -o report.html
    nomdeplume evaluate --released theirs.csv --original texts.csv -o report.html
    nomdeplume evaluate posts.jsonl --budget 5,10,20,40 --engine pool --workers 4 -o report.html
    """
    from nomdeplume.evaluate.report import page
    from nomdeplume.formats.targets import write_whole

    places, engine = _places(corpus, options), its_engine(options.engine)
    evaluation, lacking = _asked(corpus, options)
    from nomdeplume.evaluate.store import Store  # and with it msgspec

    store = Store.open(places[1], evaluation.question, force=options.force, fresh=options.fresh)
    results = _run(evaluation, store, engine, options)
    if places[0]:
        write_whole(places[0], page(results), force=options.force, private=True)
    _tell(results, places, options)
    return 4 if lacking else 0


def _places(corpus: tuple[str, ...], options: EvaluateOptions) -> tuple[Path | None, Path | None]:
    """Report and results, seen to be free and apart before anything is read."""
    from nomdeplume.formats.targets import separate, vacant

    output, results = options.output, options.results
    if output is not None:
        if output.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"a report is an .html file, got {at(output.name)}.")
        vacant(output, force=options.force)
        results = results or output.with_suffix(".json")
    separate((output, results), _named(corpus, options))
    return output, results


def _named(corpus: tuple[str, ...], options: EvaluateOptions) -> list[str]:
    """All files that are read."""
    given = [*corpus, *options.released, options.original, options.public]
    return [name for name in given if name]


def _asked(corpus: tuple[str, ...], options: EvaluateOptions) -> tuple[Evaluation, int]:
    """What is to be evaluated, all options looked at and the corpus read; how many lack labels."""
    from nomdeplume.cli.labelled import elsewhere, read, texts_of
    from nomdeplume.evaluate.attackers import chosen
    from nomdeplume.evaluate.prior import BY_PLACE
    from nomdeplume.extras import evaluations

    evaluations()
    chosen(options.attackers)
    vocabulary, released, public = options.table.vocabulary(), options.released, options.public
    settings = _settings(vocabulary, options)
    if bool(released) != (options.original is not None) or (released and corpus):
        raise InputError("--released and --original belong together, and take the corpus's place.")
    if released:
        _check_elsewhere()
    original = options.original
    found = read(corpus, options) if original is None else elsewhere(original, options)
    from nomdeplume.evaluate.evaluation import Evaluation  # and with it scikit-learn

    asked = Evaluation.of(
        found.corpus,
        vocabulary,
        () if released else settings,
        released=found.released,
        attackers=options.attackers,
        draws=options.draws,
        folds=options.folds,
        public=texts_of(public, options) if public else None,
        seed=options.seed,
        split_field=options.split_field or options.group_field or found.group_field,
        name=found.name,
        prior=f"the public texts of {Path(public).name}" if public else BY_PLACE,
    )
    return asked, found.lacking


def _check_elsewhere() -> None:
    """Refuse what says how to release: that was done elsewhere."""
    context: Any = click.get_current_context()
    given = [
        f"--{name.removesuffix('s')}"
        for name in ("mechanism", "epsilons", "budgets", "sizes", "reduction", "draws", "seed")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise InputError(f"{', '.join(given)}: not for releases that were made elsewhere.")


def _settings(vocabulary: Vocabulary, options: EvaluateOptions) -> list[Setting]:
    from nomdeplume.evaluate.setting import grid

    recipes = [
        _recipe(name.strip(), vocabulary, options)
        for name in _mechanisms(vocabulary, options)
        if name.strip() != NONE
    ]
    return grid(
        recipes,
        epsilons=_numbers("epsilon", options.epsilons),
        budgets=_numbers("budget", options.budgets),
        sizes=[_whole("size", each) for each in _numbers("size", options.sizes)] or [0],
        reduction=options.reduction or "",
    )


def _mechanisms(vocabulary: Vocabulary, options: EvaluateOptions) -> Sequence[str]:
    """The mechanisms that are named; else those that are usual for what else is given."""
    from nomdeplume.evaluate.setting import usual

    made = options.mechanism
    if made.mechanism:
        return made.mechanism.split(",")
    epsilon, budget = (
        next(iter(_numbers(name, given)), None)
        for name, given in (("epsilon", options.epsilons), ("budget", options.budgets))
    )
    meant = made.recipe(vocabulary, epsilon=epsilon, budget=budget, reduction=options.reduction)
    texts = made.odds is not None or made.library is not None
    if meant.mechanism == "standin" and not texts:
        return usual(vocabulary.table.language)
    return (meant.mechanism,)


def _recipe(name: str, vocabulary: Vocabulary, options: EvaluateOptions) -> Recipe:
    mechanism, _, decode = name.partition("/")
    from nomdeplume.mechanism import MECHANISMS

    asked = options.mechanism
    if mechanism in MECHANISMS and not MECHANISMS[mechanism].libraries:
        asked = replace(asked, odds=None, library=None)  # they are for the others that are named
    return replace(asked, mechanism=mechanism, decode=decode or asked.decode).recipe(vocabulary)


def _numbers(name: str, given: str | None) -> list[float]:
    try:
        return [float(each) for each in (given or "").split(",") if each.strip()]
    except ValueError:
        raise InputError(f"--{name} must be numbers between commas, 6,9 say.") from None


def _whole(name: str, value: float) -> int:
    if not (float(value).is_integer() and value >= 1):
        raise InputError(f"--{name} must be whole numbers of at least 1, got {value:g}.")
    return int(value)


def _run(
    evaluation: Evaluation, store: Store, engine: Engine | None, options: EvaluateOptions
) -> Results:
    from nomdeplume.cli.progress import stepped

    try:
        with stepped(evaluation.steps, shown=options.shown) as (tell, step):
            return evaluation.run(store, tell, step, engine)
    except KeyboardInterrupt:
        if store.path is None or not store.parts.keys:
            raise
        raise Interrupted(
            f"interrupted; {at(store.path)} holds what was finished: run this again to go on."
        ) from None


def _tell(results: Results, places: Sequence[Path | None], options: EvaluateOptions) -> None:
    """The conclusion and a line for each cell; where the rest is."""
    from nomdeplume.evaluate.brief import brief

    if options.quiet:
        return
    click.echo(brief(results))
    if left_out := results.corpus.left_out:
        who = f"{left_out:,} text{'s' * (left_out != 1)} left out"
        click.echo(f"nomdeplume: {who}: without a label, or of an author with too few.", err=True)
    for what, place in zip(("report", "results"), places, strict=True):
        if place:
            click.echo(f"nomdeplume: {what} in {at(place)}; {PRIVATE}", err=True)
