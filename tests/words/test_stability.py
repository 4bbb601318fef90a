"""Tokenizers a user might plug in: which may certify, and which are caught."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from textward.errors import UsageError
from textward.words import CustomWords, UnicodeWords, WhitespaceWords, unstable_example
from textward.words.stability import SAMPLE_TEXTS, SPACES

TEXTS = [
    "The quick brown fox jumps over the lazy dog .",
    "It was one of the worst films of the year , really .",
    "I 'd rather not . Would you ? No !",
    "Dr. Smith bought 3.5 kg of apples\tin New York , didn't he ?",
    "good good GOOD",
]

Tokenizer = Callable[[str], list[str]]


def of_chunks(cut: Tokenizer) -> Tokenizer:
    return lambda text: [word for chunk in text.split() for word in cut(chunk)]


def join_final_stop(text: str) -> list[str]:
    """Like NLTK's: a full stop belongs to the last word only."""
    return re.sub(r"\s+\.\s*$", ".", text).split()


def split_final_stop(text: str) -> list[str]:
    return re.sub(r"(?<=\w)\.\s*$", " .", text).split()


def merge_pairs(text: str) -> list[str]:
    return re.sub(r"\b(of|New)\s+(the|York)\b", r"\1_\2", text).split()


def merge_characters(text: str) -> list[str]:
    """Like a byte-pair merge that takes the blank in front of a word along."""
    return re.findall(r" ?\S+|\s", text)


def mark_capitals_inside(text: str) -> list[str]:
    words = text.split()
    return words[:1] + ["^" + word if word[0].isupper() else word for word in words[1:]]


def judge_by_length(text: str) -> list[str]:
    return text.split() if len(text) < 500 else list("".join(text.split()))


def sentence_marks(text: str) -> list[str]:
    return ["<s>", *text.split(), "</s>"]


UNSTABLE: dict[str, Tokenizer] = {
    "joins a stop to the last word": join_final_stop,
    "splits a stop off the last word": split_final_stop,
    "merges pairs": merge_pairs,
    "merges blanks": merge_characters,
    "looks at the place in the sentence": mark_capitals_inside,
    "looks at the length": judge_by_length,
    "looks at the whole": lambda text: text.split() if "not" not in text else [],
    "truncates to 10 words": lambda text: text.split()[:10],
    "truncates to 512 words": lambda text: text.split()[:512],
    "truncates to 10,000 words": lambda text: text.split()[:10_000],
    "truncates to 20,000 characters": lambda text: text[:20_000].split(),
    "keeps the end": lambda text: text.split()[-512:],
    "drops duplicates": lambda text: list(dict.fromkeys(text.split())),
    "drops repeated neighbours": lambda text: re.sub(r"\b(\S+)(?:\s+\1)+(?!\S)", r"\1", text).split(),
    "adds marks": sentence_marks,
    "the whole text is one word": lambda text: [text],
    "plain blanks only": lambda text: text.split(" "),
    "lines only": lambda text: [word for line in text.splitlines() for word in line.split(" ")],
    "lower-cases a sigma by its neighbours": lambda text: list(text.lower().replace(" ", "")),
    "composes across a blank": lambda text: list(re.sub(r"\s+(?=\u0301)", "", text)),
    "pairs": lambda text: [" ".join(pair) for pair in zip(text.split(), text.split()[1:], strict=False)],
}

STABLE: dict[str, Tokenizer] = {
    "white space": str.split,
    "everything but white space": lambda text: re.findall(r"\S+", text),
    "letters and signs": lambda text: re.findall(r"\w+|[^\w\s]", text),
    "letters": lambda text: re.findall(r"[a-z]+", text),
    "reversed": lambda text: text.split()[::-1],
    "sorted": lambda text: sorted(text.split()),
    "each chunk by itself": of_chunks(join_final_stop),
    "three letters at a time": of_chunks(lambda chunk: re.findall(r".{1,3}", chunk, re.DOTALL)),
    "duplicates within a chunk": of_chunks(lambda chunk: list(dict.fromkeys(re.findall(r"\w", chunk)))),
    "the first word in lower case, as every word is": lambda text: (
        [text.lower().split()[0], *text.split()[1:]] if text.split() else []
    ),
    "nothing": lambda text: [],
}


@pytest.mark.parametrize("name", UNSTABLE)
def test_an_unstable_tokenizer_is_caught(name: str) -> None:
    tokenizer = CustomWords(UNSTABLE[name])
    found = unstable_example(tokenizer, TEXTS)
    assert found is not None
    assert "text.split()" in str(found)
    assert "when cut whole" in found.why


@pytest.mark.parametrize("name", ["joins a stop to the last word", "truncates to 10 words", "merges pairs"])
def test_the_remedy_in_the_message_is_one(name: str) -> None:
    assert unstable_example(CustomWords(of_chunks(UNSTABLE[name])), TEXTS) is None


@pytest.mark.parametrize("name", STABLE)
def test_a_stable_tokenizer_passes(name: str) -> None:
    assert unstable_example(CustomWords(STABLE[name]), TEXTS) is None


@pytest.mark.parametrize("cutter", [UnicodeWords(), WhitespaceWords()], ids=lambda cutter: cutter.name)
def test_the_built_in_cutters_pass(cutter: UnicodeWords | WhitespaceWords) -> None:
    assert unstable_example(cutter, TEXTS, seed=5) is None


@pytest.mark.parametrize("texts", [[], [""], ["a"], ["\0", "x" * 100_000]], ids=len)
def test_it_finds_joins_without_any_help_from_the_texts(texts: list[str]) -> None:
    assert unstable_example(CustomWords(join_final_stop), texts) is not None
    assert unstable_example(CustomWords(str.split), texts) is None


def test_a_tokenizer_that_changes_its_mind_is_caught() -> None:
    seen: set[str] = set()

    def forget_what_was_seen(text: str) -> list[str]:
        words = [] if text in seen and " " in text else text.split()
        seen.add(text)
        return words

    found = unstable_example(CustomWords(forget_what_was_seen), TEXTS)
    assert found is not None
    assert "other words when it was cut again" in str(found)


def test_a_tokenizer_that_stumbles_now_and_then_is_caught() -> None:
    luck = random.Random(0)
    stumbling = CustomWords(lambda text: [word for word in text.split() if luck.random() < 0.999])
    assert unstable_example(stumbling, TEXTS) is not None


def test_the_example_is_real_and_short() -> None:
    found = unstable_example(CustomWords(join_final_stop), TEXTS)
    assert found is not None
    assert found.text == "film ."
    assert str(found).startswith(
        "'film .' holds 'film.' when cut whole, but '.', 'film' when cut chunk by chunk"
    )


def test_the_same_seed_finds_the_same_example() -> None:
    first, second = (unstable_example(CustomWords(merge_pairs), TEXTS, seed=3) for _ in range(2))
    assert first == second


def test_the_example_is_shown_with_escapes() -> None:
    found = unstable_example(CustomWords(lambda text: [text]), ["\x1b[31m red"])
    assert found is not None
    assert str(found).isprintable()


def test_the_samples_hold_what_they_are_for() -> None:
    assert "" in SAMPLE_TEXTS
    assert all(space.isspace() for space in SPACES)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda text: text, "must return a list of strings"),
        (lambda text: text.encode(), "must return a list of strings"),
        (lambda text: None, "failed on 'a b': TypeError"),
        (lambda text: [1], r"must return a list of strings, got '\[1\]'"),
        (lambda text: 1 / 0, "failed on 'a b': ZeroDivisionError"),
        (lambda text: (1 / 0 for _ in text), "failed on 'a b': ZeroDivisionError"),
        (lambda text: ["\ud800"], "half of a surrogate pair"),
    ],
)
def test_a_broken_tokenizer_is_named(function: Tokenizer, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CustomWords(function).split("a b")


def test_words_of_a_tokenizer_are_normalised_one_by_one_and_empty_ones_dropped() -> None:
    tokenizer = CustomWords(lambda text: iter(["E\u0301", "", "ΑΣ", "two words"]))
    assert tokenizer.split("") == ["é", "ας", "two words"]


def test_a_tokenizer_is_named_by_where_it_lives() -> None:
    assert CustomWords(join_final_stop).name == f"{__name__}:join_final_stop"
    assert CustomWords(str.split).name == "?:str.split"
