"""Groups trained in lockstep: one stack of weights, one step for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from textward.errors import UsageError
from textward.learners.transformer.encoder import Encoded, Encoder, IntArray
from textward.learners.transformer.memory import precision_of
from textward.learners.transformer.network import Network, Tensors, loss_and_gradient
from textward.learners.transformer.noise import Noise
from textward.learners.transformer.operations import Operations, PlainOperations
from textward.learners.transformer.optimizer import Optimizer, PlainOptimizer
from textward.learners.transformer.plan import EpochPlan, corpus_of, plan_epoch
from textward.learners.transformer.settings import Settings, schedule, untouched_decay
from textward.learners.transformer.state import State, new_state
from textward.learners.transformer.weights import GroupWeights

REPORT_EVERY = 32


class Pack:
    """The groups of one pack, from their pretrained state through any number of steps.

    ``length`` is the number of positions a base model has; the texts may be padded to fewer.
    """

    def __init__(
        self,
        encoder: Encoder,
        settings: Settings,
        encoded: Sequence[Encoded],
        labels: IntArray,
        seeds: Sequence[int],
        device: torch.device,
        length: int,
        dtype: torch.dtype | None = None,
    ) -> None:
        if encoder.architecture is None:
            raise UsageError(f"the fused engine does not know the architecture of {encoder.name!r}")
        architecture = encoder.architecture.with_dropout(settings.dropout)
        self.settings = settings
        self.seeds = list(seeds)
        self.device = device
        self.corpus = corpus_of(encoded, labels, device)
        self.steps_per_epoch = settings.steps_per_epoch(self.corpus.rows)
        self.steps = self.steps_per_epoch * settings.epochs
        self.trains_table = settings.adapters is None
        dtype = dtype or precision_of(settings, device)
        self.state: State = new_state(
            encoder, architecture, length, seeds, self.corpus.used, device, dtype, settings.adapters
        )
        self.step = torch.zeros(1, dtype=torch.int64, device=device)
        self.step_of_epoch = torch.zeros_like(self.step)
        self.losses = torch.zeros((self.steps_per_epoch, len(seeds)), device=device)
        self.fused = device.type == "cuda" and fits_kernels(
            encoded[0].tokens.shape[1], architecture.head_size
        )
        # Alone, a group's shapes are its own affair; a graph that is replayed needs one for all steps.
        self.trims = len(seeds) == 1 and not self.fused
        rates = torch.from_numpy(schedule(settings, self.steps))
        self.operations, self.optimizer = self._engine(rates)
        noise = Noise(torch.tensor([_signed(seed) for seed in seeds], device=device), self.step)
        self.network = Network(architecture, self.state.weights, self.operations, noise)
        self._plan: EpochPlan | None = None
        self._graph: torch.cuda.CUDAGraph | None = None

    def _engine(self, rates: torch.Tensor) -> tuple[Operations, Optimizer]:
        bounds = self.corpus.bounds
        if not self.fused:
            return PlainOperations(), PlainOptimizer(self.settings, rates, bounds, self.step)
        from textward.learners.transformer.gpu import FusedOperations, FusedOptimizer

        return FusedOperations(), FusedOptimizer(self.settings, rates.to(self.device), bounds, self.step)

    def run_epoch(self, epoch: int, report: Callable[[int, float], None] | None = None) -> None:
        """Train one epoch; ``report`` hears of the steps done and of the mean loss now and then."""
        plan = plan_epoch(self.corpus, self.settings.batch, self.seeds, epoch)
        if self._plan is None:
            self._plan = plan
        else:
            self._plan.refill(plan)
        self.step.fill_(epoch * self.steps_per_epoch)
        self.step_of_epoch.zero_()
        if self.fused:
            self._replay(report)
            return
        for done in range(1, self.steps_per_epoch + 1):
            self.one_step()
            if report is not None:
                report(done, float(self.losses[done - 1].mean()))

    def one_step(self) -> None:
        """Forward, backward, update; every number it depends on lives on the device."""
        if self._plan is None:
            raise RuntimeError("no epoch has been planned")
        words, labels, share = self._plan.at(self.step_of_epoch)
        if self.trims:
            words = words.trimmed()
        loss, d_logits = loss_and_gradient(self.network.forward(words), labels, share)
        d_embedded = self.network.backward(d_logits)
        squares = None
        if d_embedded is not None and self.state.table is not None:
            sink = self.state.table.gradient
            squares = self.operations.table_gradient(words, d_embedded, self.corpus.bounds, sink)
        self.optimizer.step(self.state, squares)
        self.losses.index_copy_(0, self.step_of_epoch, loss[None])
        self.step += 1
        self.step_of_epoch += 1

    def _replay(self, report: Callable[[int, float], None] | None) -> None:
        """Replay the captured step; the host waits for an earlier chunk only, so the queue is never empty."""
        graph = self._captured()
        waiting: list[tuple[int, torch.cuda.Event, torch.Tensor]] = []
        for done in range(1, self.steps_per_epoch + 1):
            graph.replay()
            if done % REPORT_EVERY and done < self.steps_per_epoch:
                continue
            loss = torch.empty(1, pin_memory=True)
            loss.copy_(self.losses[max(0, done - REPORT_EVERY) : done].mean()[None], non_blocking=True)
            event = torch.cuda.Event()
            event.record()
            waiting.append((done, event, loss))
            while len(waiting) > (2 if done < self.steps_per_epoch else 0):
                earlier, event, loss = waiting.pop(0)
                event.synchronize()
                if report is not None:
                    report(earlier, float(loss))

    def _captured(self) -> torch.cuda.CUDAGraph:
        """Capture one step, its trial runs undone."""
        if self._graph is not None:
            return self._graph
        kept = {name: tensor.clone() for name, tensor in self.state.tensors().items()}
        counters = self.step.clone(), self.step_of_epoch.clone()
        from textward.learners.transformer.gpu import rehearsal

        with rehearsal() as compiling:
            if compiling:
                self.one_step()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.one_step()
        torch.cuda.current_stream().wait_stream(side)
        self._restore(kept, counters)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.one_step()
        self._graph = graph
        return graph

    def _restore(self, kept: Tensors, counters: tuple[torch.Tensor, torch.Tensor]) -> None:
        self.load(kept)
        self.step.copy_(counters[0])
        self.step_of_epoch.copy_(counters[1])

    def tensors(self) -> Tensors:
        """Return what a checkpoint must hold."""
        return self.state.tensors()

    def load(self, tensors: Tensors) -> None:
        """Take over the weights and moments of a checkpoint."""
        for name, tensor in self.state.tensors().items():
            tensor.copy_(tensors[name])
        self.state.refresh()

    def weights(self) -> list[GroupWeights]:
        """Return every group's weights as they stand."""
        decay = untouched_decay(self.settings, self.steps) if self.trains_table else 1.0
        table = self.state.weights.table
        out = []
        for group, used in enumerate(self.corpus.used):
            low, high = self.corpus.bounds[group : group + 2]
            vectors = table[low:high] if self.trains_table else table[:0]
            tokens = np.asarray(used if self.trains_table else used[:0])
            out.append(GroupWeights(self.state.blocks(group), tokens, vectors, decay))
        return out


def fits_kernels(length: int, head_size: int) -> bool:
    """Whether the GPU's kernels cover these shapes; beyond, ordinary torch takes over."""
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return length <= 128 and head_size <= 128


def _signed(seed: int) -> int:
    return (seed & 0xFFFFFFFF) - ((seed & 0x80000000) << 1)
