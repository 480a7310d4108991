"""The same readers under atheris, which looks for inputs that reach new lines.

    python -m tests.soak.guided "table, npz" -max_total_time=600

Options after the name are libFuzzer's. Whatever is no refusal in one clear line ends it, and the
input is written beside it. With a folder as last option, what was found is kept there.
"""

import sys
import tempfile
import warnings
from pathlib import Path

HINT = "guided fuzzing needs atheris: pip install 'nomdeplume[soak]' (Linux, Python up to 3.12)"


def main():
    try:
        import atheris
    except ImportError:
        sys.exit(HINT)
    with atheris.instrument_imports(include=["nomdeplume"]):
        from tests.soak.oracle import outcome
        from tests.soak.readers import READERS
        from tests.soak.seeds import of
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"name a reader: {'; '.join(READERS)}")
    name = sys.argv.pop(1)
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory(prefix="guided") as folder:
        corpus = Path(folder) / "seeds"
        corpus.mkdir()
        for number, data in enumerate(of(name)):
            (corpus / str(number)).write_bytes(data)
        work = Path(folder) / "work"
        work.mkdir()
        given = [*sys.argv, "-timeout=5", "-rss_limit_mb=2500", str(corpus)]
        atheris.Setup(given, lambda data: outcome(READERS[name], data, work) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
