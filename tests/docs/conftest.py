"""The command, as its own tests run it."""

from tests.cli.conftest import starter  # noqa: F401
