"""All figures of encoders that need a GPU, made ready on one machine and measured on another, bare one.

    python benchmarks/encoder_gpu.py prepare --models DIR --tool models.py --data DIR --out gpu
    python benchmarks/encoder_gpu.py speed --given gpu --out DIR
    python benchmarks/encoder_gpu.py accuracy --given gpu --out DIR

`prepare` packs the encoders `minilm` and `mpnet` to int8 in shards of at most 28 MB, cuts the data into
sub-texts, copies what Trainer needs (accelerate, psutil), and prints which folders to carry over in which
call so that none carries more than 60 MB. Then come `speed` (isolation bit for bit, milliseconds a step
beside the floors, Trainer, prediction) and `accuracy` (fused, then ordinary modules), each within ten
minutes. The other machine needs torch, transformers, safetensors and numpy. `--rows` makes a dry run of
either, on a CPU as well. Records: isolation.jsonl, encoder_speed.jsonl and encoder_accuracy.jsonl, each line
written as it is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENCODERS = ("minilm", "mpnet")
CUTS = {"sst2": (1, 3, 7, 9, 31), "hsol": (1, 3, 7), "agnews": (1, 9)}
CARRIED = 60e6
LIMIT = 570.0
"""Seconds a call may take, with half a minute left for the way back."""


def main() -> None:
    """Make ready, or measure."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = cli.add_subparsers(dest="verb", required=True)
    ready = verbs.add_parser("prepare")
    for name in ("models", "tool", "data", "out"):
        ready.add_argument(f"--{name}", type=Path, required=True)
    for verb in ("speed", "accuracy"):
        measure = verbs.add_parser(verb)
        measure.add_argument("--given", type=Path, required=True)
        measure.add_argument("--out", type=Path, required=True)
        measure.add_argument("--rows", type=int)
        measure.add_argument("--jobs", type=int, default=12)
    told = cli.parse_args()
    if told.verb == "prepare":
        prepare(told.models, told.tool, told.data, told.out)
    else:
        sys.exit(measured(told))


def prepare(models: Path, tool: Path, data: Path, out: Path) -> None:
    """Write all that the other machine needs, and say how to carry it."""
    import encoder_data

    out.mkdir(parents=True, exist_ok=True)
    shutil.copy(tool, out / "models.py")
    for name in ENCODERS:
        subprocess.run([sys.executable, tool, "pack", models / name, out / name], check=True)
    for name, numbers in CUTS.items():
        for groups in numbers:
            made = encoder_data.cut(data, name, groups, models / "minilm" / "vocab.txt")
            encoder_data.write_cut(out / "cut" / f"{name}-{groups}.json.gz", *made)
    for package in ("accelerate", "psutil"):
        if (spec := importlib.util.find_spec(package)) and spec.submodule_search_locations:
            source = Path(next(iter(spec.submodule_search_locations)))
            ignored = shutil.ignore_patterns("__pycache__", "tests", "test_utils")
            shutil.copytree(source, out / "site" / package, ignore=ignored, dirs_exist_ok=True)
    shards = [shard for name in ENCODERS for shard in sorted((out / name).iterdir())]
    for number, call in enumerate(calls([*shards, out / "cut", out / "site", out / "models.py"]), 1):
        print(f"call {number}: {sum(map(size, call)) / 1e6:.0f} MB, carry {' '.join(map(str, call))}")
    for verb in ("speed", "accuracy"):
        print(f'then: python benchmarks/encoder_gpu.py {verb} --given {out} --out "$OUT"')


def calls(paths: list[Path]) -> list[list[Path]]:
    """The paths in as few calls as their order allows."""
    found: list[list[Path]] = [[]]
    for path in paths:
        if found[-1] and sum(map(size, found[-1])) + size(path) > CARRIED:
            found.append([])
        found[-1].append(path)
    return found


def size(path: Path) -> int:
    """The bytes of a file, or of all in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def measured(told: argparse.Namespace) -> int:
    """Unpack the encoders, then run one benchmark after another as long as there is time."""
    began = time.monotonic()
    given, models, out = told.given.resolve(), told.given.resolve() / "unpacked", told.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    few = [] if told.rows is None else ["--rows", str(told.rows)]
    for name in ENCODERS:
        if not (models / name / "model.safetensors").exists():
            call(["models.py", "unpack", str(given / name), str(models / name)], given, began, out)
    cut = given / "cut"
    steps = {
        "speed": [
            ["isolation.py", "--encoder", str(models / "minilm"), "--cut", str(cut / "sst2-3.json.gz"),
             "--out", str(out / "isolation.jsonl"), *few],
            ["encoder_speed.py", "--models", str(models), "--cut", str(cut),
             "--out", str(out / "encoder_speed.jsonl"), *few],
        ],
        "accuracy": [
            ["encoder_accuracy.py", way, "--encoder", str(models / "mpnet"), "--cut", str(cut),
             "--out", str(out / "encoder_accuracy.jsonl"), "--jobs", str(told.jobs), *few]
            for way in ("fused", "modules")
        ],
    }  # fmt: skip
    failed = [step for step in steps[told.verb] if not call(step, given, began, out)]
    print(f"{time.monotonic() - began:.0f} s; not finished: {[step[0] for step in failed]}", flush=True)
    return 1 if failed else 0


def call(step: list[str], given: Path, began: float, out: Path) -> bool:
    """One program, with what Trainer needs within reach where it is not installed."""
    script = given / step[0] if (given / step[0]).is_file() else HERE / step[0]
    missing = [name for name in ("accelerate", "psutil") if importlib.util.find_spec(name) is None]
    for name in missing:
        if (given / "site" / name).is_dir():
            shutil.copytree(given / "site" / name, given / "found" / name, dirs_exist_ok=True)
    paths = [str(HERE), *([str(given / "found")] if missing else []), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "HF_HUB_OFFLINE": "1"}
    left = LIMIT - (time.monotonic() - began)
    command = [sys.executable, str(script), *step[1:]]
    if step[1] == "modules":
        command += ["--seconds", str(max(1.0, left - 20))]
    print(f"{time.monotonic() - began:5.0f} s: {' '.join(step[:2])}", flush=True)
    try:
        done = subprocess.run(command, env=environment, timeout=max(1.0, left), check=False)
    except subprocess.TimeoutExpired:
        print(f"{step[0]} ran out of time; what it measured is in {out}", flush=True)
        return False
    return done.returncode == 0


if __name__ == "__main__":
    main()
