import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from nomdeplume import Distance, InputError, Obfuscator, Table
from nomdeplume.flow import total

PLACES = np.array([[0.0], [1.0], [1.5], [4.0]])
LINE = Table(("apple", "pear", "river", "lake"), PLACES, name="line")


@pytest.fixture
def distance(vocabulary):
    return Distance(vocabulary)


def test_texts_are_compared_by_their_kept_words():
    distance = Distance.of(LINE)

    assert distance("An apple, the lake!", "Apple: LAKE.") == 0
    assert distance("apple lake", "apple river unknown") == pytest.approx(1.25)
    assert Distance.of(LINE, metric="winf")("apple lake", "apple river") == 2.5


def test_the_flow_says_what_moves_where():
    flow = Distance.of(LINE).flow("apple apple lake", "pear apple")
    moves = [(move.word, move.becomes, move.share, move.distance) for move in flow.moves]

    assert moves == [
        ("lake", "pear", Fraction(1, 3), 3.0),
        ("apple", "pear", Fraction(1, 6), 1.0),
        ("apple", "apple", Fraction(1, 2), 0.0),
    ]
    assert flow.distance == pytest.approx(sum(move.cost for move in flow.moves))
    assert flow.stay == Fraction(1, 2)
    assert total(move.share for move in flow.moves) == 1


def test_the_flow_of_the_bottleneck_puts_the_longest_move_first():
    flow = Distance.of(LINE, metric="winf").flow("apple apple apple lake", "apple apple river")

    assert flow.distance == flow.moves[0].distance == 2.5
    assert flow.symbol == "W∞"
    assert [move.distance for move in flow.moves] == sorted(
        (move.distance for move in flow.moves), reverse=True
    )


def test_a_corpus_of_texts_takes_texts():
    corpus = Distance.of(LINE).corpus(["apple pear", "lake", "river"])

    assert corpus.to("apple") == pytest.approx([0.5, 4, 1.5])
    assert corpus.nearest("pear", 2).documents.tolist() == [0, 2]
    assert corpus.distances()[1, 2] == 2.5


@pytest.mark.parametrize("text", ["", "the of and", "zyxoquant", "123 !"])
def test_a_text_without_kept_words_has_no_distance(text):
    distance = Distance.of(LINE)

    with pytest.raises(InputError, match="no kept words") as caught:
        distance("apple", text)
    assert "zyxoquant" not in str(caught.value)
    with pytest.raises(InputError, match="text 2 has no kept words"):
        distance.corpus(["apple", text])


def test_what_is_no_text_is_refused():
    distance = Distance.of(LINE)

    with pytest.raises(InputError, match="must be a string, got bytes"):
        distance("apple", b"apple")
    with pytest.raises(InputError, match="list of strings"):
        distance.corpus("apple")
    with pytest.raises(InputError, match="at least one text"):
        distance.corpus([])
    with pytest.raises(InputError, match="w1 or winf"):
        Distance.of(LINE, metric="w2")
    with pytest.raises(InputError, match="Vocabulary or a Table, got str") as caught:
        Distance.of("zyxoquant")
    assert "zyxoquant" not in str(caught.value)
    with pytest.raises(InputError, match="must be a Vocabulary"):
        Distance("glove")
    for texts in (None, {"text": "apple"}, 5):
        with pytest.raises(InputError, match="list of strings"):
            distance.corpus(texts)
    with pytest.raises(InputError, match="one column"):
        distance.corpus(pd.DataFrame({"apple": ["lake"]}))


def test_guarantees_are_values(vocabulary):
    for reduction in ("sample", "apportion"):
        one = Obfuscator.laplace(vocabulary, epsilon=1, size=2, reduction=reduction)
        copied = pickle.loads(pickle.dumps(one.guarantee))

        assert one.guarantee == one.guarantee
        assert copied.loss("apple lake", "pear") == one.guarantee.loss("apple lake", "pear")
        with pytest.raises(InputError, match="must be a string"):
            one.guarantee.loss("apple", None)


def test_nothing_shows_vectors_of_words():
    distance = Distance.of(LINE)

    assert repr(distance.cloud("apple apple lake")) == (
        "<Cloud: 3 words, 2 of them distinct, 1 dimensions>"
    )
    assert repr(distance.corpus(["apple", "lake"])) == "<Corpus: 2 documents, 2 distinct words>"
    assert repr(distance.flow("apple", "lake")) == "<Flow: 1 moves, W₁ = 4.0000>"


def test_it_says_what_it_is():
    assert repr(Distance.of(LINE)).startswith("<Distance: Word Mover's Distance on <Vocabulary: 4")


def test_a_notebook_sees_the_picture():
    flow = Distance.of(LINE).flow("apple lake", "pear river")

    assert flow._repr_html_().startswith("<svg")
    assert "lake" in str(flow)
