"""The service under load on loopback, against a bare FastAPI endpoint with one scikit-learn pipeline.

    python benchmarks/service.py [--data DIR] [--rounds 3] [--seconds 5] [--soak 60] [--out FILE]

Contestants take turns; throughput is the sum over the rounds. Then 64 clients stay for a minute with each of
textward's models, and the memory of the process is read before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastapi
import polars as pl
import uvicorn

from textward import TextGuard, __version__

HERE = Path(__file__).resolve().parent
HOME = HERE.parent
CLIENTS = (1, 64)
RIVALS = ("threads", "loop")
SERVE = "import sys; from textward.cli import main; sys.exit(main())"
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Server:
    """A process that answers."""

    name: str
    pid: int
    host: str
    port: int

    def rss(self) -> int:
        """Its memory in bytes."""
        with Path(f"/proc/{self.pid}/statm").open() as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Start everything, measure in turn, write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--soak", type=float, default=60)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "service.json")
    given = parser.parse_args()
    rows = given.data / "sst2" / "train.csv"
    if not rows.is_file():
        sys.exit(f"{rows}: no such file; name the folder with sst2 with --data")
    texts = pl.read_csv(given.data / "sst2" / "test.csv")["text"].to_list()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        models = saved_models(rows, Path(folder))
        commands = {name: ["-c", SERVE, "serve", str(model), "--port", "0"] for name, model in models.items()}
        bare = str(HERE / "service_bare.py")
        commands |= {f"bare, {kind}": [bare, kind, str(rows)] for kind in RIVALS}
        servers = [stack.enter_context(served(name, command)) for name, command in commands.items()]
        found: Record = {
            "command": "python benchmarks/service.py",
            "data": {"name": "sst2", "n": pl.read_csv(rows).height, "asked": len(texts)},
            "machine": machine(),
            "rounds": given.rounds,
            "seconds_a_turn": given.seconds,
            "load": raced(servers, texts, given.rounds, given.seconds),
            "soak": [soaked(server, texts, given.soak) for server in servers[: len(models)]],
        }
    found["ratio"] = ratios(found["load"])
    print(json.dumps(found["ratio"], indent=1))
    given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def saved_models(rows: Path, folder: Path) -> dict[str, Path]:
    """Ballots and nine groups, trained on the rows."""
    table = pl.read_csv(rows)
    guards = {"ballots": TextGuard(groups="words"), "9 groups, linear": TextGuard(groups=9)}
    for place, guard in enumerate(guards.values()):
        guard.fit(table["text"], table["label"].to_numpy()).save(folder / str(place))
    return {name: folder / str(place) for place, name in enumerate(guards)}


@contextmanager
def served(name: str, arguments: list[str]) -> Iterator[Server]:
    """A server of its own process, until the end."""
    process = subprocess.Popen([sys.executable, *arguments], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        while "answers at http://" not in (line := process.stderr.readline()):
            if not line:
                sys.exit(f"{name} ended with {process.wait(10)}")
        host, _, port = line.split("http://")[1].split()[0].rpartition(":")
        yield Server(name, process.pid, host, int(port))
    finally:
        process.terminate()
        process.communicate(timeout=40)


def asked(server: Server, texts: list[str], clients: int, seconds: float) -> Record:
    """What the clients, in a process of their own, say of the server."""
    command = [sys.executable, str(HERE / "service_load.py"), server.host, str(server.port)]
    done = subprocess.run(
        [*command, str(clients), str(seconds)],
        input=json.dumps(texts), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: Record = json.loads(done.stdout)
    return found


def raced(servers: list[Server], texts: list[str], rounds: int, seconds: float) -> list[Record]:
    """Every server under every number of clients, in turn."""
    for server in servers:
        asked(server, texts, max(CLIENTS), 1)
    found = []
    for clients in CLIENTS:
        turns: dict[str, list[Record]] = {server.name: [] for server in servers}
        for _ in range(rounds):
            for server in servers:
                turns[server.name].append(asked(server, texts, clients, seconds))
        for name, records in turns.items():
            row = joined(name, clients, records)
            print(json.dumps(row))
            found.append(row)
    return found


def joined(name: str, clients: int, turns: list[Record]) -> Record:
    """The rounds of one server as one row; a percentile is the median of the rounds'."""
    answers, seconds = sum(one["answers"] for one in turns), sum(one["seconds"] for one in turns)
    row = {"server": name, "clients": clients, "answers": answers, "seconds": round(seconds, 3)}
    middle = {key: sorted(one[key] for one in turns)[len(turns) // 2] for key in ("p50_us", "p99_us")}
    errors = sum(sum(one["errors"].values()) for one in turns)
    return row | {"a_second": round(answers / seconds), **middle, "errors": errors}


def soaked(server: Server, texts: list[str], seconds: float) -> Record:
    """Many clients for long; memory is first looked at after some seconds, in which caches fill."""
    asked(server, texts, max(CLIENTS), 5)
    before = server.rss()
    found = asked(server, texts, max(CLIENTS), seconds)
    row = {"server": server.name, **found, "rss_before": before, "rss_after": server.rss()}
    print(json.dumps(row))
    return row


def ratios(load: list[Record]) -> Record:
    """Throughput over that of the faster rival, at the same number of clients."""
    found: Record = {}
    for clients in CLIENTS:
        rows = {row["server"]: row["a_second"] for row in load if row["clients"] == clients}
        best = max(rows[f"bare, {kind}"] for kind in RIVALS)
        found[f"{clients} clients"] = {
            name: round(one / best, 3) for name, one in rows.items() if not name.startswith("bare")
        }
    return found


def machine() -> Record:
    """What it ran on."""
    return {
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "fastapi": fastapi.__version__,
        "uvicorn": uvicorn.__version__,
        "textward": __version__,
    }


if __name__ == "__main__":
    main()
