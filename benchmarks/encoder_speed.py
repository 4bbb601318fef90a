"""How fast base models are trained and used, beside transformers' Trainer and one plain encoder.

    python benchmarks/encoder_speed.py --models DIR --cut DIR --out FILE.jsonl [--rows N]

DIR of models holds minilm and mpnet; DIR of cut data holds what `encoder_gpu.py prepare` makes. The figures
are a GPU's; `--rows` makes a dry run of it.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    AutoModelForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

import encoder_data
from encoder_data import DEVICE, settled
from textward.learners.transformer.encoder import Encoder, length_for, load_encoder
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.pack import Pack
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.training import place, train
from textward.learners.transformer.weights import untrained

BATCH = 32
ACTIVITY = getattr(torch.profiler.ProfilerActivity, DEVICE.type.upper())
KINDS = {
    "optimizer": ("adamw", "squares"),
    "matrix products": ("nvjet", "gemm", "cutlass", "splitK"),
    "attention": ("attend",),
    "norms and activations": ("norm_kernel", "norm_backward", "activate"),
    "embedding": ("embed", "table_gradient", "indexSelect"),
}


class Records:
    """JSON lines, one a measurement, on disk as soon as it is made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.began = time.perf_counter()

    def add(self, what: str, **facts: Any) -> None:
        """Write one record and show it."""
        record = {"what": what, "machine": place(DEVICE), **facts}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        shown = {key: value for key, value in record.items() if key not in ("votes", "kernels", "machine")}
        print(f"{time.perf_counter() - self.began:6.1f} {shown}", flush=True)


def fused(
    records: Records, encoder: Encoder, name: str, parts: Any, groups: int, settings: Settings
) -> TransformerModel:
    """Train with the engine, tokenisation, compilation and all, and record how long it took."""
    texts, labels = parts
    gc.collect()
    if DEVICE.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    steps = settings.steps_per_epoch(len(labels["train"]))
    marks: dict[int, float] = {}
    began = time.perf_counter()
    model = train(
        encoder, settings, texts["train"], labels["train"], list(range(groups)),
        progress=lambda done, all_steps, loss: marks.__setitem__(done, time.perf_counter()),
    )  # fmt: skip
    settled()
    seconds = time.perf_counter() - began
    warm = {done: mark for done, mark in marks.items() if done >= steps}
    each = (warm[max(warm)] - warm[steps]) / (max(warm) - steps) if len(model.packing) == 1 else None
    votes = model.votes(texts["test"])
    records.add(
        "training", engine="fused", encoder=encoder.name, data=name, groups=groups, rows=len(labels["train"]),
        settings=asdict(settings), length=model.length, steps=steps * settings.epochs, seconds=seconds,
        ms_per_step=None if each is None else 1e3 * each, packing=model.packing,
        gib=torch.cuda.max_memory_allocated() / 2**30 if DEVICE.type == "cuda" else None,
        right_of_each=right(votes, labels["test"]),
    )  # fmt: skip
    return model


def right(votes: Any, labels: Any) -> list[int]:
    """Test texts that each base model labels rightly."""
    return [int((votes[:, group] == labels).sum()) for group in range(votes.shape[1])]


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    def __init__(self, pieces: Any, labels: Any) -> None:
        self.rows = [
            {"input_ids": piece, "labels": int(label)} for piece, label in zip(pieces, labels, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Any:
        return dict(self.rows[index])


def with_trainer(
    records: Records, folder: Path, name: str, groups: int, texts: Sequence[str], labels: Any
) -> None:
    """Train one encoder with Trainer: bfloat16, fused AdamW, padded to each batch's longest text."""
    encoder = load_encoder(str(folder), 2)
    for epochs in (1, 5):  # the first run warms everything up and is not recorded
        model = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2)
        part = slice(0, 640) if epochs == 1 else slice(None)
        began = time.perf_counter()
        pieces = encoder.tokenizer(list(texts)[part], truncation=True, max_length=128)["input_ids"]
        rows = _Rows(pieces, labels[part])
        steps = -(-len(rows) // BATCH) * epochs
        arguments = TrainingArguments(
            output_dir=tempfile.mkdtemp(), num_train_epochs=epochs, per_device_train_batch_size=BATCH,
            bf16=DEVICE.type == "cuda", learning_rate=2e-5, weight_decay=0.01, warmup_steps=steps // 10,
            optim="adamw_torch_fused", use_cpu=DEVICE.type == "cpu",
            logging_strategy="no", save_strategy="no", report_to=[], disable_tqdm=True,
        )  # fmt: skip
        trainer = Trainer(
            model, arguments, train_dataset=rows, data_collator=DataCollatorWithPadding(encoder.tokenizer)
        )
        trainer.train()
        settled()
        seconds = time.perf_counter() - began
    records.add(
        "training", engine="Trainer", encoder=folder.name, data=name, groups=groups, rows=len(rows),
        steps=steps, seconds=seconds, ms_per_step=1e3 * seconds / steps,
    )  # fmt: skip


def kernels(records: Records, encoder: Encoder, name: str, parts: Any, groups: int, length: int) -> None:
    """Record what a step's time goes into, kernel by kernel."""
    texts, labels = parts
    settings = Settings(batch=BATCH, max_length=length)
    encoded = [encoder.encode(own[: BATCH * 40], length) for own in texts["train"]]
    pack = Pack(encoder, settings, encoded, labels["train"][: BATCH * 40], range(groups), DEVICE, length)
    pack.run_epoch(0)
    settled()
    with torch.profiler.profile(activities=[ACTIVITY]) as profile:
        pack.run_epoch(1)
        settled()
    found = {e.key: e.self_device_time_total / 1e3 / pack.steps_per_epoch for e in profile.key_averages()}
    kinds = dict.fromkeys([*KINDS, "the rest"], 0.0)
    for key, spent in found.items():
        kind = next((kind for kind, parts in KINDS.items() if any(p in key for p in parts)), "the rest")
        kinds[kind] += spent
    top = dict(sorted(found.items(), key=lambda item: -item[1])[:30])
    records.add(
        "kernels", encoder=encoder.name, data=name, groups=groups, batch=BATCH, length=length,
        ms_by_kind=kinds, kernels=top, table_rows=len(pack.state.weights.table) - 1,
        matrix_weights=pack.state.matrices.value.numel(),
    )  # fmt: skip


def ceilings(records: Records) -> None:
    """Measure the two rates that floors follow from: a large copy and a large matrix product."""
    length, side = (2**30, 8192) if DEVICE.type == "cuda" else (2**20, 256)
    big = torch.randn(length, device=DEVICE)
    other = torch.empty_like(big)
    a, b = (torch.randn((side, side), device=DEVICE, dtype=torch.bfloat16) for _ in range(2))
    copy, product = timed(lambda: other.copy_(big)), timed(lambda: a @ b)
    records.add("ceilings", copy_tb_s=8 * length / copy / 1e12, bf16_tflop_s=2 * side**3 / product / 1e12)


def timed(work: Any, repeats: int = 10) -> float:
    """Return the median seconds of some work on the device."""
    spent = []
    for _ in range(repeats + 3):
        settled()
        began = time.perf_counter()
        work()
        settled()
        spent.append(time.perf_counter() - began)
    return float(np.median(spent[3:]))


def prediction(
    records: Records, model: TransformerModel, folder: Path, cut: Path, data: str, rows: int | None
) -> None:
    """Texts a second by all base models, by one plain encoder in the engine, and by transformers' module."""
    groups = len(model.groups)
    texts, whole = (
        encoder_data.first_rows(encoder_data.read_cut(cut / f"{data}-{m}.json.gz"), rows)[0]["test"]
        for m in (groups, 1)
    )
    whole = whole[0]
    seconds = timed(lambda: model.votes(texts), 3)
    facts = {"encoder": model.encoder.name, "data": data}
    many = facts | {"texts": len(whole)}
    records.add("prediction", engine="fused", groups=groups, seconds=seconds, **many)
    encoder = load_encoder(str(folder), 2)

    one = TransformerModel(
        encoder, model.settings, length_for(encoder, Settings(), 1), [untrained()], (1,), "", ""
    )
    records.add("prediction", engine="fused", groups=1, seconds=timed(lambda: one.votes([whole]), 3), **many)
    part = [own[:500] for own in texts]
    here, on_cpu = model.votes(part), model.votes(part, "cpu")
    records.add(
        "votes on a CPU", texts=len(part[0]), groups=groups, same=int((here == on_cpu).sum()), **facts
    )
    module = encoder.module().eval().to(DEVICE)
    records.add(
        "prediction", engine="module", groups=1, seconds=timed(lambda: by_module(encoder, module, whole), 3),
        **many,
    )  # fmt: skip


def by_module(encoder: Encoder, module: Any, texts: Sequence[str]) -> None:
    """Predict as one would by hand: texts of like length together, bfloat16, 256 at a time."""
    encoded = encoder.encode(texts, 128)
    order = np.argsort(encoded.lengths, kind="stable")
    for start in range(0, len(order), 256):
        rows = order[start : start + 256]
        longest = int(encoded.lengths[rows].max())
        tokens = torch.from_numpy(encoded.tokens[rows, :longest]).long().to(DEVICE)
        mask = torch.arange(longest) < torch.from_numpy(encoded.lengths[rows])[:, None]
        with torch.inference_mode(), torch.autocast(DEVICE.type, torch.bfloat16):
            module(input_ids=tokens, attention_mask=mask.to(DEVICE)).logits.argmax(-1).cpu()


def main() -> None:
    """Measure everything, the ordinary way beside each."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--models", type=Path, required=True)
    cli.add_argument("--cut", type=Path, required=True)
    cli.add_argument("--out", type=Path, required=True)
    cli.add_argument("--rows", type=int)
    told = cli.parse_args()
    records = Records(told.out)
    sets = {
        m: encoder_data.first_rows(encoder_data.read_cut(told.cut / f"sst2-{m}.json.gz"), told.rows)
        for m in (1, 9, 31)
    }
    ceilings(records)
    model: TransformerModel | None = None
    for name in ("mpnet", "minilm"):
        folder = told.models / name
        encoder = load_encoder(str(folder), 2)
        at = "SST-2"
        fused(records, encoder, at, sets[9], 9, Settings(batch=BATCH, max_length=16))
        model = fused(records, encoder, at, sets[9], 9, Settings(batch=BATCH))
        fused(records, encoder, at, sets[1], 1, Settings(batch=BATCH))
        fused(records, encoder, at, sets[31], 31, Settings(batch=BATCH))
        fused(records, encoder, at, sets[31], 31, Settings(batch=BATCH, adapters=8))
        fused(records, encoder, at, sets[9], 9, Settings(batch=BATCH, adapters=8))
        kernels(records, encoder, at, sets[9], 9, 16)
        prediction(records, model, folder, told.cut, "agnews", told.rows)
        for groups in (9, 1):
            texts, labels = sets[groups]
            with_trainer(records, folder, at, groups, texts["train"][0], labels["train"])


if __name__ == "__main__":
    main()
