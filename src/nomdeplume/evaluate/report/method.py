"""The method, so that others can repeat it, and the meaning of the figures."""

from __future__ import annotations

from nomdeplume.evaluate.attackers import ABOUT
from nomdeplume.evaluate.report.wording import count, listed, looks
from nomdeplume.evaluate.results import Corpus, Protocol, Results
from nomdeplume.picture.writing import safe

GLOSSARY = (
    ("author accuracy", "the share of documents whose author the attacker names rightly."),
    ("adaptive, static", "trained on releases by the same mechanism; trained on clean texts only."),
    ("5, 20 documents", "the scores of so many documents of one author, added. Each is scored by a "
     "model that never saw it, though it may have learnt from the others."),
    ("chance", "one over the number of authors. Most frequent author: always naming that one. "
     "True topic alone: the best guess of one who is told the topic and reads nothing."),
    ("at most, by the promise", "the largest share of single documents whose author anybody can "
     "name on average, by ε and the share of the author with most texts. Known if the promise is "
     "between any two texts."),
    ("topic accuracy", "the share of documents whose topic is told rightly; release → release, "
     "the better of words and vectors, unless said otherwise."),
    ("macro F1", "the mean over authors, or topics, of F1: small ones count as large ones do."),
    ("AUC, c@1", "how well pairs by one author are told from other pairs; accuracy that rewards "
     "leaving hard pairs open."),
    ("ε, N, E", "loss per word and unit of distance; words in a release; the budget of a document: "
     "word by word ε·N, for the mean given directly. That of an author is E times the mean number "
     "of documents."),
    ("interval", "written small behind a figure: 95 %, over draws and folds. It says how sure the "
     "measurement is, not what another attacker might do."),
    ("–", "not measured, or not measurable."),
)  # fmt: skip


def section(results: Results) -> str:
    return f"<dl>{_facts(results)}</dl>\n{_attackers(results)}"


def glossary() -> str:
    rows = "".join(f"<dt>{name}</dt><dd>{said}</dd>" for name, said in GLOSSARY)
    return f'<dl class="small">{rows}</dl>'


def _facts(results: Results) -> str:
    protocol = results.protocol
    facts = {
        "corpus": _corpus(results.corpus),
        "split": f"{count(protocol.folds, 'fold')}, {protocol.split}",
        "draws": _draws(results),
        "prior": protocol.prior,
        "table": _table(protocol),
        "fingerprint": protocol.fingerprint,
        "features": protocol.features,
        "time": _time(results),
        "nomdeplume": results.nomdeplume,
    }
    return "".join(
        f"<dt>{name}</dt><dd{looks('code' * (name == 'fingerprint'))}>{safe(said)}</dd>"
        for name, said in facts.items()
        if said
    )


def _corpus(corpus: Corpus) -> str:
    parts = [
        corpus.name,
        count(corpus.documents, "document"),
        f"{corpus.kept_words:.4g} kept words in a text on average",
        f"{count(corpus.left_out, 'document')} left out" if corpus.left_out else "",
    ]
    return ", ".join(each for each in parts if each)


def _draws(results: Results) -> str:
    protocol, counts = results.protocol, [str(each) for each in results.counts]
    seed = protocol.seed
    parts = [
        f"every document released {count(protocol.draws, 'time')}",
        f"adaptive attackers train on {count(protocol.training_draws, 'release')} of each",
        f"{listed(counts)} documents at attack time" if len(counts) > 1 else "",
        "noise from the system" if seed is None else f"seed {seed}, so not private",
    ]
    return "; ".join(each for each in parts if each)


def _table(protocol: Protocol) -> str:
    size = f"{protocol.table_words:,} words × {protocol.dimensions}"
    return f"{protocol.table}, {size}, {protocol.kept:,} kept"


def _time(results: Results) -> str:
    total = sum(cell.seconds for cell in results.cells)
    if not total:
        return ""
    return f"{total:.1f} seconds" if total < 100 else f"{total / 60:,.0f} minutes"


def _attackers(results: Results) -> str:
    rows = "".join(
        f"<dt>{safe(name)}</dt><dd>{_line(name)}</dd>" for name in results.clean.attackers
    )
    note = "<p>Topics are told by the same kinds of lines, from words and from vectors.</p>"
    made = f"<h3>The attackers</h3>\n<dl>{rows}</dl>\n" if rows else ""
    return made + (note if results.topics and rows else "")


def _line(name: str) -> str:
    return ABOUT.get(name, "brought along by who evaluates")
