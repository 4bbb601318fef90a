"""A public list of neighbours: GloVe's commonest words, near by their GloVe and their MiniLM vectors alike.

    python benchmarks/neighbours.py MODELS OUT.parquet [--words 60000] [--nearest 32]

MODELS holds `glove` and `minilm`, as shared/tools/models.py gets them. No row of any data set is read. The
cosine of two words is the mean of both cosines, each after the mean vector is taken away.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
import torch
from transformers import AutoModel, AutoTokenizer

from textward.learners.ballots import Neighbours

LONGEST, BATCH = 16, 256
FloatArray = np.ndarray


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--words", type=int, default=60_000)
    parser.add_argument("--nearest", type=int, default=32)
    options = parser.parse_args()
    glove = options.models / "glove"
    words = pl.read_parquet(glove / "glove_6B_index.parquet")["index"][: options.words]
    vectors = np.load(glove / "glove_6B_50d_emb.npy", mmap_mode="r")[: options.words].astype(np.float32)
    both = [unit(vectors), unit(encoded(options.models / "minilm", words))]
    near = Neighbours.of_vectors(words, np.concatenate(both, axis=1), options.nearest)
    near.write(options.out)
    print(f"{options.out}: {len(words):,} words, digest {near.digest}")


def encoded(folder: Path, words: pl.Series) -> FloatArray:
    """The mean of an encoder's last states, word by word; words of equally many tokens share a batch."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    tokens = [one[:LONGEST] for one in tokenizer(words.to_list())["input_ids"]]
    lengths = np.array([len(one) for one in tokens])
    found = np.empty((len(words), model.config.hidden_size), np.float32)
    with torch.inference_mode():
        for length in np.unique(lengths):
            every = np.flatnonzero(lengths == length)
            for start in range(0, len(every), BATCH):
                batch = every[start : start + BATCH]
                states = model(torch.tensor([tokens[i] for i in batch])).last_hidden_state
                found[batch] = states.mean(dim=1).numpy()
    return found


def unit(vectors: FloatArray) -> FloatArray:
    """The vectors less their mean, at length 1."""
    vectors = vectors - vectors.mean(axis=0)
    units: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return units


if __name__ == "__main__":
    main()
