"""Tables that others have published: where they are, and what is known of them.

What is not known is None. Files that never changed since they were published are held to the
SHA-256 that others have found for them, in agreement; of all others the shelf records that of
the first download and holds later ones to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from nomdeplume.errors import TableError, got

PDDL = "Open Data Commons Public Domain Dedication and License 1.0"
BY_SA = "Creative Commons Attribution-ShareAlike 3.0"
GLOVE = "https://nlp.stanford.edu"
FASTTEXT = "https://dl.fbaipublicfiles.com/fasttext"
LANGUAGES = (  # the codes of fasttext.cc/docs/en/crawl-vectors.html
    "af als am an ar arz as ast az azb ba bar bcl be bg bh bn bo bpy br bs ca ce ceb ckb co cs "
    "cv cy da de diq dv el eml en eo es et eu fa fi fr frr fy ga gd gl gom gu gv he hi hif hr "
    "hsb ht hu hy ia id ilo io is it ja jv ka kk km kn ko ku ky la lb li lmo lt lv mai mg mhr "
    "min mk ml mn mr mrj ms mt mwl my myv mzn nah nap nds ne new nl nn no nso oc or os pa pam "
    "pfl pl pms pnb ps pt qu rm ro ru sa sah sc scn sco sd sh si sk sl so sq sr su sv sw ta te "
    "tg th tk tl tr tt ug uk ur uz vec vi vls vo wa war xmf yi yo zea zh"
)
PINNED = {  # SHA-256 of files, each as at least two public projects state it
    "glove.6B.zip": "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    "glove.42B.300d.zip": "03d5d7fa28e58762ace4b85fb71fe86a345ef0b5ff39f5390c14869da0fc1970",
    "glove.840B.300d.zip": "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
    "glove.twitter.27B.zip": "792af52f795d1a32c9842a3240f5f3fe5e941a8ff6df5eb0f9d668092ebc019c",
}


@dataclass(frozen=True)
class Source:
    """A published table: the file it comes in, and the member of it if that is an archive."""

    name: str
    file: str
    url: str
    member: str | None
    language: str
    words: int | None
    dimensions: int
    megabytes: int | None  # of the file, about
    licence: str
    page: str

    @property
    def shares_its_file(self) -> bool:
        """Whether other known tables are in the same file."""
        return sum(other.file == self.file for other in KNOWN.values()) > 1


def known(name: str) -> Source:
    """The source of that name."""
    if name in KNOWN:
        return KNOWN[name]
    near = ", ".join(get_close_matches(name.lower(), KNOWN, n=3))
    raise TableError(
        f"the name must be that of a known table, got {got(name)}; "
        f"{f'near it are {near}, and ' if near else ''}'nomdeplume tables list' has them all."
    )


def _glove(corpus: str, dimensions: int, file: str, words: int, megabytes: int) -> Source:
    return Source(
        name=f"glove-{corpus.replace('.', '-').lower()}-{dimensions}d",
        file=file,
        url=f"{GLOVE}/data/{file}",
        member=f"glove.{corpus}.{dimensions}d.txt",
        language="en",
        words=words,
        dimensions=dimensions,
        megabytes=megabytes,
        licence=PDDL,
        page=f"{GLOVE}/projects/glove/",
    )


def _english(name: str, member: str, words: int, megabytes: int) -> Source:
    return Source(
        name=name,
        file=f"{member}.zip",
        url=f"{FASTTEXT}/vectors-english/{member}.zip",
        member=member,
        language="en",
        words=words,
        dimensions=300,
        megabytes=megabytes,
        licence=BY_SA,
        page="https://fasttext.cc/docs/en/english-vectors.html",
    )


def _crawl(language: str) -> Source:
    file = f"cc.{language}.300.vec.gz"
    return Source(
        name=f"fasttext-cc-{language}",
        file=file,
        url=f"{FASTTEXT}/vectors-crawl/{file}",
        member=None,
        language=language,
        words=None,
        dimensions=300,
        megabytes=None,
        licence=BY_SA,
        page="https://fasttext.cc/docs/en/crawl-vectors.html",
    )


GOOGLE_NEWS = Source(
    name="word2vec-google-news",
    file="GoogleNews-vectors-negative300.bin.gz",
    url="https://drive.usercontent.google.com/download"
    "?id=0B7XkCwpI5KDYNlNUTTlSS21pQmM&export=download&confirm=t",
    member=None,
    language="en",
    words=3_000_000,
    dimensions=300,
    megabytes=1_647,
    licence="Apache License 2.0 for word2vec; none is stated for the vectors",
    page="https://code.google.com/archive/p/word2vec/",
)

KNOWN = {
    source.name: source
    for source in (
        *(_glove("6B", k, "glove.6B.zip", 400_000, 862) for k in (50, 100, 200, 300)),
        _glove("42B", 300, "glove.42B.300d.zip", 1_917_494, 1_880),
        _glove("840B", 300, "glove.840B.300d.zip", 2_196_017, 2_180),
        *(
            _glove("twitter.27B", k, "glove.twitter.27B.zip", 1_193_514, 1_520)
            for k in (25, 50, 100, 200)
        ),
        _english("fasttext-wiki-news-1m", "wiki-news-300d-1M.vec", 999_994, 682),
        _english("fasttext-crawl-2m", "crawl-300d-2M.vec", 1_999_995, 1_524),
        *map(_crawl, LANGUAGES.split()),
        GOOGLE_NEWS,
    )
}
