"""A Ray cluster of two nodes of one core each, real processes on this machine, to lose parts of."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_STORE = 200 * 2**20


class TwoNodes:
    """The cluster, and what can go wrong with it."""

    def __init__(self) -> None:
        from textward.engine.cluster import Ray, connected, required

        required()
        from ray.cluster_utils import Cluster

        quick = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "worker_niceness": 0}
        head = self._size | {"include_dashboard": False, "_system_config": quick}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._second = self._cluster.add_node(**self._size)
        self.engine = Ray(self._cluster.address)
        # Workers import the functions of these tests by name.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(
                "PYTHONPATH", os.pathsep.join([str(Path(__file__).parent / "cluster"), *_searched()])
            )
            connected(self._cluster.address)

    _size: dict[str, Any] = {"num_cpus": 1, "object_store_memory": _STORE}  # noqa: RUF012

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def kill_a_worker(self, patience: float = 60) -> bool:
        """Kill the first process that is seen at a piece of work; false where none was for so long."""
        raylets = [info.process.pid for node in self._nodes() for info in node.all_processes["raylet"]]
        end = time.monotonic() + patience
        while time.monotonic() < end:
            for worker in _busy(raylets):
                os.kill(worker, signal.SIGKILL)
                return True
            time.sleep(0.01)
        return False

    def lose_a_node(self) -> None:
        """Kill all processes of the node that is not the driver's."""
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._second = None

    def heal(self) -> None:
        """Bring the second node back where it was lost."""
        if self._second is None:
            self._second = self._cluster.add_node(**self._size)

    def close(self) -> None:
        import ray

        session = self._cluster.head_node.get_session_dir_path()
        ray.shutdown()
        self._cluster.shutdown()
        shutil.rmtree(session, ignore_errors=True)

    def _nodes(self) -> list[Any]:
        return [node for node in (self._cluster.head_node, self._second) if node is not None]


def _searched() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def _busy(raylets: list[int]) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            title = (process / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if parent in raylets and title.startswith(b"ray::textward"):
            found.append(int(process.name))
    return found


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[TwoNodes]:
    pytest.importorskip("ray", reason="needs the extra: pip install 'textward[ray]'")
    if not Path("/proc/self/stat").exists():
        pytest.skip("workers are found through /proc, which only Linux has")
    made = TwoNodes()
    yield made
    made.close()


@pytest.fixture
def cluster(two_nodes: TwoNodes) -> Iterator[TwoNodes]:
    """Two nodes, however the test before left them."""
    two_nodes.heal()
    yield two_nodes


@pytest.fixture
def trouble(cluster: TwoNodes) -> Iterator[Callable[[int, int], None]]:
    """A progress that loses a node after the third piece; before, a worker is killed at its work."""
    killed: list[bool] = []
    killer = threading.Thread(target=lambda: killed.append(cluster.kill_a_worker()))
    killer.start()
    seen: list[int] = []

    def happen(done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 3:
            cluster.lose_a_node()

    yield happen
    killer.join()
    assert killed == [True] and len(seen) >= 3, "nothing was lost"
