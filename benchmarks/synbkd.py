"""How often SynBkd's generator reaches the template S(SBAR)(,)(NP)(VP)(.): its output, parsed again.

    python benchmarks/synbkd.py [--data DIR] [--parser MODEL] [--texts 1000] [--out results/synbkd.jsonl]

Beside it the texts as they were, and Hidden Killer's own paraphrases where they were published. The parser is
the generator's own, so a share says that the rules do what they mean to, as that parser sees it.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl

from attacks import digest
from certified import HOME, SPLITS, rows
from textward.attacks import SynBkd


def main() -> None:
    """Measure each data set's first test texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--parser", default="en_core_web_sm")
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=HOME / "results" / "synbkd.jsonl")
    options = parser.parse_args()
    attack = SynBkd(options.parser)
    lines = []
    for name in SPLITS:
        texts = rows(options.data / name, ["test"])["text"][: options.texts]
        able = texts.filter(pl.Series(attack.covers(texts)))
        began = time.perf_counter()
        made = attack.apply(able)
        took = time.perf_counter() - began
        theirs = options.data / name / "synbkd-test.csv"
        sets = {"as they were": able, "our generator": made}
        if theirs.exists():
            sets["Hidden Killer's paraphrases"] = pl.read_csv(theirs)["text"][: options.texts]
        for what, given in sets.items():
            lines.append({
                "data": name, "texts": what, "n": len(given), "left_out": len(texts) - len(able),
                "template": round(attack.template_share(given) * len(given)),
                "seconds": round(took, 2) if what == "our generator" else None,
                "digests": {"texts": digest(given, np.zeros(len(given), int))},
                "versions": {"spacy": version("spacy"), "parser": model_version(options.parser)},
            })  # fmt: skip
            print(lines[-1], flush=True)
    options.out.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def model_version(name: str) -> str:
    """The name and version of a spaCy model."""
    import spacy

    if not Path(name).is_dir():
        return f"{name} {version(name.replace('_', '-'))}"
    meta = spacy.util.load_meta(Path(name) / "meta.json")
    return f"{meta['lang']}_{meta['name']} {meta['version']}"


if __name__ == "__main__":
    main()
