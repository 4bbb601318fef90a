"""A Ray cluster: pieces are its tasks, shared values lie once a node in its object store.

Nothing is reported to Ray's makers, no dashboard is started and no network is used but the cluster's own.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Generic, cast

from textward.data.messages import quoted, visible
from textward.engine.attempts import WorkerError, attempt_afar
from textward.engine.protocol import ONE_CPU, Depot, Failure, Machines, Need, Piece, Result, Shared, Value
from textward.errors import LostWorkerError, MissingExtraError, PieceError, UsageError

RETRIES = 4
"""A piece whose worker was lost runs again so many times; one that brings down each is told as failed."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A cluster by its address, "auto" for the one that runs here; None joins or starts one.

    A program that called ``ray.init`` itself is left with what it asked for.

    >>> Ray("auto").retries
    4
    """

    address: str | None = None
    retries: int = RETRIES

    def outcomes(
        self, function: Callable[[Piece], Result], pieces: Iterable[Piece], need: Need = ONE_CPU
    ) -> Iterator[Result | Failure]:
        """Run the function on every piece, in order; what a lost node held is computed again."""
        ray = connected(self.address)
        cpus = max(1, min(need.cpus, _most_cpus(ray)))
        task = ray.remote(attempt_afar).options(
            num_cpus=cpus, num_gpus=need.gpus, max_retries=self.retries, name="textward"
        )
        known = ray.put(function)
        pieces = iter(pieces)
        waiting = deque(task.remote(known, piece) for piece in islice(pieces, _ahead(ray)))
        try:
            while waiting:
                yield _outcome(ray, waiting.popleft())
                waiting.extend(task.remote(known, piece) for piece in islice(pieces, 1))
        finally:
            for left in waiting:
                ray.cancel(left, force=True)

    def share(self, value: Value) -> Shared[Value]:
        """Put the value into the object store, from where each node fetches it once."""
        return InStore(connected(self.address).put(value))

    def depot(self, folder: Path) -> Depot:
        """A folder that workers write to where they see it, and send files to where they do not."""
        ray = connected(self.address)
        folder = folder.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        keeper = ray.remote(_Keeper).options(num_cpus=0, scheduling_strategy=here, max_restarts=-1)
        return SentFolder(folder, keeper.remote(folder), secrets.token_hex(8))

    def machines(self) -> Machines:
        """All nodes together."""
        found = connected(self.address).cluster_resources()
        return Machines(int(found.get("CPU", 1)), int(found.get("GPU", 0)), elsewhere=True)


def connected(address: str | None) -> Any:
    """Return the module of Ray, connected to the cluster.

    >>> connected("auto")  # doctest: +SKIP
    """
    ray = required()
    if ray.is_initialized():
        return ray
    passed = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    try:
        ray.init(
            address=address,
            include_dashboard=False,
            configure_logging=True,
            logging_level=logging.ERROR,
            log_to_driver=False,
            # A worker has one CPU of the cluster, so it gets one thread for columns as well.
            runtime_env={"env_vars": {"POLARS_MAX_THREADS": "1"} | passed},
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        said = visible(str(error).strip().partition("\n")[0])
        raise UsageError(
            f"no Ray cluster could be reached at {quoted(str(address))} ({said}). Start one with "
            "`ray start --head --disable-usage-stats`, correct the address, or leave it out to have one "
            "started here."
        ) from error
    return ray


def required() -> Any:
    """Return the module of Ray, or say which extra brings it.

    >>> required().__name__
    'ray'
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray = import_module("ray")
        import_module("ray.util.scheduling_strategies")
    except ImportError as error:
        raise MissingExtraError(
            f"engine 'ray' needs {error.name or 'ray'}, which is not installed: pip install 'textward[ray]'"
        ) from error
    return ray


@dataclass(frozen=True, slots=True)
class InStore(Generic[Value]):
    """A value in the object store; each worker process takes it out once.

    >>> InStore("a reference").reference
    'a reference'
    """

    reference: Any

    def get(self) -> Value:
        """Return the value."""
        return cast(Value, _taken_out(self.reference))


@lru_cache(maxsize=2)
def _taken_out(reference: Any) -> Any:
    return import_module("ray").get(reference)


@dataclass(frozen=True, slots=True)
class SentFolder:
    """The driver's folder: used as it is where the worker sees it, else reached through `keeper`.

    >>> SentFolder(Path("kept"), None, "9f").token
    '9f'
    """

    folder: Path
    keeper: Any
    token: str

    def place(self, name: str) -> Path:
        """Return the file's path here; one that is kept elsewhere is fetched first."""
        if self._seen():
            return self.folder / name
        path = Path(_own_folder(self.token).name, name)
        content = import_module("ray").get(self.keeper.read.remote(name))
        if content is not None:
            path.write_bytes(content)
        return path

    def keep(self, name: str) -> None:
        """Send the file, unless it is there by itself."""
        if not self._seen():
            content = Path(_own_folder(self.token).name, name).read_bytes()
            import_module("ray").get(self.keeper.write.remote(name, content))

    def _seen(self) -> bool:
        return _is_seen(self.folder, _ByIdentity(self.keeper), self.token)


@dataclass(frozen=True, slots=True)
class _ByIdentity:
    """Lets a cache leave the handle of an actor out of its key."""

    value: Any = field(compare=False)


@lru_cache(maxsize=16)
def _is_seen(folder: Path, keeper: _ByIdentity, token: str) -> bool:
    """Whether a file that the driver's machine has just made in the folder is there on this machine, too."""
    get = import_module("ray").get
    mark = get(keeper.value.mark.remote())
    found: bool = (folder / mark).exists()
    get(keeper.value.unmark.remote(mark))
    return found


@lru_cache(maxsize=16)
def _own_folder(token: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="textward-")


class _Keeper:
    """An actor on the driver's machine that reads and writes its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def write(self, name: str, content: bytes) -> None:
        half = self.folder / f".{name}.{secrets.token_hex(4)}.half"
        half.write_bytes(content)
        half.replace(self.folder / name)

    def mark(self) -> str:
        name = f".mark-{secrets.token_hex(8)}"
        (self.folder / name).touch()
        return name

    def unmark(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)


def _outcome(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:  # the piece could not even be unpacked there
        last = visible(str(error).strip().rpartition("\n")[2])
        return Failure(PieceError, f"it could not be begun: {last}", WorkerError(str(error)))
    except ray.exceptions.RayError as error:
        said = visible(str(error).strip().partition("\n")[0])
        why = f"its worker was lost each time it was tried ({type(error).__name__}: {said})"
        return Failure(LostWorkerError, why, error)


def _ahead(ray: Any) -> int:
    """How many pieces may wait or be held as results before the first of them is taken."""
    return 4 + 2 * int(ray.cluster_resources().get("CPU", 1))


def _most_cpus(ray: Any) -> int:
    """The cores of the largest node: a piece that asks for more would wait for ever."""
    return int(max((node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]), default=1))
