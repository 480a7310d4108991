"""What may become of a damaged file: it is read, or refused in one clear line."""

from nomdeplume.errors import PlumeError

CANARIES = ("zyxoquant", "wumblegorf")  # words of the seeds that no message may hold
LONGEST = 400  # characters of a message
CODES = (2, 3)  # bad input, privacy


class Unclear(AssertionError):
    """A message that is not one short line, or that tells a word of a text."""


def clear(message):
    """Hold a message to what every message must be."""
    lowered = message.lower()
    if any(canary in lowered for canary in CANARIES):
        raise Unclear("a message holds a canary")
    if not message.strip() or message.splitlines() != [message]:
        raise Unclear("a message is not one line")
    if len(message) > LONGEST:
        raise Unclear("a message is too long")


def outcome(read, data, folder):
    """Whether some bytes were 'accepted' or 'refused'; whatever else happens is raised."""
    try:
        read(data, folder)
    except PlumeError as error:
        if error.exit_code not in CODES:
            raise
        clear(str(error))
        return "refused"
    return "accepted"
