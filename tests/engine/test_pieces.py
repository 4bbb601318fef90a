"""The map: order, progress, errors with their number, one numerical thread, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from textward.engine import run_pieces
from textward.errors import DataError, PieceError

JOBS = pytest.mark.parametrize("jobs", [None, 1, 2])


def late_first(piece: int) -> int:
    time.sleep(0.2 if piece == 0 else 0)
    return piece * piece


def picky(piece: int) -> int:
    if piece == 2:
        raise ValueError("not \x1b two")
    if piece == 3:
        raise DataError("not three")
    return piece


class TwoPartError(Exception):
    """An error that cannot be unpickled, as many cannot."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def untravelled(piece: int) -> int:
    raise TwoPartError("one", "two")


def threads(_: int) -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info()}


@JOBS
def test_results_come_in_the_order_of_the_pieces(jobs):
    assert run_pieces(late_first, [0, 1, 2, 3], jobs=jobs) == [0, 1, 4, 9]


@JOBS
def test_progress_counts_every_piece(jobs):
    seen = []
    run_pieces(late_first, [0, 1, 2], jobs=jobs, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@JOBS
def test_an_error_names_its_piece_and_keeps_its_cause(jobs):
    with pytest.raises(
        PieceError, match=r"group 2 \(of 0 to 3\) failed: ValueError: not \\x1b two"
    ) as caught:
        run_pieces(picky, [0, 1, 2, 3], jobs=jobs, name="group")
    cause = caught.value.__cause__
    assert isinstance(cause, ValueError) or "in picky" in str(cause)


@JOBS
def test_an_error_that_cannot_travel_is_told_all_the_same(jobs):
    with pytest.raises(PieceError, match=r"piece 0 .*: TwoPartError: one and two"):
        run_pieces(untravelled, [0, 1], jobs=jobs)


@JOBS
def test_an_error_of_ours_keeps_its_type(jobs):
    with pytest.raises(DataError, match=r"piece 1 .*: not three"):
        run_pieces(picky, [1, 3], jobs=jobs)


@JOBS
def test_a_piece_has_one_numerical_thread(jobs):
    assert set().union(*run_pieces(threads, [0, 1], jobs=jobs)) == {1}


def test_the_workers_serve_again_after_an_error():
    with pytest.raises(PieceError):
        run_pieces(picky, [2, 2], jobs=2)
    assert run_pieces(late_first, [1, 2], jobs=2) == [1, 4]


def test_no_pieces_give_no_results():
    assert run_pieces(late_first, [], jobs=2) == []


INTERRUPTED = """
import os, signal, sys, time
from pathlib import Path
from textward.engine import run_pieces

signal.signal(signal.SIGINT, signal.default_int_handler)

def work(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(120)

run_pieces(work, [sys.argv[1]] * 4, jobs=2)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_an_interrupt_leaves_no_process(tmp_path: Path):
    running = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(tmp_path)], stderr=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) not in (0, None)
        assert wait_until(lambda: not any(alive(int(file.name)) for file in tmp_path.iterdir()))
    finally:
        running.kill()


def wait_until(condition, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
