"""Requests that schemathesis makes out of the service's own OpenAPI, good ones and bad ones.

    python benchmarks/service_fuzz.py [--data DIR] [--requests 10000] [--out results/service_fuzz.json]

No answer may be a 500, or depart from the statuses, types and schemas of the OpenAPI; what is described must
be taken, and what is not must be refused. Memory and open files of the process are read after each tenth.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from service import HOME, Record, Server, machine, saved_models, served

TENTHS, TOO_LARGE = 10, 413
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
SERVE = ["-c", "import sys; from textward.cli import main; sys.exit(main())", "serve"]


def main() -> None:
    """Serve, ask, look, write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "service_fuzz.json")
    given_ = parser.parse_args()
    rows = given_.data / "sst2" / "train.csv"
    if not rows.is_file():
        sys.exit(f"{rows}: no such file; name the folder with sst2 with --data")
    with tempfile.TemporaryDirectory() as folder:
        models = saved_models(rows, Path(folder))
        found = []
        for name, model in models.items():
            with served(name, [*SERVE, str(model), "--port", "0"]) as server:
                found.append(fuzzed(server, given_.requests // len(models)))
                print(json.dumps(found[-1]))
    record: Record = {"command": "python benchmarks/service_fuzz.py", "machine": machine(), "servers": found}
    record |= {"schemathesis": version("schemathesis"), "seed": 0}
    given_.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if any(one["failures"] or one["server_errors"] for one in found):
        sys.exit("the service departed from its OpenAPI")


def fuzzed(server: Server, wanted: int) -> Record:
    """So many requests, with a look at memory and open files after each tenth."""
    began = time.perf_counter()
    statuses: Counter[int] = Counter()
    failures: set[str] = set()
    rss, files = [], []
    for part in range(TENTHS):
        found, wrong = asked(server, (part + 1) * wanted // TENTHS - statuses.total(), salt=part * wanted)
        statuses += found
        failures |= wrong
        rss.append(server.rss())
        files.append(open_files(server))
    return {
        "server": server.name,
        "requests": statuses.total(),
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "server_errors": sum(count for status, count in statuses.items() if status >= 500),
        "failures": sorted(failures)[:20],
        "rss": rss,
        "files": files,
        "seconds": round(time.perf_counter() - began, 1),
    }


def asked(server: Server, wanted: int, salt: int) -> tuple[Counter[int], set[str]]:
    """Requests to every operation in turn, more to those with a body; their statuses, and what was wrong."""
    where = f"http://{server.host}:{server.port}"
    schema: Any = schemathesis.openapi.from_url(f"{where}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    with_body = [one for one in operations if one.body]
    modes = [(one, mode) for one in with_body for mode in MODES]
    statuses: Counter[int] = Counter()
    failures: set[str] = set()
    with requests.Session() as session:

        def ask(case: Any) -> None:
            answer = case.call(session=session, timeout=30)
            statuses[answer.status_code] += 1
            # A schema cannot say that there are as many labels as texts, and all of them the model's own.
            excluded = [positive_data_acceptance] if case.path == "/v1/certify" else []
            if answer.status_code == TOO_LARGE:  # which is said before the body is looked at
                excluded = [positive_data_acceptance, negative_data_rejection]
            try:
                case.validate_response(answer, excluded_checks=excluded)
            except FailureGroup as group:
                failures.update(f"{case.method} {case.path}: {one}"[:600] for one in group.exceptions)

        for operation in operations:
            if operation not in with_body:
                many(ask, operation.as_strategy(), 20, salt)
        while statuses.total() < wanted:
            for operation, mode in modes:
                left = -(-(wanted - statuses.total()) // len(modes))
                many(ask, operation.as_strategy(mode), max(1, left), salt + statuses.total())
    return statuses, failures


def many(ask: Any, strategy: Any, count: int, salt: int) -> None:
    """At most so many cases."""
    quick: Any = settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seeded: Any = seed(salt)
    cases: Any = given(strategy)
    seeded(quick(cases(ask)))()


def open_files(server: Server) -> int:
    """How many files and sockets the process holds."""
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


if __name__ == "__main__":
    main()
