"""The engine that a user named."""

from __future__ import annotations

from textward.engine.local import Local
from textward.engine.protocol import Engine
from textward.errors import UsageError

ENGINES = ("local", "ray")


def engine_of(engine: Engine | str, jobs: int | None = None, address: str | None = None) -> Engine:
    """Return the engine behind a name; `jobs` is for local processes, `address` for a cluster.

    >>> engine_of("local", jobs=2)
    Local(jobs=2)
    """
    from textward.data.messages import quoted  # not above: with it comes polars, which carried code has not

    if not isinstance(engine, str):
        if isinstance(engine, Engine):
            return engine
        raise UsageError(f"engine must be 'local', 'ray' or an engine of textward.engine, got {engine!r}")
    if engine not in ENGINES:
        raise UsageError(f"unknown engine {quoted(engine)}: give 'local' or 'ray'")
    if engine == "local":
        if address is not None:
            raise UsageError(f"address {quoted(address)} is for a cluster: add --engine ray (engine='ray')")
        return Local(jobs)
    if jobs is not None:
        raise UsageError(
            f"jobs={jobs} is for local processes; a Ray cluster has as many as it has: leave it out"
        )
    from textward.engine.cluster import Ray

    return Ray(address)
