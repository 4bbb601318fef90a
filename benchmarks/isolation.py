"""Change one group's texts in every way we can think of: is every other base model the same, bit for bit?

    python benchmarks/isolation.py --encoder DIR --cut FILE --device cpu|cuda --out FILE.jsonl

DIR is an encoder's folder, FILE what `encoder_data.py` wrote. Each line names the change, the group it was
made in, the groups that kept every bit, and those that did not. Exit code 1 where another group moved,
or the changed one did not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import encoder_data
from textward.learners.seeds import group_seed
from textward.learners.transformer.encoder import Encoder, load_encoder
from textward.learners.transformer.memory import device_of
from textward.learners.transformer.settings import Settings
from textward.learners.transformer.training import place, train

CHANGES: dict[str, Callable[[list[str]], list[str]]] = {
    "none": lambda texts: texts,
    "one word in one row": lambda texts: ["zebra " + texts[0], *texts[1:]],
    "one word in every tenth row": lambda texts: [
        f"zebra {t}" if i % 10 == 0 else t for i, t in enumerate(texts)
    ],
    "300 words in every row": lambda texts: [f"{t} {'mn bb tq ' * 100}" for t in texts],
    "all rows empty": lambda texts: ["" for _ in texts],
    "a new word in each row": lambda texts: [f"{t} qx{i}" for i, t in enumerate(texts)],
    "rows in another order": lambda texts: texts[::-1],
}


def digests(encoder: Encoder, texts: list[list[str]], labels: Any, settings: Settings) -> list[str]:
    """Train, and return the SHA-256 of each base model's weights."""
    seeds = [group_seed(0, group) for group in range(len(texts))]
    found = []
    for own in train(encoder, settings, texts, labels, seeds).groups:
        digest = hashlib.sha256(own.tokens.tobytes())
        for name, tensor in sorted({**own.blocks, "vectors": own.vectors}.items()):
            digest.update(name.encode() + tensor.contiguous().cpu().numpy().tobytes())
        found.append(digest.hexdigest())
    return found


def main() -> None:
    """Train once as it stands and once for every change."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("encoder", "cut", "out"):
        cli.add_argument(f"--{name}", type=Path, required=True)
    cli.add_argument("--device", default="auto")
    cli.add_argument("--rows", type=int, default=320)
    cli.add_argument("--epochs", type=int, default=2)
    told = cli.parse_args()
    encoder = load_encoder(str(told.encoder), 2)
    texts, labels = encoder_data.read_cut(told.cut)
    rows, gold = [own[: told.rows] for own in texts["train"]], labels["train"][: told.rows]
    moved = False
    with told.out.open("a", encoding="utf-8") as out:
        for adapters in (None, 8):
            settings = Settings(
                epochs=told.epochs, batch=32, adapters=adapters, groups_at_once=len(rows), device=told.device
            )
            before = digests(encoder, rows, gold, settings)
            for number, (name, change) in enumerate(CHANGES.items()):
                group = number % len(rows)
                others = [change(own) if g == group else own for g, own in enumerate(rows)]
                after = digests(encoder, others, gold, settings)
                other = [g for g in range(len(rows)) if before[g] != after[g]]
                facts: dict[str, Any] = {
                    "what": "isolation", "encoder": told.encoder.name, "data": told.cut.name.split(".")[0],
                    "machine": place(device_of(told.device)), "rows": told.rows, "epochs": told.epochs,
                    "adapters": adapters, "groups": len(rows), "change": name, "changed_group": group,
                    "other_bits": other, "same_bits": [g for g in range(len(rows)) if g not in other],
                }  # fmt: skip
                out.write(json.dumps(facts) + "\n")
                out.flush()
                print(facts, flush=True)
                moved |= other != ([] if name == "none" else [group])
    sys.exit(1 if moved else 0)


if __name__ == "__main__":
    main()
