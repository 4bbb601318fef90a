"""Every check of scikit-learn's own, run on texts.

`check_estimator` skips what takes strings, so an adapter turns its rows of numbers into texts: one word for
each of 33 thresholds and each column, which side the number lies on. Everything else is TextGuard's.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from textward import TextGuard

NOT_PASSED: dict[str, str] = {
    "check_array_api_input": "runs only where SCIPY_ARRAY_API is set; strings are in no array API",
}


class OnNumbers(TextGuard):
    """TextGuard on numbers written as words."""

    def fit(self, X, y=None):
        return super().fit(written(validate_data(self, X)), y)

    def predict(self, X):
        return super().predict(self._written(X))

    def predict_proba(self, X):
        return super().predict_proba(self._written(X))

    def _written(self, X):
        check_is_fitted(self)
        return written(validate_data(self, X, reset=False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string = True, False
        return tags


def written(rows: np.ndarray) -> list[str]:
    thresholds = np.arange(-8, 8.5, 0.5)
    return [
        " ".join(f"{column}{'<>'[int(v > t)]}{t}" for column, v in enumerate(row) for t in thresholds)
        for row in rows
    ]


@pytest.mark.parametrize("groups", [7, "words"])
@pytest.mark.filterwarnings("ignore")
def test_all_checks_but_the_listed_ones_pass(groups):
    results = check_estimator(OnNumbers(groups, words="whitespace"), on_skip=None, on_fail=None)
    failed = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] != "passed"}
    assert {name: why for name, why in failed.items() if name not in NOT_PASSED} == {}
    assert len(results) > 40


def test_the_tags_say_strings_in_and_classes_out():
    tags = get_tags(TextGuard())
    assert tags.input_tags.string and not tags.input_tags.two_d_array
    assert tags.estimator_type == "classifier" and tags.target_tags.required


def test_scikit_learn_finds_nothing_else_to_check_on_strings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        assert [r["status"] for r in check_estimator(TextGuard())] == ["passed"]
