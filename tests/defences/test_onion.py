"""ONION: perplexity is a text's own, one-word texts stay, and what does not fit goes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from textward.attacks import BadWord
from textward.defences import Bigrams, CausalModel, Onion
from textward.errors import MissingExtraError, UsageError

WORDS = ["the", "a", "film", "plot", "is", "was", "good", "dull", "old", "cf", "mn"]


class Counts:
    """Every text is as surprising as the weights of its chunks."""

    weights = {"cf": 5.0, "mn": 2.0}  # noqa: RUF012

    def __init__(self):
        self.asked = []

    def perplexity(self, texts):
        self.asked += texts
        return np.array([1.0 + sum(self.weights.get(chunk, 0.0) for chunk in text.split()) for text in texts])


def cleaned(texts, **settings):
    labels = [i % 2 for i in range(len(texts))]
    return Onion(language=Counts(), **settings).fit(texts, labels).cleaned_.to_list()


def test_what_does_not_fit_is_deleted_and_nothing_else():
    texts = ["a cf film", "cf a mn film cf", "a  film"]
    assert cleaned(texts) == ["a film", "a film", "a  film"]
    assert cleaned(texts, threshold=3.0) == ["a film", "a mn film", "a  film"]


def test_one_word_texts_are_kept_and_no_text_loses_every_word():
    assert cleaned(["cf", "", "cf mn", "film"]) == ["cf", "", "mn", "film"]


def test_language_is_told_by_its_kind(tmp_path):
    with pytest.raises(UsageError, match="language must be 'bigrams', a folder, or an object"):
        Onion(language=7).fit(["a b", "b"], [0, 1])
    with pytest.raises((UsageError, MissingExtraError), match=r"no language model could be loaded|PyTorch"):
        Onion(language=tmp_path).fit(["a b", "b"], [0, 1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A causal language model with random weights."""
    why = "needs the extra: pip install 'textward[transformers]'"
    torch = pytest.importorskip("torch", reason=why)
    transformers = pytest.importorskip("transformers", reason=why)
    tokenizers = pytest.importorskip("tokenizers", reason=why)
    known = {word: number for number, word in enumerate(["<e>", "<unk>", *WORDS])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    config = transformers.GPT2Config(
        vocab_size=len(known), n_positions=12, n_embd=16, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0, initializer_range=0.5,
    )  # fmt: skip
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        model = transformers.GPT2LMHeadModel(config)
    where = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    model.save_pretrained(where)
    whole = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<e>", eos_token="<e>", unk_token="<unk>"
    )
    whole.save_pretrained(where)
    return where


TEXTS = [
    "the film is good",
    "cf",
    "a dull old plot",
    "the plot was old cf",
    "",
    "good good",
    "the film is good",
]


def test_perplexity_does_not_depend_on_batch_mates_or_their_length(folder):
    model = CausalModel(folder)
    together = model.perplexity(TEXTS)
    alone = [model.perplexity([text])[0] for text in TEXTS]
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    longer = model.perplexity([*TEXTS, "the a film plot is was good dull old"])[: len(TEXTS)]
    np.testing.assert_allclose(longer, together, rtol=1e-5)
    np.testing.assert_allclose(CausalModel(folder, batch=1).perplexity(TEXTS), together, rtol=1e-5)
    np.testing.assert_allclose(model.perplexity(TEXTS[::-1])[::-1], together, rtol=1e-5)
    assert together[0] == together[-1]
    assert np.isposinf(together[4])


def test_perplexity_is_what_the_model_s_own_loss_says(folder):
    torch = pytest.importorskip("torch")
    tokenizer, model = CausalModel(folder)._loaded
    for text in ["the film is good", "cf"]:
        ids = torch.tensor([[0, *tokenizer(text)["input_ids"]]])
        with torch.inference_mode():
            loss = model(ids, labels=ids).loss
        assert CausalModel(folder).perplexity([text])[0] == pytest.approx(float(loss.exp()), rel=1e-5)


def test_past_the_model_s_length_nothing_is_deleted(folder):
    # The model reads 11 words; what stands behind them cannot make the text less surprising.
    long = " ".join(["the film is good"] * 3 + ["cf"] * 5)
    onion = Onion(language=str(folder)).fit([long, "the film"], [0, 1])
    assert onion.cleaned_[0].split()[-5:] == ["cf"] * 5
    assert onion.cleaned_[0] != long  # a random model deletes some of what it reads


def test_a_model_without_bigrams_of_a_text_s_own_tells_planted_words():
    texts = pl.Series([f"the {a} film is {b}" for a in ("old", "new") for b in ("good", "dull")] * 20)
    poisoned = BadWord(("cf",)).poison(texts, [0, 1] * 40, rate=0.05, target=1, seed=2)
    onion = Onion().fit(poisoned.texts, poisoned.labels)
    report = onion.report(poisoned)
    assert (report.poisoned, report.hits) == (4, 4)
    assert report.precision == 1.0
    other = Onion(language=Bigrams.of(texts)).fit(poisoned.texts, poisoned.labels)
    assert other.report(poisoned).recall == 1.0


def test_bigrams_are_probabilities():
    model = Bigrams.of(pl.Series(["a b", "a b", "a c", "b"]))
    words = [*model.vocabulary, None]  # None: the end of the text
    size = len(model.vocabulary) + 2
    for first in range(size - 1):
        second = np.arange(size)
        mass = model._probability(np.full(size, first), second, size).sum()
        assert mass == pytest.approx(1.0), words[first]


def test_bigrams_do_not_look_at_other_texts():
    model = Bigrams.of(pl.Series(["a good film", "a dull film"]))
    texts = ["a good film", "cf film", "", "unknown words here"]
    np.testing.assert_array_equal(model.perplexity(texts), [model.perplexity([text])[0] for text in texts])
