"""Cascades on clean labels: clean accuracy against certified share, for every theta.

    python benchmarks/cascade.py [--data DIR] [--only sst2 ...] [--encoder FOLDER] [--epochs 3]

Ballots answer where they lead by theta whole ballots, a plain classifier elsewhere: TF-IDF with a linear
classifier, and with --encoder a linear head on that encoder, frozen (as learner="embedding"), and the encoder
fine-tuned (as learner="transformer"; with --precision bfloat16, half an hour where a CPU knows it).
What was read is kept in --cache, and every epoch, so that a run may be cut short. Writes one record per data
set and fallback to results/cascade, and a table; what is recorded already is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from certified import HOME, SPLITS, TITLES, rows
from textward import TextGuard
from textward.data import Digest
from textward.estimator.frontier import trusted_counts

FINE = tuple(quarter / 4 for quarter in range(25))
JOINT = {"sst2": FINE, "hsol": FINE, "agnews": (0.0, 1.0, 2.0, 3.0, 4.0)}
SIZES = (0, 1, 2)
WITHIN = 0.01
GOALS = {"sst2": (0.93, 0.25), "hsol": (0.95, 0.37), "agnews": (0.92, 0.60)}
_PIECE = 500
Record = dict[str, Any]


class FrozenEncoder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What learner="embedding" is on whole texts, with the encoder's vectors kept on disk."""

    def __init__(self, encoder: str, vectors: str) -> None:
        self.encoder = encoder
        self.vectors = vectors

    def fit(self, X: Sequence[str], y: Any) -> FrozenEncoder:
        self.head_ = LogisticRegression(C=10.0, max_iter=1_000).fit(self._read(X), y)
        self.classes_ = self.head_.classes_
        return self

    def predict(self, X: Sequence[str]) -> Any:
        return self.head_.predict(self._read(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    def _read(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        from textward.learners.transformer.embedding import embedded
        from textward.learners.transformer.encoder import load_encoder

        folder = Path(self.vectors)
        folder.mkdir(parents=True, exist_ok=True)
        known = _Store(folder)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        encoder = load_encoder(self.encoder, 2) if missing else None
        for start in range(0, len(missing), _PIECE):
            piece = missing[start : start + _PIECE]
            assert encoder is not None
            vectors, place = embedded(encoder, piece, 128, "auto")
            known.add(piece, vectors[place])
        return known.of(texts)


class FineTuned(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What learner="transformer" is on whole texts; an answer given once is kept."""

    def __init__(self, encoder: str, settings: Any, checkpoint: str) -> None:
        self.encoder = encoder
        self.settings = settings
        self.checkpoint = checkpoint

    def fit(self, X: Sequence[str], y: Any) -> FineTuned:
        from textward.learners.transformer import TransformerLearner

        self.classes_, labels = np.unique(y, return_inverse=True)
        learner = TransformerLearner(self.encoder, self.settings, Path(self.checkpoint), on_step=said)
        self.model_ = learner.train_texts([list(X)], labels, len(self.classes_), seed=0)
        self.answers_: dict[str, Any] = {}
        return self

    def predict(self, X: Sequence[str]) -> Any:
        new = [text for text in dict.fromkeys(X) if text not in self.answers_]
        if new:
            votes = self.model_.votes_of([new])[:, 0]
            self.answers_ |= dict(zip(new, self.classes_[votes], strict=True))
        return np.array([self.answers_[text] for text in X])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def said(done: int, steps: int, loss: float) -> None:
    """Say how far the fine-tuning is."""
    if done % 100 == 0:
        print(f"{time.strftime('%X')} step {done} of {steps}, loss {loss:.3f}", flush=True)


class _Store:
    """Vectors by the digest of their text, in one file a piece."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.places = folder, dict[str, npt.NDArray[Any]]()
        for file in sorted(folder.glob("*.npz")):
            with np.load(file) as arrays:
                self.places |= dict(zip(arrays["texts"].tolist(), arrays["vectors"], strict=True))

    def __contains__(self, text: str) -> bool:
        return _key(text) in self.places

    def add(self, texts: Sequence[str], vectors: npt.NDArray[Any]) -> None:
        keys = list(map(_key, texts))
        np.savez(self.folder / f"{keys[0]}.npz", texts=np.array(keys), vectors=vectors)
        self.places |= dict(zip(keys, vectors, strict=True))

    def of(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return np.stack([self.places[_key(text)] for text in texts])


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", choices=SPLITS, default=list(SPLITS))
    parser.add_argument("--encoder", type=Path, help="a folder such as mpnet")
    parser.add_argument("--cache", type=Path, default=HOME / "benchmarks" / ".cache" / "cascade")
    parser.add_argument("--epochs", type=int, default=3, help="of fine-tuning")
    parser.add_argument("--precision", choices=["auto", "float32", "bfloat16"], default="auto")
    parser.add_argument("--out", type=Path, default=HOME / "results" / "cascade")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "records.jsonl"
    records = list(map(json.loads, file.open())) if file.exists() else []
    known = {(record["data"], record["fallback"]) for record in records}
    with file.open("a", encoding="utf-8") as out:
        for name in options.only:
            for fallback, cascade in fallbacks(options, name).items():
                if (name, fallback) not in known:
                    record = {"data": name, "fallback": fallback} | measured(
                        options.data / name, name, cascade
                    )
                    out.write(json.dumps(record) + "\n")
                    out.flush()
                    records.append(record)
                    print(name, fallback, record["seconds"], flush=True)
    (options.out / "README.md").write_text(table(records), encoding="utf-8")


def fallbacks(options: argparse.Namespace, data: str) -> dict[str, Any]:
    """What to try on a data set, by name."""
    found: dict[str, Any] = {"tfidf": "tfidf"}
    if options.encoder is not None:
        from textward.learners.transformer import Settings

        encoder, name = str(options.encoder), options.encoder.name
        found[f"{name}, frozen"] = FrozenEncoder(encoder, str(options.cache / name))
        settings = Settings(epochs=options.epochs, precision=options.precision)
        checkpoint = options.cache / f"{name}-{data}.unfinished"
        found[f"{name}, fine-tuned"] = FineTuned(encoder, settings, str(checkpoint))
    return found


def measured(folder: Path, name: str, cascade: Any) -> Record:
    """The frontier of one data set and fallback; on SST-2 also the theta that its development rows give."""
    train, test = rows(folder, SPLITS[name]), rows(folder, ["test"])
    start = time.perf_counter()
    guard = TextGuard("words", cascade=cascade, theta=1e6).fit(train["text"], train["label"])
    trained = time.perf_counter()
    plain = float((guard.predict(test["text"]) == test["label"].to_numpy()).mean())
    found = {
        "individual": guard.frontier(test["text"], test["label"], FINE, SIZES, "individual"),
        "joint": guard.frontier(test["text"], test["label"], JOINT[name], SIZES, "joint"),
    }
    tally = guard.tally(test["text"])
    ordered = np.sort(tally, axis=1)
    lead, right = ordered[:, -1] - ordered[:, -2], tally.argmax(axis=1) == test["label"].to_numpy()
    answered = {
        theta: {
            "share": float((lead >= 1024 * theta).mean()),
            "right": float(right[lead >= 1024 * theta].mean()),
        }
        for theta in FINE
    }
    trusted = chosen(folder, guard) if name == "sst2" and not isinstance(cascade, FineTuned) else None
    digest = Digest()
    digest.update(test["text"], test["label"].cast(pl.String))
    return {
        "n": len(test),
        "plain_accuracy": plain,
        "trigger_sizes": list(SIZES),
        "frontier": {
            how: {theta: one.as_dict() for theta, one in figures.items()} for how, figures in found.items()
        },
        "ballots_answer": answered,
        "theta_from_trusted_rows": trusted,
        "test_digest": digest.hexdigest(),
        "training": asdict(guard.training_),
        "seconds": {"train": round(trained - start, 2), "all": round(time.perf_counter() - start, 2)},
    }


def chosen(folder: Path, guard: TextGuard) -> Record:
    """Theta as `theta_for` chooses it on the development rows: within a point of the fallback alone there."""
    dev = rows(folder, ["dev"])
    found = trusted_counts(guard, dev["text"], dev["label"].to_numpy())
    best = max(found.values()) / len(dev)
    asked = round(best - WITHIN, 4)
    theta = next(theta for theta, right in found.items() if right >= asked * len(dev))
    return {"rows": len(dev), "best_there": round(best, 4), "asked": asked, "theta": theta}


def table(records: list[Record]) -> str:
    """The frontier of every data set and fallback."""
    parts = [
        "# Certified cascades\n",
        "Built by `python benchmarks/cascade.py --encoder mpnet`. Clean labels; the ballots have their",
        "default dials. Each line is a theta, in whole ballots, fixed beforehand. *clean* is the accuracy",
        "of the whole cascade; *certified* the share of all test texts that is right and stays so under one",
        "trigger of t words, the same for all texts (joint), the hand-over included; *balanced* is that",
        "share averaged over the classes, each with its own worst trigger. The plain classifier is the",
        "fallback alone. Where two figures stand, the first is proven and the second what the worst trigger",
        "found leaves were the fallback the attacker's.\n",
    ]
    for record in records:
        clean, certified = GOALS[record["data"]]
        parts += [
            f"\n## {TITLES[record['data']]}, fallback {record['fallback']}\n",
            f"{record['training']['n']:,} training rows, {record['n']:,} test texts; the plain classifier "
            f"alone: **{record['plain_accuracy']:.3f}**. To reach with a fine-tuned encoder: clean "
            f"{clean:.2f} with {certified:.2f} certified at t=1.\n",
            "| theta | clean | ballots answer | of these right | certified t=1 | t=2 | balanced t=1 | t=2 |",
            "|---|---|---|---|---|---|---|---|",
            *lines(record),
        ]
        best = largest(record)
        parts.append(
            f"\nWithin a point of the plain classifier, the least theta tried is {best['theta']:g}: clean "
            f"{best['clean']:.3f}, certified {best['t=1']:.3f} at t=1 and {best['t=2']:.3f} at t=2. (Read "
            "off the test texts, so a little too good.)"
        )
        trusted = record["theta_from_trusted_rows"]
        if trusted is not None:
            parts.append(
                f"\nFrom the {trusted['rows']:,} development rows alone, `--target-accuracy "
                f"{trusted['asked']:g} --theta-from dev.csv` (a point below the best of "
                f"{trusted['best_there']:g} there) gives theta {trusted['theta']:g}."
            )
    return "\n".join(parts) + "\n"


def lines(record: Record) -> Iterator[str]:
    """A line for each whole theta of the joint certificate."""
    for theta, one in record["frontier"]["joint"].items():
        if float(theta) % 1:
            continue
        answered = _at(record["ballots_answer"], theta)
        cells = [
            _figure(one[which][t], one["best_attack"][which][t])
            for which in ("all", "balanced")
            for t in (1, 2)
        ]
        yield (
            f"| {float(theta):g} | {one['all'][0]:.3f} | {answered['share']:.3f} | {answered['right']:.3f} | "
            + " | ".join(cells)
            + " |"
        )


def largest(record: Record) -> Record:
    """The least theta whose clean accuracy is within a point of the plain classifier's."""
    for theta, one in record["frontier"]["joint"].items():
        if one["all"][0] >= record["plain_accuracy"] - WITHIN:
            return {"theta": float(theta), "clean": one["all"][0], "t=1": one["all"][1], "t=2": one["all"][2]}
    return {"theta": float("inf"), "clean": record["plain_accuracy"], "t=1": 0.0, "t=2": 0.0}


def _at(found: dict[Any, Any], theta: Any) -> Any:
    return next(value for key, value in found.items() if float(key) == float(theta))


def _figure(proven: float, attacked: float) -> str:
    low, high = f"{proven:.3f}", f"{attacked:.3f}"
    return low if low == high else f"{low} – {high}"


if __name__ == "__main__":
    main()
