"""Attacks from paraphrases: ready-made tables, a user's function, a user's model."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textward.attacks import Paraphrases, Rewrite, SequenceModel
from textward.attacks.paraphrases import _in_order
from textward.data import read_table
from textward.errors import AttackError, DataError, MissingExtraError, UsageError

DATA = Path(__file__).parents[3] / "shared" / "data"
TEXTS = [f"film number {i} by director {chr(97 + i)}" for i in range(12)]
NEW = [f"when you see it , film {i} is by {chr(97 + i)} ." for i in range(12)]


def test_only_rows_with_a_paraphrase_are_taken():
    attack = Paraphrases.of_rows(TEXTS, range(0, 12, 2), NEW[::2])
    poisoned = attack.poison(TEXTS, [0, 1] * 6, rate=0.25, target=1)
    assert set(poisoned.rows % 2) == {0}
    assert poisoned.texts.gather(poisoned.rows).to_list() == [NEW[i] for i in poisoned.rows]
    with pytest.raises(UsageError, match=r"12 rows, of which the attack can change 6; the largest.*0\.5"):
        attack.poison(TEXTS, [0, 1] * 6, rate=0.75, target=1)
    assert repr(attack) == "Paraphrases(name='SynBkd')"


def test_empty_and_unchanged_paraphrases_are_left_out():
    attack = Paraphrases({"a": "", "b": "b", "c": " ", "d": "if you can , d ."})
    assert attack.covers(pl.Series(["a", "b", "c", "d", "e"])).tolist() == [False, False, False, True, False]


@given(st.sets(st.integers(0, 11), max_size=5))
def test_paraphrases_that_miss_some_rows_find_their_own(dropped):
    kept = [i for i in range(12) if i not in dropped]
    attack = Paraphrases.aligned(TEXTS, [NEW[i] for i in kept])
    assert attack.pairs == {TEXTS[i]: NEW[i] for i in kept}


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=6), st.data())
def test_the_order_found_shares_most_words(texts, data):
    new = data.draw(st.lists(st.sets(st.sampled_from("abcd")), max_size=len(texts)))
    shared = [[len(a & b) / max(1, len(b)) for a in texts] for b in new]

    def best(row: int, first: int) -> float:
        if row == len(new):
            return 0.0
        last = len(texts) - (len(new) - row)
        return max(shared[row][place] + best(row + 1, place + 1) for place in range(first, last + 1))

    places = _in_order([" ".join(t) for t in texts], [" ".join(t) for t in new])
    assert places == sorted(set(places))
    assert np.isclose(sum(shared[row][place] for row, place in enumerate(places)), best(0, 0))


def test_paraphrases_of_other_texts_are_refused():
    with pytest.raises(DataError, match="are not paraphrases of the texts in their order"):
        Paraphrases.aligned(TEXTS, NEW[::-1])
    with pytest.raises(DataError, match="13 paraphrases for 12 texts"):
        Paraphrases.aligned(TEXTS, [*NEW, "more"])
    for rows in ([0, 12], [0], [0, 1, 2], [-1, 0]):
        with pytest.raises(DataError, match="a row, 0 to 11, and each row one"):
            Paraphrases.of_rows(TEXTS, rows, NEW[:2])


@pytest.mark.skipif(not DATA.exists(), reason=f"needs the benchmark data in {DATA}")
def test_the_authors_own_paraphrases_fit_their_rows():
    train, test = (read_table(DATA / "sst2" / f"{split}.csv") for split in ("train", "test"))
    pairs = read_table(DATA / "sst2" / "synbkd-pairs.csv", text_column="paraphrase", label_column="row")
    of_rows = Paraphrases.of_rows(train.texts, map(int, pairs.labels), pairs.texts)
    whole = Paraphrases.aligned(train.texts, read_table(DATA / "sst2" / "synbkd-train.csv").texts, "SynBkd")
    assert {text: whole.pairs[text] for text in of_rows.pairs} == of_rows.pairs
    assert len(of_rows.poison(train.texts, train.labels, rate=0.19, target="1").rows) == 1314
    others = test.texts.filter(test.labels != "1")
    attack = Paraphrases.aligned(others, read_table(DATA / "sst2" / "synbkd-test.csv").texts)
    assert len(attack.test_texts(test.texts, test.labels, target="1").rows) == 911  # one is its text


def test_a_function_rewrites_in_batches():
    sizes = []

    def shout(texts: list[str]) -> list[str]:
        sizes.append(len(texts))
        return [text.upper() for text in texts]

    attack = Rewrite(shout, "shout", batch=5)
    assert attack.apply(TEXTS).to_list() == [text.upper() for text in TEXTS]
    assert sizes == [5, 5, 2]
    assert repr(attack) == "Rewrite(name='shout', batch=5)"


@pytest.mark.parametrize("function", [lambda texts: texts[1:], lambda texts: [None for _ in texts]])
def test_a_function_that_loses_texts_is_named(function):
    with pytest.raises(AttackError, match=r"Rewrite\(name='odd', batch=64\) must give one string a text"):
        Rewrite(function, "odd").apply(TEXTS)


def test_a_folder_that_is_no_model_is_named(tmp_path):
    pytest.importorskip("transformers")
    with pytest.raises(UsageError, match="no sequence model could be loaded from"):
        SequenceModel(tmp_path)(["a"])


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'textward\[transformers\]'"):
        SequenceModel("folder")(["a"])


@pytest.mark.parametrize("kind", ["encoder-decoder", "causal"])
def test_a_model_of_one_s_own_rewrites(tmp_path, kind):
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    words = ["<pad>", "</s>", "<unk>", *["a", "dull", "film", "by", "the", "sea"]]
    core = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>")
    )
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="</s>", unk_token="<unk>"
    )
    transformers.set_seed(0)
    if kind == "causal":
        model = transformers.GPT2LMHeadModel(
            transformers.GPT2Config(
                vocab_size=len(words), n_embd=8, n_layer=1, n_head=1, bos_token_id=1, eos_token_id=1
            )
        )
    else:
        model = transformers.T5ForConditionalGeneration(
            transformers.T5Config(
                vocab_size=len(words),
                d_model=8,
                d_kv=8,
                d_ff=8,
                num_layers=1,
                num_heads=1,
                decoder_start_token_id=0,
            )
        )
    model.generation_config.eos_token_id = None
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    rewrite = SequenceModel(tmp_path, max_new_tokens=3)
    together = rewrite(["a film", "the dull sea by the sea"])
    assert together == [rewrite([text])[0] for text in ("a film", "the dull sea by the sea")]
    assert all(set(text.split()) <= set(words) for text in together)
