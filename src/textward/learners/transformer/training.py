"""From sub-texts to base models: packs or single modules, epoch by epoch, with progress and checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from textward.engine import HERE, Engine, Need, Shared, stream_pieces
from textward.errors import UsageError
from textward.learners.transformer.checkpoint import Checkpoints, run_digest
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray, length_for
from textward.learners.transformer.memory import (
    device_elsewhere,
    device_of,
    packs,
    room_of,
)
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
    engine: Engine = HERE,
) -> TransformerModel:
    """Fine-tune one base model a group; ``progress`` hears of the steps done, of all, and of the loss."""
    machines = engine.machines()
    device = device_elsewhere(settings.device, machines) if machines.elsewhere else device_of(settings.device)
    length = length_for(encoder, settings, len(texts))
    _check_rows(texts, labels, encoder.classes)
    encoded = [encoder.encode(group, length) for group in texts]
    if len(texts) == 1 or settings.whole_texts:
        longest = max(int(group.lengths.max(initial=1)) for group in encoded)
        encoded = [group.cut(-(-longest // 8) * 8) for group in encoded]
    if encoder.architecture is None and settings.adapters is not None:
        raise UsageError(f"adapters are for the BERT family; {encoder.name!r} is another: leave them out")
    room = room_of(engine, device)
    cut = packs(encoder, settings, len(texts), encoded[0].tokens.shape[1], device, room)
    if encoder.architecture is None:
        cut = [range(group, group + 1) for group in range(len(texts))]
    digest = run_digest(encoder, settings, encoded, labels, seeds) if checkpoints is not None else ""
    job = Job(encoder, settings, labels, length, device, digest, torch.get_num_threads())
    jobs = [_pack(pack, encoded, seeds) for pack in cut]
    run = _elsewhere if machines.elsewhere else _here
    groups, trained_on = run(job, jobs, checkpoints, progress, engine)
    packing = tuple(len(pack) for pack in cut)
    return TransformerModel(encoder, settings, length, groups, packing, trained_on, encoder.digest())


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What all packs of a run have in common."""

    encoder: Encoder
    settings: Settings
    labels: IntArray
    length: int
    device: torch.device
    digest: str
    threads: int
    """Of torch, for on a CPU the bits depend on them."""


@dataclass(frozen=True, slots=True, eq=False)
class PackJob:
    """One pack: its groups, their texts and their seeds."""

    pack: range
    encoded: list[Encoded]
    seeds: list[int]

    def train(
        self,
        job: Job,
        checkpoints: Checkpoints | None,
        report: Callable[[int, float], None] | None,
        *,
        keeps_last: bool,
    ) -> list[GroupWeights]:
        """Train from the pretrained weights, or from the pack's last checkpoint where there is one."""
        run: Run
        if job.encoder.architecture is not None:
            parts = self.encoded, job.labels, self.seeds
            run = Pack(job.encoder, job.settings, *parts, job.device, job.length)
        else:
            alone = self.encoded[0], job.labels, self.seeds[0]
            run = PlainRun(job.encoder, job.settings, *alone, job.device)
        name = f"groups-{self.pack.start}-{self.pack.stop}"
        _train_pack(run, job.settings, name, job.digest, checkpoints, report, keeps_last=keeps_last)
        return run.weights()


def _pack(pack: range, encoded: Sequence[Encoded], seeds: Sequence[int]) -> PackJob:
    own = [encoded[group] for group in pack]
    if len(pack) == 1:  # alone, a group need not be padded further than its own texts ask for
        own = [own[0].trimmed(8)]
    return PackJob(pack, own, [seeds[group] for group in pack])


def _here(
    job: Job,
    jobs: Sequence[PackJob],
    checkpoints: Checkpoints | None,
    progress: Progress | None,
    engine: Engine,
) -> tuple[list[GroupWeights], str]:
    groups: list[GroupWeights] = []
    steps = job.settings.steps_per_epoch(len(job.labels)) * job.settings.epochs
    for number, one in enumerate(jobs):
        report = _counted(progress, number * steps, steps * len(jobs))
        keep = job.device if len(jobs) == 1 else torch.device("cpu")
        weights = one.train(job, checkpoints, report, keeps_last=len(jobs) > 1)
        groups += [group.to(keep) for group in weights]
    return groups, place(job.device)


def _elsewhere(
    job: Job,
    jobs: Sequence[PackJob],
    checkpoints: Checkpoints | None,
    progress: Progress | None,
    engine: Engine,
) -> tuple[list[GroupWeights], str]:
    """Packs as pieces of an engine; one whose worker was lost goes on from its last checkpoint."""
    groups: list[GroupWeights] = []
    steps = job.settings.steps_per_epoch(len(job.labels)) * job.settings.epochs
    kept = None if checkpoints is None else checkpoints.kept_by(engine.depot(Path(checkpoints.folder)))
    train_one = partial(_train_afar, engine.share(Sent.of(job)), kept)
    gpus = int(job.device.type == "cuda")
    need, places = Need(cpus=1 if gpus else job.threads, gpus=gpus), set[str]()
    found = stream_pieces(engine, train_one, jobs, len(jobs), name="pack", need=need)
    for number, (weights, trained_on, loss) in enumerate(found, 1):
        groups += weights
        places.add(trained_on)
        if progress is not None:
            progress(number * steps, steps * len(jobs), loss)
    return groups, "; ".join(sorted(places))


def _train_afar(
    shared: Shared[Sent], checkpoints: Checkpoints | None, one: PackJob
) -> tuple[list[GroupWeights], str, float]:
    job, before = shared.get().job(), torch.get_num_threads()
    losses = [float("nan")]
    torch.set_num_threads(job.threads)
    try:
        again = None if checkpoints is None else checkpoints.begun()
        weights = one.train(job, again, lambda _, loss: losses.append(loss), keeps_last=True)
        return [group.to(torch.device("cpu")) for group in weights], place(job.device), losses[-1]
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """A job on its way: the encoder's weights as arrays, which the workers of a machine read in one place."""

    rest: Job
    weights: dict[str, npt.NDArray[Any]]

    @classmethod
    def of(cls, job: Job) -> Sent:
        """Pack a job."""
        weights = {name: weight.contiguous().numpy() for name, weight in job.encoder.weights.items()}
        return cls(replace(job, encoder=replace(job.encoder, weights={})), weights)

    def job(self) -> Job:
        """Unpack it; nothing writes to the pretrained weights."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of arrays that cannot be written to
            weights = {name: torch.from_numpy(array) for name, array in self.weights.items()}
        return replace(self.rest, encoder=replace(self.rest.encoder, weights=weights))


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
