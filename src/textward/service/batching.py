"""Requests of many clients -> one call of the model: what came in while a batch was computed is the next one.

Nobody waits for a batch to fill. At most so many texts wait; one more request is told when to come back.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

Answer = TypeVar("Answer")
Result = TypeVar("Result")


class BusyError(Exception):
    """Too much waits already.

    >>> BusyError(2).seconds
    2
    """

    def __init__(self, seconds: int) -> None:
        super().__init__(f"come back in {seconds} s")
        self.seconds = seconds


@dataclass(slots=True)
class _Job(Generic[Answer]):
    texts: Sequence[str]
    done: asyncio.Future[Sequence[Answer]]


class Batcher(Generic[Answer]):
    """Calls `work`, which answers each of many texts, in a thread of its own.

    >>> async def two_clients():
    ...     batcher = Batcher(lambda texts: [text.upper() for text in texts], most=8, most_waiting=8)
    ...     answers = await asyncio.gather(batcher.submit(["a"]), batcher.submit(["b", "c"]))
    ...     await batcher.close()
    ...     return answers
    >>> asyncio.run(two_clients())
    [['A'], ['B', 'C']]
    """

    def __init__(
        self,
        work: Callable[[list[str]], Sequence[Answer]],
        *,
        most: int,
        most_waiting: int,
        told: Callable[[int, float], None] = lambda texts, seconds: None,
    ) -> None:
        self._work, self._most, self._most_waiting, self._told = work, most, most_waiting, told
        self._jobs: deque[_Job[Answer]] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textward-batch")
        self._runner: asyncio.Task[None] | None = None
        self._seconds_a_text = 0.0
        self.waiting = 0
        """Texts that nobody works at yet."""

    async def submit(self, texts: Sequence[str]) -> Sequence[Answer]:
        """Wait for the answers to some texts; `BusyError` where too many wait already."""
        # A request larger than all that may wait is let in once nothing waits.
        if self.waiting and self.waiting + len(texts) > self._most_waiting:
            raise BusyError(max(1, math.ceil(self.waiting * self._seconds_a_text)))
        job = _Job[Answer](texts, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        self.waiting += len(texts)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        return await job.done

    async def close(self) -> None:
        """Answer what waits, then let the thread go."""
        if self._runner is not None:
            await self._runner
        self._thread.shutdown()

    async def _run(self) -> None:
        while jobs := self._next():
            await self._answer(jobs)

    async def _answer(self, jobs: Sequence[_Job[Answer]]) -> None:
        try:
            await self._work_at(jobs)
        except Exception as error:
            if len(jobs) > 1:
                for job in jobs:  # a text that fails must not fail its neighbours
                    await self._answer([job])
            elif not jobs[0].done.done():
                jobs[0].done.set_exception(error)

    async def _work_at(self, jobs: Sequence[_Job[Answer]]) -> None:
        texts = [text for job in jobs for text in job.texts]
        began = time.perf_counter()
        answers = await asyncio.get_running_loop().run_in_executor(self._thread, self._work, texts)
        seconds = time.perf_counter() - began
        self._seconds_a_text += 0.1 * (seconds / len(texts) - self._seconds_a_text)
        self._told(len(texts), seconds)
        first = 0
        for job in jobs:
            if not job.done.done():  # else its client has gone meanwhile
                job.done.set_result(answers[first : first + len(job.texts)])
            first += len(job.texts)

    def _next(self) -> list[_Job[Answer]]:
        jobs: list[_Job[Answer]] = []
        size = 0
        while self._jobs and (not jobs or size + len(self._jobs[0].texts) <= self._most):
            job = self._jobs.popleft()
            self.waiting -= len(job.texts)
            if not job.done.done():  # its client has gone
                jobs.append(job)
                size += len(job.texts)
        return jobs


class Lane:
    """Runs calls one after the other in a thread of its own, of which only so many may wait.

    >>> async def once():
    ...     lane = Lane(most_waiting=1)
    ...     found = await lane.run(sum, [1, 2])
    ...     lane.close()
    ...     return found
    >>> asyncio.run(once())
    3
    """

    def __init__(self, most_waiting: int, name: str = "textward-lane") -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._most = most_waiting + 1
        self._inside = 0
        self._seconds = 0.0

    async def run(self, call: Callable[..., Result], *arguments: object) -> Result:
        """Wait for a call; `BusyError` where too many wait already."""
        if self._inside >= self._most:
            raise BusyError(max(1, math.ceil(self._inside * self._seconds)))
        self._inside += 1
        began = time.perf_counter()
        running = asyncio.get_running_loop().run_in_executor(self._thread, call, *arguments)
        # The call outlives a client that has gone, and is counted until it ends.
        running.add_done_callback(lambda _: self._ended(began))
        return await asyncio.shield(running)

    def close(self) -> None:
        """Let the thread go once its calls have ended."""
        self._thread.shutdown()

    def _ended(self, began: float) -> None:
        self._inside -= 1
        self._seconds += 0.3 * (time.perf_counter() - began - self._seconds)
