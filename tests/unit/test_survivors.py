"""Small statements that no other test minded: mutants of them had survived."""

import numpy as np
import pytest

from nomdeplume import Guarantee, InputError, Table
from nomdeplume.decode.bayes import zipf
from nomdeplume.mechanism.maps import MAPS
from nomdeplume.noise import Mahalanobis
from nomdeplume.vocabulary import Vocabulary

WORDS = ("rain", "lake", "pear", "snow", "river")
VECTORS = np.array([[0, 0], [0, 1], [5, 5], [2, 1], [3, 7]], dtype=np.float32)


@pytest.fixture
def vocabulary():
    return Vocabulary.of(Table(WORDS, VECTORS, name="t"), "none")


def test_every_guarantee_says_what_it_is_between():
    word = Guarantee(2.0)
    assert word.between == "two words"
    assert word.over_bags(3).between == "two bags of 3 kept words"
    assert word.over_samples(3).between == "two texts' bags of kept words"
    assert word.over_means().between == "two bags of kept words, of any sizes"
    assert word.over_releases(2).between == "two words"


@pytest.mark.parametrize("name", ["vectors", "principal"])
def test_a_text_about_nothing_has_the_mean_of_common_words(vocabulary, name):
    made = MAPS[name](vocabulary, None)
    shares = zipf(vocabulary.table) / zipf(vocabulary.table).sum()
    vectors = VECTORS.astype(np.float64)
    rows = vectors if made.image is None else made.image(vectors)

    assert made.belief.origin == pytest.approx(shares @ rows)


def test_a_shape_without_width_is_no_noise():
    with pytest.raises(InputError, match="above 0"):
        Mahalanobis(1.0, np.diag([1.0, 0.0]))
