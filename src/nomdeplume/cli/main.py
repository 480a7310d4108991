"""`nomdeplume`: the group of commands, and what happens when one of them fails."""

from __future__ import annotations

import io
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn, cast

import rich_click as click

from nomdeplume import discreet
from nomdeplume._version import __version__
from nomdeplume.errors import InputError, PlumeError, at

EPILOG = (
    "Exit codes: 0 all released, 2 bad input, 3 privacy refusal or broken promise, "
    "4 finished with documents withheld."
)
COMMANDS = {  # a module of each name holds it; the line begins its own help
    "audit": "Try to break the promise of a mechanism. Exit code 3: it is broken.",
    "bench": "How fast words are found and texts released here, beside what the machine can do.",
    "calibrate": "Choose epsilon for a table and a mechanism by what people understand.",
    "certificate": "Read a certificate in plain words and check that it is true.",
    "distance": "How far two texts are apart, and which words move where.",
    "evaluate": "Attack one's own releases: is the author hidden, is the topic kept?",
    "features": "Fit topic words and maps on public texts, for releases of other texts.",
    "ledger": "What documents and authors have spent, and how much they may.",
    "library": "Build and read libraries: the public texts of which stand-ins are drawn.",
    "obfuscate": "Release texts whose subject can be told and whose author is hard to recognise.",
    "studio": "Open a page on this machine to release, understand, attack and calibrate.",
    "tables": "Fetch embedding tables, look at them, and build native ones.",
}


class Group(click.RichGroup):
    """Commands, loaded when they are called; whoever names a file first means `obfuscate`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and Path(args[0][:200]).exists():
            raise InputError(f"name a command first: nomdeplume obfuscate {at(args[0])}")
        if args[0] not in self.commands and " " in args[0]:  # a text, put where a command belongs
            raise InputError("name a command first; texts come from files or a pipe.")
        name, found, rest = super().resolve_command(ctx, args)
        return name, loaded(name) if name and found else None, rest


def loaded(name: str) -> click.Command:
    """A command from its module: to list them all, none is needed."""
    return cast(click.Command, getattr(import_module(f"nomdeplume.cli.{name}"), name))


@click.group(cls=Group, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nomdeplume")
def cli() -> None:
    """Release texts without their author, with a computed and checked privacy guarantee."""


for _name, _line in COMMANDS.items():
    cli.add_command(click.RichCommand(name=_name, help=_line))


def main() -> NoReturn:
    """Run the command line and exit; no failure prints a word of a text, or a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal may lack a sign such as ε
    discreet.install()
    for backend in ("CUPY", "JAX", "PYTORCH", "TENSORFLOW"):  # POT would import all that are there
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{backend}", "1")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up, as after Ctrl-C
    try:
        sys.exit(cli(standalone_mode=False) or 0)
    except PlumeError as error:
        _stop(str(error), error.exit_code)
    except click.ClickException as error:
        from nomdeplume.cli.unquoted import unquoted

        unquoted(error).show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        if targets := sys.modules.get("nomdeplume.formats.targets"):
            targets.sweep()
        _stop("interrupted; no file was written.", 130)
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else "input or output failed"
        _stop(f"{said}: {at(error.filename) if error.filename else 'a file'}", 2)
    except MemoryError:
        _stop("not enough memory; no file was written.", 1)
    except Exception as error:
        place = discreet.place(error.__traceback__)
        _stop(f"unexpected {type(error).__name__} at {place}; please report it.", 1)


def _stop(message: str, code: int) -> NoReturn:
    spool = sys.modules.get("nomdeplume.formats.spool")
    if spool and spool.resumable():
        message += " What was released so far is kept: --resume goes on with it."
    click.echo(f"nomdeplume: {message}", err=True)
    sys.exit(code)
