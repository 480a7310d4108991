"""What was done, so that somebody else can do it again, and what the figures mean."""

from __future__ import annotations

from nomdeplume.evaluate.attackers import ABOUT
from nomdeplume.evaluate.report.reading import at, number, sequence, words
from nomdeplume.evaluate.report.study import Study
from nomdeplume.evaluate.report.wording import count, listed, looks
from nomdeplume.picture.writing import safe

GLOSSARY = (
    ("author accuracy", "the share of documents whose author the attacker names rightly."),
    ("adaptive, static", "trained on releases by the same mechanism; trained on clean texts only."),
    ("5, 20 documents", "the scores of so many documents of one author, added. Each is scored by a "
     "model that never saw it, though it may have learnt from the others."),
    ("chance", "one over the number of authors. Most frequent author: always naming that one. "
     "True topic alone: the best guess of one who is told the topic and reads nothing."),
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


def section(study: Study) -> str:
    return f"<dl>{_facts(study)}</dl>\n{_attackers(study)}"


def glossary() -> str:
    rows = "".join(f"<dt>{name}</dt><dd>{said}</dd>" for name, said in GLOSSARY)
    return f'<dl class="small">{rows}</dl>'


def _facts(study: Study) -> str:
    facts = {
        "corpus": _corpus(study),
        "split": _split(study),
        "draws": _draws(study),
        "prior": words(at(study.results, "protocol", "prior")),
        "table": _table(study),
        "fingerprint": words(at(study.results, "protocol", "fingerprint")),
        "features": words(at(study.results, "protocol", "features")),
        "time": _time(study),
        "nomdeplume": words(at(study.results, "nomdeplume")),
    }
    return "".join(
        f"<dt>{name}</dt><dd{looks('code' * (name == 'fingerprint'))}>{safe(said)}</dd>"
        for name, said in facts.items()
        if said
    )


def _corpus(study: Study) -> str:
    facts = at(study.results, "corpus")
    kept, out = number(at(facts, "kept_words")), number(at(facts, "left_out"))
    parts = [
        words(at(facts, "name")),
        count(number(at(facts, "documents")), "document"),
        f"{kept:.4g} kept words in a text on average" if kept is not None else "",
        f"{count(out, 'document')} left out" if out else "",
    ]
    return ", ".join(each for each in parts if each)


def _split(study: Study) -> str:
    protocol = at(study.results, "protocol")
    folds, split = number(at(protocol, "folds")), words(at(protocol, "split"))
    return ", ".join(each for each in (count(folds, "fold"), split) if each)


def _draws(study: Study) -> str:
    protocol = at(study.results, "protocol")
    draws, training = number(at(protocol, "draws")), number(at(protocol, "training_draws"))
    seed = number(at(protocol, "seed"))
    parts = [
        f"every document released {count(draws, 'time')}" if draws is not None else "",
        f"adaptive attackers train on {count(training, 'release')} of each" if training else "",
        f"{listed(list(study.counts))} documents at attack time" if len(study.counts) > 1 else "",
        f"seed {seed:g}, so not private" if seed is not None else "noise from the system",
    ]
    return "; ".join(each for each in parts if each) if protocol else ""


def _table(study: Study) -> str:
    protocol = at(study.results, "protocol")
    size, d = number(at(protocol, "table_words")), number(at(protocol, "dimensions"))
    kept = number(at(protocol, "kept"))
    parts = [
        words(at(protocol, "table")),
        f"{size:,.0f} words × {d:g}" if size is not None and d is not None else "",
        f"{kept:,.0f} kept" if kept is not None else "",
    ]
    return ", ".join(each for each in parts if each)


def _time(study: Study) -> str:
    spent = [seconds for cell in study.cells if (seconds := number(cell.facts.get("seconds")))]
    total = sum(spent)
    if not spent:
        return ""
    return f"{total:.1f} seconds" if total < 100 else f"{total / 60:,.0f} minutes"


def _attackers(study: Study) -> str:
    rows = "".join(
        f"<dt>{safe(name)}</dt><dd>{_line(name) or 'an attacker of its own'}</dd>"
        for name in study.attackers
    )
    topics = sequence(at(study.results, "topics"))
    note = "<p>Topics are told by the same kinds of lines, from words and from vectors.</p>"
    made = f"<h3>The attackers</h3>\n<dl>{rows}</dl>\n" if rows else ""
    return made + (note if topics and rows else "")


def _line(name: str) -> str:
    return ABOUT.get(name, "brought along by who evaluates")
