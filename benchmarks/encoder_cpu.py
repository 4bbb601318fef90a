"""Encoders without a GPU: a small ensemble trained, prediction beside one plain encoder's, and accuracy.

    python benchmarks/encoder_cpu.py train --encoder DIR [--data DIR] [--rows 500]
    python benchmarks/encoder_cpu.py predict --encoder DIR [--data DIR]
    python benchmarks/encoder_cpu.py accuracy --encoder DIR [--rows 300] [--epochs 3] [--seeds 0 1 2]

`train` fine-tunes m = 3 base models with the default settings on the first rows of SST-2. `predict` times all
base models together, one plain encoder in the engine, and transformers' own module, on the same test texts.
`accuracy` trains m = 3 with the fused engine and one after another with ordinary modules, on so few rows that
a CPU can: labels mixed-label relabelled, p = 0.1; the records hold every vote. Each record is a line of
results/encoder_cpu.jsonl.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from certified import HOME, rows
from textward import TextGuard
from textward.attacks import relabelled
from textward.groups import HashGroups
from textward.learners.seeds import group_seed
from textward.learners.transformer import Settings, TransformerLearner
from textward.learners.transformer.encoder import load_encoder
from textward.learners.transformer.learner import sub_texts
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.plain import PlainRun, module_logits
from textward.learners.transformer.predict import in_batches
from textward.learners.transformer.training import place, train
from textward.learners.transformer.weights import untrained
from textward.words import UnicodeWords

CPU = torch.device("cpu")
GROUPS, TARGET, RATE = 3, 1, 0.1


def main() -> None:
    """Measure one of the three."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["train", "predict", "accuracy"])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--out", type=Path, default=HOME / "results" / "encoder_cpu.jsonl")
    told = parser.parse_args()
    jobs = {"train": training, "predict": prediction, "accuracy": accuracy}
    with told.out.open("a", encoding="utf-8") as out:
        for record in jobs[told.what](told):
            facts = {"what": told.what, "machine": place(CPU), "encoder": told.encoder.name} | record
            out.write(json.dumps(facts) + "\n")
            out.flush()
            print({key: value for key, value in facts.items() if key != "votes"}, flush=True)


def training(told: argparse.Namespace) -> Any:
    """The whole of `fit`, tokenisation and all."""
    data = rows(told.data / "sst2", ["train"])[: told.rows]
    settings = Settings(epochs=told.epochs, device="cpu")
    heard: list[tuple[int, int]] = []
    learner = TransformerLearner(
        str(told.encoder), settings, on_step=lambda done, steps, loss: heard.append((done, steps))
    )
    began, busy = time.perf_counter(), time.process_time()
    guard = TextGuard(GROUPS, learner).fit(data["text"], data["label"])
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    test = rows(told.data / "sst2", ["test"])[: told.texts]
    right = int((guard.predict(test["text"]) == test["label"].to_numpy()).sum())
    yield {
        "data": "sst2", "rows": told.rows, "groups": GROUPS, "epochs": told.epochs, "batch": settings.batch,
        "steps": heard[-1][1], "seconds": round(seconds, 1), "cpu_seconds": round(busy, 1),
        "right": right, "texts": len(test),
        "digest": guard.training_.digest,
    }  # fmt: skip


def prediction(told: argparse.Namespace) -> Any:
    """Texts a second; the weights are the pretrained ones, which cost the same as others."""
    encoder = load_encoder(str(told.encoder), 2)
    texts = rows(told.data / "sst2", ["test"])["text"][: told.texts]
    parts = sub_texts(HashGroups(GROUPS).split(UnicodeWords().cut(texts)))
    whole = texts.to_list()
    models = [TransformerModel(encoder, Settings(), 56, [untrained()] * GROUPS, (1,) * GROUPS, "", "")]
    models.append(TransformerModel(encoder, Settings(), 128, [untrained()], (1,), "", ""))
    module = encoder.module().eval()
    jobs: dict[str, Callable[[], Any]] = {
        "fused, m = 3": lambda: models[0].votes(parts, "cpu"),
        "fused, one plain encoder": lambda: models[1].votes([whole], "cpu"),
        "transformers' module, one plain encoder": lambda: by_module(encoder, module, whole),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(3):
        for name, job in jobs.items():
            began, busy = time.perf_counter(), time.process_time()
            job()
            times[name].append((time.perf_counter() - began, time.process_time() - busy))
    for name, took in times.items():
        seconds, cpu = ([round(part, 2) for part in parts] for parts in zip(*took, strict=True))
        yield {"data": "sst2", "texts": len(whole), "engine": name, "seconds": seconds, "cpu_seconds": cpu}


def by_module(encoder: Any, module: Any, texts: list[str]) -> None:
    """Predict as one would by hand: texts of like length together, 32 at a time."""
    encoded = encoder.encode(texts, 128)
    order = np.argsort(encoded.lengths, kind="stable")
    for start in range(0, len(order), 32):
        taken = order[start : start + 32]
        longest = int(encoded.lengths[taken].max())
        tokens = torch.from_numpy(encoded.tokens[taken, :longest]).long()
        mask = torch.arange(longest) < torch.from_numpy(encoded.lengths[taken])[:, None]
        with torch.inference_mode():
            module(input_ids=tokens, attention_mask=mask).logits.argmax(-1)


def accuracy(told: argparse.Namespace) -> Any:
    """Votes on the same test texts by base models of both engines."""
    encoder = load_encoder(str(told.encoder), 2)
    data, test = rows(told.data / "sst2", ["train"])[: told.rows], rows(told.data / "sst2", ["test"])
    test = test[: told.texts]
    groups = HashGroups(GROUPS)
    own, asked = (sub_texts(groups.split(UnicodeWords().cut(part["text"]))) for part in (data, test))
    settings = Settings(epochs=told.epochs, device="cpu", learning_rate=1e-4)
    for seed in told.seeds:
        labels = relabelled(data["label"].to_numpy(), rate=RATE, target=TARGET, seed=seed)
        seeds = [group_seed(seed, group) for group in range(GROUPS)]
        for engine, votes_of in (("fused", fused_votes), ("modules", module_votes)):
            began = time.perf_counter()
            votes = votes_of(encoder, settings, own, labels, seeds, asked)
            yield {
                "data": "sst2", "engine": engine, "seed": seed, "rows": told.rows, "groups": GROUPS,
                "rate": RATE, "target": TARGET, "epochs": told.epochs, "learning_rate": settings.rate,
                "seconds": round(time.perf_counter() - began, 1),
                "votes": ["".join(map(str, votes[:, group].tolist())) for group in range(GROUPS)],
                "gold": "".join(map(str, test["label"].to_list())),
            }  # fmt: skip


def fused_votes(encoder: Any, settings: Settings, own: Any, labels: Any, seeds: Any, asked: Any) -> Any:
    """The fused engine's."""
    return train(encoder, settings, own, labels, seeds).votes(asked, "cpu")


def module_votes(encoder: Any, settings: Settings, own: Any, labels: Any, seeds: Any, asked: Any) -> Any:
    """Ordinary modules', one after another."""
    columns = []
    for texts, seed, queries in zip(own, seeds, asked, strict=True):
        run = PlainRun(encoder, settings, encoder.encode(texts, 56), labels, seed, CPU)
        for epoch in range(settings.epochs):
            run.run_epoch(epoch)
        module = run.module.eval()
        answers = partial(module_logits, module, device=CPU)
        columns.append(in_batches(encoder.encode(queries, 56), answers, 2, CPU).argmax(1))
    return np.stack(columns, axis=1)


if __name__ == "__main__":
    main()
