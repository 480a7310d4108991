"""`nomdeplume studio`: the page on this machine."""

from __future__ import annotations

import threading
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import rich_click as click

from nomdeplume.cli.options import TableOptions, table_options, typed
from nomdeplume.errors import at

ASK = "?"  # the password is asked for on the terminal
CLEAR = (
    "others on the network can read what passes between their browser and this machine; an SSH "
    "tunnel to a studio on 127.0.0.1 is safer."
)


@dataclass(frozen=True, kw_only=True)
class StudioOptions:
    """Options of `nomdeplume studio`: the address, the password and the ledger."""

    table: TableOptions
    port: int
    host: str
    password: str
    ledger: Path | None
    limit: float | None
    no_browser: bool


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="[default: any free one]")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where it listens; one that others can reach needs --password.",
)
@click.option(
    "--password",
    is_flag=False,
    flag_value=ASK,
    default="",
    metavar="[TEXT]",
    envvar="NOMDEPLUME_STUDIO_PASSWORD",
    help="What others must know; without TEXT it is asked for, else the list of processes has it.",
)
@click.option(
    "--ledger",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Charge releases to this file, and those whose budgets do not add up with these to the "
    "one beside it, FILE-2. [default: one in your data folder]",
)
@click.option(
    "--limit",
    type=float,
    metavar="E",
    help="Most that a text or an author may spend. [default: the ledger's; 100 for a new one]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@table_options
@typed(StudioOptions)
def studio(options: StudioOptions) -> int:
    """Open a page on this machine to release, understand, attack and calibrate.

    Texts stay in the memory of this process; nothing is sent elsewhere, logged, or written but
    what a release spends. The address has a key in it; on Linux other users need to be you, too.

    \b
    nomdeplume studio
    nomdeplume studio --ledger letters.ledger --limit 40
    nomdeplume studio --host 0.0.0.0 --port 8080 --password
    """
    from nomdeplume.extras import installed

    installed("nicegui", "pages", "web")
    from nomdeplume.web.door import is_loopback
    from nomdeplume.web.server import Place, check, serve
    from nomdeplume.web.studio import Studio, usual_ledger

    password = options.password
    if password == ASK:
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    if password or not is_loopback(options.host):
        check(password)
    ledger = options.ledger or usual_ledger()
    vocabulary = options.table.vocabulary()
    place = Place.taken(options.host, options.port, password)
    made = Studio(vocabulary, ledger, options.limit)
    click.echo(f"nomdeplume: the studio is at {place.address}", err=True)
    both = " and ".join(map(at, made.paths))
    click.echo(f"nomdeplume: releases are charged to {both}; Ctrl-C ends it.", err=True)
    if not is_loopback(options.host):
        click.echo(f"nomdeplume: {CLEAR}", err=True)

    def ready() -> None:
        if not options.no_browser:
            threading.Thread(target=webbrowser.open, args=(place.address,), daemon=True).start()

    serve(made, place, ready)
    click.echo("nomdeplume: the studio is closed; what was not saved is gone.", err=True)
    return 0
