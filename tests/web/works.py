"""Work for jobs in real processes."""

import os
import time

from nomdeplume import InputError
from nomdeplume.errors import PrivacyError

CANARY = "zyxoquant"  # a word of a private text
ENDLESS = 7200  # seconds that nobody waits


def doubled(number, tell):
    """Twice the number, in three steps; it also prints what nobody may see."""
    for step in range(3):
        tell(step / 3, f"step {step}")
    print(CANARY)
    os.write(2, CANARY.encode())
    return 2 * number


def refused(tell):
    raise InputError("the corpus has 1 author, and needs 2.")


def private(tell):
    raise PrivacyError("the ledger is full.")


def broken(text, tell):
    raise TypeError(f"cannot add {text}")


def unsendable(tell):
    return lambda: CANARY


def forever(tell):
    """Says who is at work, and never ends."""
    tell(0.5, str(os.getpid()))
    time.sleep(ENDLESS)


def gone(tell):
    os._exit(0)


def size_of(data, tell):
    tell(1.0, "counted")
    return len(data), data[:3] * (1 << 20)
