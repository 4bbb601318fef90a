"""From sub-texts to base models: packs or single modules, epoch by epoch, with progress and checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import torch

from textward.errors import UsageError
from textward.learners.transformer.checkpoint import Checkpoints, run_digest
from textward.learners.transformer.encoder import Encoder, IntArray, length_for
from textward.learners.transformer.memory import device_of, packs
from textward.learners.transformer.model import TransformerModel
from textward.learners.transformer.network import Tensors
from textward.learners.transformer.pack import Pack
from textward.learners.transformer.plain import PlainRun
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.weights import GroupWeights

Progress = Callable[[int, int, float], None]


class Run(Protocol):
    """One pack of groups in training."""

    steps_per_epoch: int

    def run_epoch(self, epoch: int, report: Callable[[int, float], None] | None = None) -> None: ...
    def tensors(self) -> Tensors: ...
    def load(self, tensors: Tensors) -> None: ...
    def weights(self) -> list[GroupWeights]: ...


def train(
    encoder: Encoder,
    settings: Settings,
    texts: Sequence[Sequence[str]],
    labels: IntArray,
    seeds: Sequence[int],
    *,
    checkpoints: Checkpoints | None = None,
    progress: Progress | None = None,
) -> TransformerModel:
    """Fine-tune one base model a group; ``progress`` hears of the steps done, of all, and of the loss."""
    device = device_of(settings.device)
    length = length_for(encoder, settings, len(texts))
    _check_rows(texts, labels, encoder.classes)
    encoded = [encoder.encode(group, length) for group in texts]
    if len(texts) == 1 or settings.whole_texts:
        longest = max(int(group.lengths.max(initial=1)) for group in encoded)
        encoded = [group.cut(-(-longest // 8) * 8) for group in encoded]
    if encoder.architecture is None and settings.adapters is not None:
        raise UsageError(f"adapters are for the BERT family; {encoder.name!r} is another: leave them out")
    fused = encoder.architecture is not None
    cut = packs(encoder, settings, len(texts), encoded[0].tokens.shape[1], device)
    if not fused:
        cut = [range(group, group + 1) for group in range(len(texts))]
    digest = run_digest(encoder, settings, encoded, labels, seeds) if checkpoints is not None else ""
    groups: list[GroupWeights] = []
    all_steps = settings.steps_per_epoch(len(labels)) * settings.epochs * len(cut)
    for number, pack in enumerate(cut):
        own = [encoded[group] for group in pack]
        if len(pack) == 1:  # alone, a group need not be padded further than its own texts ask for
            own = [own[0].trimmed(8)]
        parts = own, labels, [seeds[group] for group in pack]
        run: Run
        if fused:
            run = Pack(encoder, settings, *parts, device, length)
        else:
            run = PlainRun(encoder, settings, parts[0][0], labels, parts[2][0], device)
        name = f"groups-{pack.start}-{pack.stop}"
        before = number * run.steps_per_epoch * settings.epochs
        report = _counted(progress, before, all_steps)
        _train_pack(run, settings, name, digest, checkpoints, report, keeps_last=len(cut) > 1)
        keep = device if len(cut) == 1 else torch.device("cpu")
        groups += [weights.to(keep) for weights in run.weights()]
    packing = tuple(len(pack) for pack in cut)
    return TransformerModel(encoder, settings, length, groups, packing, place(device), encoder.digest())


def place(device: torch.device) -> str:
    """Say what kind of machine the bits depend on."""
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}"
    return f"{device.type}, {torch.get_num_threads()} threads, torch {torch.__version__}"


def _train_pack(
    run: Run,
    settings: Settings,
    name: str,
    digest: str,
    checkpoints: Checkpoints | None,
    report: Callable[[int, float], None] | None,
    keeps_last: bool,
) -> None:
    done = 0
    if checkpoints is not None:
        done, tensors = checkpoints.load(name, digest)
        if done:
            run.load(tensors)
    for epoch in range(done, settings.epochs):
        within = None
        if report is not None:
            within = _shifted(report, epoch * run.steps_per_epoch)
        run.run_epoch(epoch, within)
        if checkpoints is not None:
            last = keeps_last and epoch + 1 == settings.epochs
            checkpoints.save(name, run.tensors(), epoch + 1, digest, last=last)


def _shifted(report: Callable[[int, float], None], before: int) -> Callable[[int, float], None]:
    return lambda done, loss: report(before + done, loss)


def _counted(progress: Progress | None, before: int, steps: int) -> Callable[[int, float], None] | None:
    if progress is None:
        return None
    return lambda done, loss: progress(before + done, steps, loss)


def _check_rows(texts: Sequence[Sequence[str]], labels: IntArray, classes: int) -> None:
    if not texts or not len(labels):
        raise UsageError("there is nothing to train on: no groups or no rows")
    if any(len(group) != len(labels) for group in texts):
        raise UsageError(f"every group must have one sub-text a label, {len(labels)} here")
    if not 0 <= int(np.min(labels)) <= int(np.max(labels)) < classes:
        raise UsageError(f"labels must be class indexes of 0 to {classes - 1}")
