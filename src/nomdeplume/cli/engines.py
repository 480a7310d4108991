"""Options that say where work is done: in processes here, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from nomdeplume.errors import InputError, whole

if TYPE_CHECKING:
    from nomdeplume.engine import Engine

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Options of the engine: processes on this machine, or Ray."""

    engine: str | None
    address: str | None
    workers: int | None


class PathOrAddress(click.Path):
    """A path; an address stays as it was typed."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


def engine_options(what: str) -> Callable[[Command], Command]:
    """--engine and --address; `what` the engine works on."""

    def decorated(command: Command) -> Command:
        command = click.option(
            "--address",
            metavar="HOST:PORT",
            help="Of a Ray cluster that runs. [default: RAY_ADDRESS, or a Ray on this machine]",
        )(command)
        return click.option(
            "--engine",
            type=click.Choice(["pool", "ray"]),
            help=f"Work on {what} in processes on this machine, or on Ray.",
        )(command)

    return decorated


def workers_option(command: Command) -> Command:
    return click.option(
        "--workers",
        type=int,
        metavar="N",
        help="Processes of the engine. [default: as many as there are cores, or cards]",
    )(command)


def open_engine(options: EngineOptions) -> Engine | None:
    """The engine that is asked for, if one is."""
    from nomdeplume.workers import MOST

    if options.workers is not None:
        whole("workers", options.workers, most=MOST)
    if options.engine is None:
        if options.address is not None:
            raise InputError("--address is that of a Ray cluster; it goes with --engine ray.")
        return None
    from nomdeplume.devices import chosen
    from nomdeplume.engine import engine

    return engine(
        options.engine,
        workers=options.workers,
        address=options.address,
        gpus=chosen() not in ("auto", "cpu"),
    )


def its_engine(options: EngineOptions) -> Engine | None:
    """The same of a command that has workers on an engine only."""
    if options.workers is not None and options.engine is None:
        raise InputError("--workers are those of an engine; they go with --engine pool or ray.")
    return open_engine(options)
