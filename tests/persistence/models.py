"""Fitted models of every kind, and ways to damage their directories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from textward import TextGuard

TEXTS = ["good fun film", "great fun", "good ünd great 你好", "bad dull film", "dull", "awful film , bad"]
LABELS = ["+", "+", "+", "-", "-", "-"]
UNSEEN = [*TEXTS, "", "never seen", "good bad"]

PIPELINE = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression())
KINDS: dict[str, Callable[[], TextGuard]] = {
    "linear": lambda: TextGuard(3, hash="sha1", seed=2, words="whitespace"),
    "ballots": lambda: TextGuard("words"),
    "long triggers": lambda: TextGuard("words", trigger_size=3),
    "steady": lambda: TextGuard("words", rows=1),
    "cascade": lambda: TextGuard("words", cascade=PIPELINE, theta=0.5),
    "cascade of counts": lambda: TextGuard("words", cascade="linear", theta=9.0, words="whitespace"),
    "scikit": lambda: TextGuard(3, MultinomialNB()),
    "pipeline": lambda: TextGuard(
        20, make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression())
    ),
}


def fitted(kind: str) -> TextGuard:
    return KINDS[kind]().fit(TEXTS, LABELS)


def saved(kind: str, folder: Path) -> Path:
    path = folder / "model"
    fitted(kind).save(path)
    return path


def change_config(path: Path, **fields: Any) -> None:
    """Change fields ('a.b' for one inside another) and give the manifest the new digest."""
    config = json.loads((path / "config.json").read_text())
    for name, value in fields.items():
        *outer, last = name.split("__")
        inside = config
        for key in outer:
            inside = inside[key]
        inside[last] = value
    (path / "config.json").write_text(json.dumps(config))
    sign(path)


def sign(path: Path) -> None:
    """Write a manifest that fits the files as they are."""
    files = [file for file in path.iterdir() if file.name != "manifest.json"]
    digests = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    (path / "manifest.json").write_text(json.dumps({"sha256": digests}))
