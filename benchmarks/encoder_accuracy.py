"""The same base models trained by the fused engine, and one after another by transformers' own modules.

    python benchmarks/encoder_accuracy.py fused --encoder DIR --cut DIR --out FILE.jsonl
    python benchmarks/encoder_accuracy.py modules --encoder DIR --cut DIR --out FILE.jsonl --jobs 12

Records hold each base model's votes on the test texts, so that every accuracy follows from them by integers.
Labels are mixed-label poisoned (p = 0.1), drawn from the seed. It needs a GPU to end in time; `modules` stops
after --seconds, and `--rows` makes a dry run of it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

import torch

import encoder_data
from encoder_data import DEVICE
from textward.learners.seeds import group_seed
from textward.learners.transformer.encoder import length_for, load_encoder
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.plain import PlainRun, module_logits
from textward.learners.transformer.predict import in_batches
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.training import place, train

BATCH = 32
SEEDS = (0, 1, 2)
CASES = [(data, groups) for groups in (3, 7) for data in ("sst2", "hsol")]


def case(cut: Path, data: str, groups: int, seed: int, rate: float, rows: int | None) -> Any:
    """Return the texts, the test labels and the training labels as poisoned."""
    texts, labels = encoder_data.first_rows(encoder_data.read_cut(cut / f"{data}-{groups}.json.gz"), rows)
    return texts, labels["test"], encoder_data.relabelled(labels["train"], rate, target=1, seed=seed)


def record(out: Path, **facts: Any) -> None:
    """Append one line."""
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"what": "votes", "machine": place(DEVICE), **facts}) + "\n")
    print({key: value for key, value in facts.items() if key != "votes"}, flush=True)


def digits(votes: Any) -> list[str]:
    """A string of class indexes for each base model."""
    return ["".join(map(str, votes[:, group].tolist())) for group in range(votes.shape[1])]


def fused(told: argparse.Namespace) -> None:
    """Train every case with the engine, and plain encoders on clean labels."""
    encoder = load_encoder(str(told.encoder), 2)
    plain = [(data, 1) for data in ("sst2", "hsol")]
    for seed in SEEDS:
        for data, groups in [*CASES, *plain]:
            rate = 0.0 if groups == 1 else 0.1
            texts, gold, labels = case(told.cut, data, groups, seed, rate, told.rows)
            began = time.perf_counter()
            seeds = [group_seed(seed, group) for group in range(groups)]
            model: TransformerModel = train(encoder, Settings(batch=BATCH), texts["train"], labels, seeds)
            seconds = time.perf_counter() - began
            votes = model.votes(texts["test"])
            record(
                told.out, engine="fused", encoder=encoder.name.rsplit("/")[-1], data=data, groups=groups,
                seed=seed, rate=rate, seconds=seconds, length=model.length, votes=digits(votes),
                gold="".join(map(str, gold.tolist())),
            )  # fmt: skip


def one_module(task: tuple[Path, Path, int | None, str, int, int, int]) -> dict[str, Any]:
    """Train one group's base model with an ordinary module."""
    folder, cut, rows, data, groups, seed, group = task
    torch.set_num_threads(1)
    encoder = load_encoder(str(folder), 2)
    texts, _, labels = case(cut, data, groups, seed, 0.1, rows)
    settings = Settings(batch=BATCH)
    length = length_for(encoder, settings, groups)
    began = time.perf_counter()
    run = PlainRun(
        encoder,
        settings,
        encoder.encode(texts["train"][group], length),
        labels,
        group_seed(seed, group),
        DEVICE,
    )
    for epoch in range(settings.epochs):
        run.run_epoch(epoch)
    seconds = time.perf_counter() - began
    module = run.module.eval()
    test = encoder.encode(texts["test"][group], length)
    logits = in_batches(test, lambda batch: module_logits(module, batch, DEVICE), 2, DEVICE)
    facts = {"data": data, "groups": groups, "seed": seed, "group": group, "length": length}
    return {**facts, "seconds": seconds, "votes": "".join(map(str, logits.argmax(1).tolist()))}


def modules(told: argparse.Namespace) -> None:
    """Train the same base models as ordinary modules, several processes side by side to save time."""
    began = time.perf_counter()
    tasks = [
        (told.encoder, told.cut, told.rows, data, groups, seed, group)
        for seed in SEEDS
        for data, groups in CASES
        for group in range(groups)
    ]
    with multiprocessing.get_context("spawn").Pool(told.jobs) as pool:
        found = pool.imap_unordered(one_module, tasks)
        for _ in tasks:
            left = told.seconds - (time.perf_counter() - began)
            try:
                facts = found.next(timeout=max(1.0, left))
            except multiprocessing.TimeoutError:
                print("out of time", flush=True)
                pool.terminate()
                return
            record(told.out, engine="modules", encoder=told.encoder.name, rate=0.1, **facts)


def main() -> None:
    """Train one way or the other."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("way", choices=["fused", "modules"])
    for name in ("encoder", "cut", "out"):
        cli.add_argument(f"--{name}", type=Path, required=True)
    cli.add_argument("--jobs", type=int, default=12)
    cli.add_argument("--seconds", type=float, default=3600)
    cli.add_argument("--rows", type=int)
    told = cli.parse_args()
    fused(told) if told.way == "fused" else modules(told)


if __name__ == "__main__":
    main()
