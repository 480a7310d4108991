"""What goes wrong: bugs of ours, planted, a machine that fails, kills, and files on the way."""

from dataclasses import replace

from tests.cli.leak_cases import CASES, WORD, release
from tests.cli.leaks import TEXT

BAG = "from nomdeplume.vocabulary import Vocabulary as V\nV.bag = lambda self, text: "
WRITE = """
from nomdeplume.formats.release import Writing
usual, count = Writing._write, []
def write(self, offer, released):
    usual(self, offer, released)
    count.append(1)
    if len(count) == 5:
        {}
Writing._write = write
"""
KILL = "import os; os.kill(os.getpid(), {})"
IN_WORKER = """
import nomdeplume.workers.process as p
p.START = p.START.replace("main()", {!r} + "; main()")
"""
RECORDS = f"in.jsonl -o out.jsonl {WORD}"


def planted(plant, code=1, line=RECORDS, said="unexpected", **more):
    return release(line, code, plant=plant, said=said, **more)


BUGS = {  # of ours, planted, and of the machine
    "in a bag": planted(BAG + "{}[text]", said="KeyError at"),
    "in a bag, shown as a system's": planted(BAG + "open(text)", 2, said="the name given"),
    "with a cause": planted(BAG + "int(text)", said="ValueError at"),
    "in the reader": planted(
        "import nomdeplume.formats.jsonl as j; j.parsed = lambda line: {}[line]",
        said="KeyError at",
    ),
    "in the sink": planted(
        "from nomdeplume.formats.writing import LineSink as S\n"
        f"S.write = lambda self, *_: {{}}[{TEXT!r}]",
        said="KeyError at",
    ),
    "in the thread ahead": planted(
        "import nomdeplume.workers.thread as t\n"
        "def run(self, call):\n"
        f"    self._future.set_exception(KeyError({TEXT!r}))\n"
        f"    raise ValueError({TEXT!r})\n"
        "t._Running._run = run",
        said="ValueError at",
    ),
    "in a thread": planted(
        BAG + "__import__('threading').Thread(target={}.__getitem__, args=(text,)).start() or {}[1]"
    ),
    "in a finalizer": planted(
        f"class D:\n    def __del__(self): {{}}[{TEXT!r}]\n" + BAG + "D() and {}[1]"
    ),
    "at exit": planted("import atexit; atexit.register({}.__getitem__, " + f"{TEXT!r})", 0),
    "a warning": planted(
        "import warnings; warnings.simplefilter('always')\n"
        "from nomdeplume.vocabulary import Vocabulary as V\nusual = V.bag\n"
        "V.bag = lambda self, text: warnings.warn(text) or usual(self, text)",
        0,
        said="UserWarning at",
    ),
    "memory": planted(BAG + "bytearray(1 << 50)", said="not enough memory"),
    "in a worker": planted(
        IN_WORKER.format("import nomdeplume.vocabulary as v; v.Vocabulary.bag = {}.__getitem__"),
        line=f"{RECORDS} --workers 2",
        said="documents of one batch could not be released",
    ),
    "a worker that talks": planted(
        IN_WORKER.format(
            "import os, warnings; import nomdeplume.vocabulary as v; v.Vocabulary.bag = "
            "lambda s, t: (print(t), os.write(2, t.encode()), warnings.warn(t), {}[t])"
        ),
        line=f"{RECORDS} --workers 2",
        said="documents of one batch could not be released",
    ),
    "a worker that dies": planted(
        IN_WORKER.format(
            "import os; import nomdeplume.vocabulary as v; v.Vocabulary.bag = "
            "lambda s, t: os.kill(os.getpid(), 9)"
        ),
        code=0,  # its work is done again in a child, in which nothing is planted
        line=f"{RECORDS} --workers 2",
        said="Released",
    ),
    "a full disk": planted(
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))",
        2,
        said="File too large",
    ),
    "interrupted": planted(WRITE.format(KILL.format(2)), 130, said="interrupted", umask=True),
    "terminated": planted(WRITE.format(KILL.format(15)), 130, said="interrupted", umask=True),
}
LATE = """
import os
from nomdeplume.formats.{} import {} as T
T.publish = lambda self: os.kill(os.getpid(), 9)
"""
KILLED = {  # what lies there is private, whatever the umask
    name: planted(plant, -9, line, "", umask=True)
    for name, plant, line in (
        ("words", WRITE.format(KILL.format(9)), RECORDS),
        ("CSV", WRITE.format(KILL.format(9)), f"in.csv -o out.csv {WORD}"),
        ("Parquet", WRITE.format(KILL.format(9)), f"in.csv -o out.parquet {WORD}"),
        ("a list", WRITE.format(KILL.format(9)), f"{RECORDS} --withheld list"),
        ("a ledger", WRITE.format(KILL.format(9)), f"{RECORDS} --ledger l --limit 99"),
        ("workers", WRITE.format(KILL.format(9)), f"{RECORDS} --workers 2"),
        ("a folder", LATE.format("writing", "FolderSink"), "a.txt b.txt -o out"),
        ("before it appears", LATE.format("targets", "AtomicFile"), RECORDS),
    )
}

MODES = """
import atexit, os, sys
made, seen = set(), set()
def look(event, args):
    if event == "os.mkdir" or (event == "open" and args[2] & os.O_CREAT):
        made.update([os.path.abspath(args[0])] if isinstance(args[0], str) else [])
    for path in made if event != "os.rename" else ():  # which is when it gets its mode
        for each in (path, os.path.dirname(path)):
            if os.path.lexists(each) and not os.lstat(each).st_mode & 0o077:
                break
        else:
            seen.update([path] if os.path.lexists(path) else [])
sys.addaudithook(look)
def tell():
    os.write(2, f"made {len(made)}\\n".encode())
    os.write(2, "".join(f"shared {path}\\n" for path in seen).encode())
atexit.register(tell)
"""
WATCHED = {  # what is made on the way is private at every moment, whatever the umask
    name: replace(CASES[name], plant=MODES, umask=True, terminal=False)
    for name in (
        *("JSONL", "packed", "CSV to Arrow", "Parquet", "a folder", "workers", "ledger", "units"),
        *("withheld, listed", "a plan drawn", "all", "evaluate", "fit", "calibrate", "exported"),
    )
}
FOR_ONE = ("a plan drawn", "all", "evaluate", "fit", "calibrate", "exported")  # stay private
