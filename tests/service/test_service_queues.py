"""Requests of many clients share a batch, nobody's failure is another's, and too many are sent away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
import service_models  # noqa: F401 - skips these tests where the extra is absent

from textward.service.batching import Batcher, BusyError, Lane


class Work:
    """Answers when it is let to, and remembers what it was given at once."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.may_go = threading.Event()

    def __call__(self, texts: list[str]) -> Sequence[str]:
        self.may_go.wait(10)
        self.batches.append(texts)
        if "bad" in texts:
            raise ValueError("a bad text")
        return [text.upper() for text in texts]


def test_what_came_in_meanwhile_is_one_batch_and_answers_find_their_clients() -> None:
    work = Work()

    async def clients() -> list[Sequence[str]]:
        batcher = Batcher(work, most=4, most_waiting=100)
        tasks = [asyncio.create_task(batcher.submit([f"{n}a", f"{n}b"])) for n in range(5)]
        await asyncio.sleep(0.05)
        work.may_go.set()
        found = await asyncio.gather(*tasks)
        await batcher.close()
        return found

    assert asyncio.run(clients()) == [[f"{n}A", f"{n}B"] for n in range(5)]
    assert [len(batch) for batch in work.batches] == [4, 4, 2]


def test_a_text_that_fails_fails_alone() -> None:
    work = Work()
    work.may_go.set()

    async def clients() -> list[object]:
        batcher = Batcher(work, most=8, most_waiting=100)
        tasks = [batcher.submit([text]) for text in ("a", "bad", "c")]
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, second, third = asyncio.run(clients())
    assert (first, third) == (["A"], ["C"])
    assert isinstance(second, ValueError)


def test_too_many_waiting_are_refused_and_a_client_that_leaves_makes_room() -> None:
    work = Work()

    async def clients() -> None:
        batcher = Batcher(work, most=1, most_waiting=2)
        first = asyncio.create_task(batcher.submit(["first"]))
        await asyncio.sleep(0.02)
        waiting = [asyncio.create_task(batcher.submit([name])) for name in ("b", "c")]
        await asyncio.sleep(0.02)
        with pytest.raises(BusyError) as refused:
            await batcher.submit(["d"])
        assert refused.value.seconds >= 1
        waiting[0].cancel()
        work.may_go.set()
        assert await first == ["FIRST"]
        assert await waiting[1] == ["C"]
        await batcher.close()

    asyncio.run(clients())
    assert work.batches == [["first"], ["c"]]


def test_one_large_request_is_let_in_where_nothing_waits() -> None:
    work = Work()
    work.may_go.set()

    async def client() -> Sequence[str]:
        return await Batcher(work, most=2, most_waiting=2).submit(["a"] * 9)

    assert asyncio.run(client()) == ["A"] * 9


def test_closing_answers_what_waits() -> None:
    work = Work()

    async def clients() -> list[Sequence[str]]:
        batcher = Batcher(work, most=1, most_waiting=9)
        tasks = [asyncio.create_task(batcher.submit([name])) for name in "abc"]
        await asyncio.sleep(0.02)
        closing = asyncio.create_task(batcher.close())
        work.may_go.set()
        await closing
        return [task.result() for task in tasks]

    assert asyncio.run(clients()) == [["A"], ["B"], ["C"]]


def test_a_lane_takes_one_at_a_time_and_sends_the_rest_away() -> None:
    gate = threading.Event()

    async def clients() -> None:
        lane = Lane(most_waiting=1)
        first, second = (asyncio.create_task(lane.run(gate.wait, 10)) for _ in range(2))
        await asyncio.sleep(0.02)
        with pytest.raises(BusyError):
            await lane.run(int)
        second.cancel()  # its client has gone, but its call is still to come
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await lane.run(int)
        gate.set()
        assert await first
        while True:
            try:
                assert await lane.run(int) == 0
                break
            except BusyError:
                await asyncio.sleep(0.01)
        lane.close()

    asyncio.run(clients())
