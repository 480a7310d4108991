"""What a release would promise between two texts, for `nomdeplume distance`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from nomdeplume.obfuscator import Obfuscator
    from nomdeplume.privacy.guarantee import Guarantee
    from nomdeplume.privacy.loss import Loss
    from nomdeplume.vocabulary import Vocabulary


class Promised(NamedTuple):
    """What a release promises between two texts: purely and, if asked for, up to a δ."""

    guarantee: Guarantee
    loss: Loss
    at_delta: Loss | None
    nearer: Loss | None  # by the mean features of these two, at the document level
    obfuscator: Obfuscator


def promised(vocabulary: Vocabulary, x: str, y: str, options: dict[str, Any]) -> Promised | None:
    """The promise of a release with the given options, if one is spoken of."""
    if options["epsilon"] is None and options["budget"] is None:
        return None
    from nomdeplume.obfuscator import Obfuscator

    parameters = {name: options[name] for name in ("epsilon", "budget", "size")}
    made = Obfuscator.of(None, vocabulary, **parameters, reduction=options["reduction"] or "")
    count, delta = options["documents"], options["delta"]
    losses = [_loss(each, x, y, count) for each in made.guarantees[-made.level.of_texts :]]
    guarantee, loss = made.guarantee, losses[-1]
    if count is not None:
        guarantee = guarantee.over_documents(count)
    nearer = losses[0] if len(losses) > 1 else None
    if delta is None:
        return Promised(guarantee, loss, None, nearer, made)
    account = made.account(x, y).over_releases(count or 1)
    return Promised(guarantee, loss, min(loss, account.loss(delta)), nearer, made)


def _loss(guarantee: Guarantee, x: str, y: str, count: int | None) -> Loss:
    if count is None:
        return guarantee.loss(x, y)
    return guarantee.over_documents(count).loss([x] * count, [y] * count)


def sentences(promise: Promised, options: dict[str, Any]) -> list[str]:
    """The promise in words, how it is made up, and a fair word on it."""
    from nomdeplume.privacy.loss import up
    from nomdeplume.privacy.promise import WEAK

    guarantee, loss, at_delta, nearer, _ = promise
    symbol = guarantee.metric.symbol
    first = (
        f"{_what(promise, options)} by at most a factor of {loss.factor}: "
        f"the loss is at most {guarantee.formula} = {up(loss, 6)} nats, with {symbol} = "
        f"{loss / guarantee.epsilon:.4f} between {guarantee.between}."
    ).replace(f" · {symbol}", f"\u00a0·\u00a0{symbol}")
    tighter = "" if nearer is None else _by_means(guarantee, nearer, options["documents"])
    second = "" if at_delta is None else _up_to(nearer or loss, at_delta, options)
    weak = WEAK if (loss if nearer is None else nearer) > 10 else ""
    return [said for said in (first, tighter, second, weak) if said]


def _what(promise: Promised, options: dict[str, Any]) -> str:
    """What is released, and between whom it shifts odds."""
    made, count = promise.obfuscator, options["documents"]
    words = f"{made.size} words" if made.size > 1 else "one word"
    if made.level.at_once:
        how = f"{words}, composed from a noisy mean at E = {made.guarantee.epsilon:g},"
    else:
        way = {"sample": "drawn by chance", "apportion": "apportioned"}[made.reduction]
        how = f"{words}, {way}, at ε = {made.mechanism.guarantee.epsilon:g},"
    if count is None:
        return f"One release of {how} can shift anyone's odds between the two texts"
    between = f"two authors of {count} documents, all as far apart as these,"
    return f"{count} releases, each of {how} together can shift anyone's odds between {between}"


def _by_means(guarantee: Guarantee, nearer: Loss, count: int | None) -> str:
    """The loss of this pair, which their mean features bound more tightly than W₁ does."""
    from nomdeplume.privacy.loss import up

    apart = nearer / guarantee.epsilon / (count or 1)
    who = "these two" if count is None else "documents all like these two"
    return (
        f"Between {who} it is less: their mean features are {apart:.4f} apart, so at most "
        f"{up(nearer, 6)} nats are lost, a factor of {nearer.factor}."
    )


def _up_to(loss: Loss, at_delta: Loss, options: dict[str, Any]) -> str:
    """What is lost up to δ, after what is lost purely; nothing, if nothing is lost at all.

    It follows from how words move and not from a distance, so it is no statement about all
    documents that are as far apart.
    """
    from nomdeplume.privacy.loss import up

    delta, count = options["delta"], options["documents"]
    if not loss:
        return ""
    if up(at_delta, 4) == up(loss, 4):
        return f"Up to δ = {delta:g} no less is known to be lost."
    moved = f" for {count} documents whose words move as those of these two do" if count else ""
    return (
        f"Up to δ = {delta:g} less is lost{moved}: P(S) ≤ exp(ε′)\u00a0·\u00a0P′(S) + δ for every "
        "set S of releases, P from one of the two and P′ from the other, with ε′ = "
        f"{up(at_delta, 4)} nats{_saving(loss, at_delta)}."
    )


def _saving(loss: Loss, at_delta: Loss) -> str:
    """How many times less that is, never said to be more than it is, nor if it is none."""
    ratio = loss / at_delta if at_delta else 1.0
    times = f"{int(10 * ratio) / 10:g}" if ratio < 100 else f"{int(ratio):,}"
    return "" if times == "1" else f", {times} times less than the pure bound"


def release_facts(promise: Promised, options: dict[str, Any]) -> dict[str, Any]:
    """The promise for programs."""
    guarantee, loss, at_delta, nearer, made = promise
    facts: dict[str, Any] = {
        "mechanism": made.mechanism.name,
        "formula": f"loss ≤ {guarantee.formula}",
        "between": guarantee.between,
        "distance": loss / guarantee.epsilon,
        "proofs": guarantee.proofs,
        "loss": loss,
        "factor": loss.factor,
    }
    if nearer is not None:
        facts |= {"loss_of_means": nearer, "factor_of_means": nearer.factor}
    if at_delta is not None:
        facts |= {"delta": options["delta"], "loss_at_delta": at_delta}
    return facts
