"""Every command and option on texts full of canaries, and everything that can go wrong."""

from tests.cli.leaks import Case

SMALL = "--table t.txt --language en --size 5"
OUT = ("out", ".out", "stdout")  # a release, whole or not yet, and what --resume goes on with
INSIDE = ("out.shards.json", ".out.resume")  # of a sharded run, for those who hold the texts
WORD = "--epsilon 2"
PUBLIC = "features fit public.jsonl -o f --table t.txt --language en --stop-words none"


def release(line, code=0, **more):
    """A release: it may say words that the table knows, and ids if that is asked for twice."""
    given = {"known": OUT, "ids": OUT if "--allow-identifying-ids" in line else (), **more}
    return Case(f"obfuscate {line} {SMALL}", code, **given)


def standin(line, code=0, **more):
    """A release of public texts, which may say what the library says."""
    return Case(f"obfuscate {line} --table t.txt --language en", code, **{"known": OUT, **more})


RELEASES = {
    "a text": release("a.txt"),
    "a pipe": release("-", stdin="a.txt"),
    "records through a pipe": release("- --from jsonl", stdin="in.jsonl"),
    "a folder": release("texts -o out", 4),
    "a folder to records": release("texts -o out.jsonl --quiet", 4),
    "a folder of records": release("many-jsonl -o out.jsonl", 4),
    "a folder of records, strict": release("many-jsonl -o out.jsonl --strict", 2),
    "a folder of tables": release("many-parquet -o out.csv", 2),
    "a folder of links": release("gone -o out.jsonl", 2),
    "JSONL": release("in.jsonl -o out.jsonl"),
    "the mean": release("in.jsonl -o out.jsonl --budget 9"),
    "the mean of units": release("in.jsonl -o out.jsonl --budget 9 --unit-field author"),
    "ids kept": release("in.jsonl -o out.jsonl --keep id --allow-identifying-ids"),
    "ids refused": release("in.jsonl -o out.jsonl --keep id", 3),
    "ids refused with a ledger": release("in.csv -o out.csv --keep id --ledger l --limit 99", 3),
    "ids of shards refused": release("many-jsonl -o out --keep id --engine pool --workers 1", 3),
    "packed": release("in.jsonl.gz -o out.jsonl.gz"),
    "CSV": release("in.csv -o out.csv --delimiter ,"),
    "CSV to Arrow": release("in.csv -o out.arrow --certificate c.json"),
    "Parquet": release("in.parquet -o out.parquet"),
    "Arrow": release("in.arrow -o out.jsonl --vectors --budget 9"),
    "kept": release("in.jsonl -o out.csv --keep author --id-field topic", authors=OUT),
    "another text": release("in.jsonl -o out.csv --text-field author --empty public"),
    "withheld": release("in.jsonl -o out.csv --text-field author --budget 9 --empty withhold", 4),
    "withheld, listed": release("broken.jsonl -o out.jsonl --withheld list", 4),
    "units": release("in.jsonl -o out.jsonl --unit-field author"),
    "units kept": release("in.csv -o out.csv --unit-field author --keep author", authors=OUT),
    "drawn": release("in.jsonl -o out.jsonl --max-per-author 2 --author-field author"),
    "drawn from a pipe": release("- --max-per-author 2 --author-field author", 2, stdin="in.csv"),
    "workers": release(f"in.jsonl -o out.jsonl --workers 2 {WORD}"),
    "ledger": release(f"in.jsonl -o out.jsonl --ledger l --limit 99 --author-field author {WORD}"),
    "ledger, no room": release("in.jsonl -o out.jsonl --ledger l --limit 1", 3),
    "ledger of units": release("in.jsonl -o out.csv --ledger l --limit 99 --unit-field author"),
    "resume": release("in.jsonl -o out.jsonl --resume --force"),
    "shards": release("many-jsonl -o out --engine pool --workers 2", 4, names=INSIDE),
    "shards, damaged": release(
        "many-parquet -o out --engine pool --workers 1 --ledger l --limit 99", 2, names=INSIDE
    ),
    "shards on another engine": release("many-jsonl -o out --engine pool --address TEXT", 2),
    "seeded": release("in.jsonl -o out.jsonl --seed 1"),
    "features": release("in.jsonl -o out.jsonl --features f --stop-words none", first=PUBLIC),
    "features, fitted on the texts": release(
        "public.jsonl -o out.jsonl --features f --stop-words none", 3, first=PUBLIC
    ),
    "public lists": release(
        "in.jsonl -o out.csv --mechanism exponential --vocabulary words --weights weights "
        f"--stop-words words --setting x=1 --device cpu {WORD}",
        2,
    ),
    "stand-ins": standin("in.jsonl -o out.jsonl"),
    "stand-ins by their words": Case(
        "obfuscate in.csv -o out.parquet --odds 20 --as words", known=OUT
    ),
    "stand-ins of units": standin("in.jsonl -o out.jsonl --unit-field author"),
    "stand-ins by workers": standin("broken.jsonl -o out.jsonl --workers 2", 4),
    "stand-ins of shards": standin(
        "many-jsonl -o out --engine pool --workers 1 --ledger l --limit 99", 4, names=INSIDE
    ),
    "stand-ins, shuffled": standin(
        "in.jsonl -o out.jsonl --odds 20 --shuffle --unit-field author --delta 1e-5"
    ),
    "stand-ins, shuffled, of several texts": standin(
        "in.jsonl -o out.jsonl --shuffle --author-field author", 3
    ),
    "stand-ins of a text": standin("in.jsonl -o out.jsonl --library a.txt", 2),
    "permanent stand-ins": standin(
        "in.jsonl -o out.jsonl --odds 20 --permanent --ledger l --limit 9"
    ),
    "broken CSV": release("broken.csv -o out.jsonl", 4),
    "CSV without names": release("bare.csv", 2),
    "CSV without names, told": release("bare.csv --from csv", 2),
    "no such field": release("in.csv --text-field body", 2),
    "no such field of Parquet": release("in.parquet --text-field body", 2),
    "cut short": release("cut.jsonl.gz -o out.jsonl", 2),
    "a cut table": release("cut.parquet -o out.jsonl", 2),
    "binary": release("binary.txt", 2),
    "UTF-16 that is none": release("utf16.txt", 2),
    "a text for a table": Case("obfuscate a.txt --table b.txt", 2),
    "a text for JSON": release("a.txt --from jsonl", 4),
    "a bar": release("in.jsonl -o out.jsonl", terminal=True, said="documents"),
    "a bar, and remarks": release("broken.jsonl -o out.csv", 4, terminal=True, said="withheld"),
}
PLAN = ("stdout", "out")  # of `distance`: words of both texts, on purpose, and names
DISTANCES = {
    "a plan": Case(f"distance a.txt b.txt --metric winf {SMALL}", known=PLAN),
    "a plan as JSON": Case(f"distance a.txt b.txt --json {SMALL} --quiet", known=PLAN),
    "a plan drawn": Case(f"distance a.txt b.txt -o out.html --budget 3 {SMALL}", known=PLAN),
    "a promise": Case(f"distance a.txt - --delta 1e-6 {WORD} {SMALL}", known=PLAN, stdin="b.txt"),
    "a promise of a stand-in": Case(
        "distance a.txt b.txt --odds 9 --table t.txt --language en", known=PLAN
    ),
    "all": Case("distance --all in.jsonl -o out.csv --table t.txt --force", ids=PLAN),
    "all, on a terminal": Case(
        "distance --all in.csv -o out.parquet --table t.txt",
        ids=PLAN,
        terminal=True,
        said="distances",
    ),
    "the nearest": Case(
        "distance a.txt in.jsonl --nearest 2 --json --table t.txt --id-field id --from jsonl", 2
    ),
    "the nearest records": Case(
        "distance in.parquet in.jsonl --nearest 2 --json --table t.txt --text-field text "
        "--id-field topic --stop-words none --delimiter ,"
    ),
    "broken": Case("distance --all broken.jsonl --json --table t.txt", 4, ids=PLAN),
    "no features": Case("distance a.txt b.txt --features a.txt --language en", 2),
    "no words": Case("distance bare.csv a.txt --from text --table words", 2),
}
JUDGED = "--table t.txt --stop-words none --draws 1 --folds 2 --min-documents 2 --size 5"
EVALUATIONS = {
    "evaluate": Case(
        f"evaluate in.jsonl {JUDGED} -o out.html --hide-authors --group-field thread --language en "
        "--author-field author --seed 1 --fresh --force --public public.jsonl --attackers word-svm",
        known=("out",),
        terminal=True,
    ),
    "evaluate with names": Case(
        f"evaluate in.csv {JUDGED} --results out.json --topic-field topic --mechanism none "
        "--attackers delta --quiet --delimiter , --from csv --text-field text --id-field id",
        authors=("out",),
        known=("out",),
    ),
    "evaluate by lists": Case(
        "evaluate in.jsonl --table t.txt --vocabulary a.txt --weights a.txt --setting TEXT "
        "--epsilon TEXT --budget TEXT --mechanism TEXT --library a.txt",
        2,
    ),
    "evaluate with features": Case("evaluate in.jsonl --table t.txt --features a.txt", 2),
    "evaluate on a pool": Case(
        f"evaluate in.jsonl {JUDGED} -o out.html --attackers word-svm,delta --epsilon 2,3 "
        "--hide-authors --engine pool --workers 2",
        authors=("out.json",),
        known=("out",),
    ),
    "evaluate at no address": Case(
        f"evaluate in.jsonl {JUDGED} --engine pool --address TEXT", 2, said="--engine ray"
    ),
    "evaluate what others released": Case(
        f"evaluate --released in.jsonl --original broken.jsonl {JUDGED} --split-field note", 2
    ),
}
FIT = "features fit in.jsonl --table t.txt --language en --stop-words none"
OTHERS = {
    "fit": Case(f"{FIT} -o out --i-know-this-leaks --words 5 --map topics --force", known=("out",)),
    "fit on a broken file": Case(
        "features fit broken.jsonl -o out --table t.txt --author-field author --topic-field topic "
        "--text-field text --id-field id --quiet --i-know-this-leaks",
        2,
    ),
    "fit on CSV": Case("features fit bare.csv -o out --table t.txt --from csv --delimiter ,", 2),
    "show": Case("features show in.jsonl --json", 2),
    "audit": Case(f"audit --table t.txt --seconds .1 --json {WORD} --pairs TEXT", 2),
    "audit on a pool": Case(
        f"audit --table t.txt --seconds .1 --quiet {WORD} --instrument law "
        "--engine pool --workers 2"
    ),
    "audit at no address": Case(
        "audit --table t.txt --engine pool --address TEXT", 2, said="--engine ray"
    ),
    "audit one's own": Case("audit --mechanism a.txt:release --table t.txt --quiet", 2),
    "audit of lists": Case(
        "audit --table t.txt --language en --stop-words a.txt --vocabulary a.txt --weights a.txt "
        "--setting TEXT --features a.txt --library a.txt",
        2,
    ),
    "calibrate": Case(
        "calibrate --loss 5 --between a.txt b.txt --table t.txt --language en -o out.html "
        "--draws 9 --json --force",
        known=(),
    ),
    "calibrate to words": Case(
        "calibrate --epsilon 3 --words TEXT --table t.txt --draws 9 --common --quiet", 2
    ),
    "calibrate by lists": Case(
        "calibrate --table t.txt --mechanism exponential --vocabulary a.txt --weights a.txt "
        "--setting TEXT --stop-words a.txt --features a.txt --library a.txt",
        2,
    ),
    "a text for a certificate": Case("certificate a.txt --release b.txt --table t.txt", 2),
    "lists for a certificate": Case(
        "certificate in.jsonl --vocabulary a.txt --weights a.txt --language en --stop-words a.txt "
        "--features a.txt --library a.txt",
        2,
    ),
    "library of equal texts": Case(
        "library build public.jsonl -o out --title-field id --topic-field topic --text-field text "
        "--id-field id --name TEXT --licence TEXT --language en --score table --each 2 --force",
        2,
    ),
    "library of a broken file": Case("library build broken.jsonl -o out --from jsonl", 2),
    "library of CSV": Case("library build bare.csv -o out --delimiter ,", 2),
    "info of a library": Case("library info --library in.jsonl", 2),
    "counts of a text": Case(
        "library counts in.jsonl --library a.txt --certificate a.txt --json", 2
    ),
    "no such passage": Case("library show TEXT", 2),
    "a passage of a text": Case("library show TEXT --library a.txt", 2),
    "bench": Case("bench --table a.txt --language en --stop-words a.txt --json", 2),
    "studio": Case(
        "studio --host 192.0.2.1 --password TEXT --ledger l --no-browser --table a.txt "
        "--language en --stop-words a.txt --features a.txt",
        2,
    ),
    "info of a text": Case("tables info a.txt --language en --check --json", 2),
    "a table of a text": Case(
        "tables build a.txt -o out.safetensors --word-list b.txt --language en --lower "
        "--alphabetic --force --float16",
        2,
    ),
    "get": Case("tables get TEXT --mirror TEXT --force --int8", 2),
    "list": Case("tables list --all --json"),
    "a text for a ledger": Case("ledger show a.txt --json", 2),
    "check a text": Case("ledger check a.txt", 2),
    "export a text": Case("ledger export a.txt -o out.csv --force", 2),
    "limit a text": Case("ledger limit a.txt 5", 2),
}
BEGUN = release(f"in.jsonl -o out.jsonl --ledger l --limit 99 --author-field author {WORD}")
OTHERS |= {  # of a ledger that is begun, and looked at too
    name: Case(line, known=("out.jsonl",), first=BEGUN.line)
    for name, line in {
        "spent": "ledger show l --by authors --json",
        "spent by one": "ledger show l --id idoquant1 --author autoquant1",
        "sound": "ledger check l",
        "exported": "ledger export l -o out.csv",
        "exported to a pipe": "ledger export l --to json",
        "limited": "ledger limit l 50",
        "verified": "certificate out.jsonl.certificate.json --release out.jsonl --table t.txt",
    }.items()
}
CASES = RELEASES | DISTANCES | EVALUATIONS | OTHERS
