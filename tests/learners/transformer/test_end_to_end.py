"""From rows to a saved model and back, through the command line and the estimator, on a tiny encoder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_encoders import save_tiny_encoder, some_texts, torch

from textward import TextGuard, load
from textward.cli.running import run
from textward.errors import ModelError, UsageError
from textward.learners.transformer import EmbeddingLearner, Settings, TransformerLearner
from textward.learners.transformer.checkpoint import Checkpoints

QUICK = Settings(epochs=3, batch=8, learning_rate=5e-3, device="cpu")
SIDES = ("good fine great fun", "bad dull weak poor")
TEXTS = [
    f"a {word} {place}" for side in SIDES for word in side.split() for place in ("film", "story", "plot")
]
LABELS = [side for side in ("+", "-") for _ in range(12)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in zip(TEXTS, LABELS, strict=True)))
    return path


def weights(model: Path) -> dict[str, bytes]:
    """The files of the base models."""
    return {path.name: path.read_bytes() for path in model.rglob("group-*.safetensors")}


@pytest.mark.parametrize("kind", ["transformer", "embedding"])
def test_a_saved_model_votes_and_certifies_as_it_did(kind: str, folder: str, tmp_path: Path) -> None:
    learner: Any = (
        TransformerLearner(folder, QUICK) if kind == "transformer" else EmbeddingLearner(folder, device="cpu")
    )
    guard = TextGuard(3, learner).fit(TEXTS, LABELS)
    asked = [*TEXTS, "", "words never seen", "GOOD film good"]
    result = guard.certify(asked)
    guard.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.votes(asked), guard.votes(asked))
    assert again.certify(asked).radius.tolist() == result.radius.tolist()
    assert any(folder in line and "SHA-256" in line for line in guard.assumptions())
    assert not [path for path in (tmp_path / "model").rglob("*") if path.suffix in (".bin", ".pt", ".pkl")]


def test_plain_fine_tuning_learns_its_rows(folder: str) -> None:
    settings = Settings(epochs=8, batch=8, learning_rate=1e-2, device="cpu", dropout=0.0)
    guard = TextGuard(1, TransformerLearner(folder, settings)).fit(TEXTS, LABELS)
    assert guard.score(TEXTS, LABELS) > 0.9


def ask(data: Path, folder: str, out: str, *more: str) -> list[str]:
    """A training on the command line."""
    told = ["train", str(data), "--out", out, "--groups", "3", "--encoder", folder, "--epochs", "6"]
    return [*told, "--batch", "4", "--device", "cpu", *more]


def test_the_command_line_trains_judges_and_leaves_nothing_behind(
    data: Path,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(ask(data, folder, "model")) == 0
    assert run(["certify", "model", str(data), "--trigger-sizes", "0-1", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["n"] == 24 and any("tiny" in assumption for assumption in found["assumptions"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "model.votes"]


class Killed(BaseException):
    """Stops a run wherever it is."""


@pytest.mark.parametrize(("at_once", "stop"), [(1, 1), (1, 5), (1, 10), (1, 26), (3, 2), (3, 4), (3, 8)])
def test_a_run_that_was_stopped_at_any_step_ends_in_the_same_bits(
    at_once: int, stop: int, folder: str, tmp_path: Path
) -> None:
    settings = Settings(epochs=3, batch=8, learning_rate=5e-3, device="cpu", groups_at_once=at_once)
    texts, labels = [some_texts(24, seed) for seed in range(3)], np.arange(24) % 2

    def trained(checkpoint: Path | None, on_step: Any = None) -> list[dict[str, bytes]]:
        learner = TransformerLearner(folder, settings, checkpoint, on_step)
        groups = learner.train_texts(texts, labels, 2, seed=4).model.groups
        return [{name: t.numpy().tobytes() for name, t in own.blocks.items()} for own in groups]

    def die(done: int, steps: int, loss: float) -> None:
        if done >= stop:
            raise Killed

    where = tmp_path / "unfinished"
    with pytest.raises(Killed):
        trained(where, die)
    heard: list[int] = []
    resumed = trained(where, lambda done, steps, loss: heard.append(done))
    assert resumed == trained(None)
    assert heard[0] == 1 + (stop - 1) // 3 * 3, "three steps an epoch; a finished one is not trained twice"


def test_a_killed_process_goes_on_to_the_same_bits(
    data: Path,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = os.environ | {
        "OMP_NUM_THREADS": str(torch.get_num_threads()),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    call = [sys.executable, "-c", "import sys; from textward.cli import main; sys.exit(main())"]
    long = ask(data, folder, "killed", "--epochs", "20")
    with subprocess.Popen([*call, *long], env=environment, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not Path("killed.unfinished/groups-1-2.safetensors").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert Path("killed.unfinished/groups-1-2.safetensors").exists() and not Path("killed").exists()
    assert run(ask(data, folder, "killed")) == 2
    said = "belongs to other rows, settings or another encoder; delete it, or start anew with --no-resume"
    assert said in capfd.readouterr().err
    for command in (long, ask(data, folder, "whole", "--epochs", "20")):
        assert run(command) == 0
    assert not Path("killed.unfinished").exists()
    assert weights(Path("killed")) == weights(Path("whole")) != {}
    assert run(ask(data, folder, "other", "--no-resume")) == 0
    assert weights(Path("other")) != weights(Path("whole"))


def test_a_checkpoint_that_cannot_be_read_is_named(folder: str, tmp_path: Path) -> None:
    where = tmp_path / "unfinished"
    where.mkdir()
    (where / "groups-0-1.safetensors").write_bytes(b"\0" * 40)
    with pytest.raises(ModelError, match=r"cannot be read .*; delete it to start anew"):
        TransformerLearner(folder, QUICK, where).train_texts([TEXTS], np.arange(24) % 2, 2, 0)
    Checkpoints(where).clear()
    assert not where.exists()


def test_too_little_memory_is_said_before_training(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from textward.learners.transformer import memory

    monkeypatch.setattr(memory, "free_memory", lambda device: 2**20)
    steps: list[int] = []
    learner = TransformerLearner(folder, QUICK, on_step=lambda done, steps_, loss: steps.append(done))
    with pytest.raises(
        UsageError, match=r"needs about 0\.\d GiB to train and the cpu has 0\.0 GiB free: choose"
    ):
        TextGuard(3, learner).fit(TEXTS, LABELS)
    assert steps == []


@pytest.mark.parametrize("absent", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file_of_an_encoder_is_named(
    absent: str,
    data: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    broken = save_tiny_encoder(tmp_path / "broken")
    (broken / absent).unlink()
    assert run(ask(data, "broken", "model")) == 2
    assert f"the encoder folder 'broken' has no {absent}" in capfd.readouterr().err
    assert not (tmp_path / "model").exists()


WRONG = {
    "no such folder": (["--encoder", "./none/at/all"], "there is no encoder folder './none/at/all'"),
    "a device that is none": (["--device", "tpu9"], "unknown device 'tpu9': choose auto, cpu or cuda"),
    "no epochs": (["--epochs", "0"], "Invalid value for '--epochs'"),
    "no batch": (["--batch", "0"], "Invalid value for '--batch'"),
    "a rate above 1": (["--learning-rate", "2"], "Invalid value for '--learning-rate'"),
    "no room for words": (["--max-length", "2"], "must leave room for words beside the 2 special tokens"),
    "longer than its positions": (["--max-length", "99"], "max_length 99 is more than the 40 positions"),
    "no groups at once": (["--groups-at-once", "0"], "--groups-at-once '0': give auto, or a whole number"),
    "no adapters": (["--adapters", "0"], "Invalid value for '--adapters'"),
}


@pytest.mark.parametrize(("more", "message"), WRONG.values(), ids=WRONG)
def test_misuse_says_what_to_do_and_writes_nothing(
    more: list[str], message: str, data: Path, folder: str, tmp_path: Path,
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(ask(data, folder, "model", *more)) == 2
    assert message in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_gpu_cuda_is_refused(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    learner = TransformerLearner(folder, Settings(device="cuda"))
    with pytest.raises(UsageError, match="torch finds no GPU here: choose auto or cpu"):
        TextGuard(3, learner).fit(TEXTS, LABELS)


def test_sub_texts_are_cut_by_the_encoder_s_own_tokenizer_and_empty_ones_are_its_special_tokens(
    folder: str,
) -> None:
    from textward.learners.transformer.encoder import load_encoder

    encoder = load_encoder(folder, 2)
    encoded = encoder.encode(["", "good unheardof film", "good " * 30], 8)
    assert encoded.lengths.tolist() == [2, 5, 8]
    known = encoder.tokenizer.convert_ids_to_tokens(encoded.tokens[1].tolist())
    assert known[:5] == ["<s>", "good", "<unk>", "film", "</s>"] and set(known[5:]) == {"<pad>"}
    assert encoded.tokens[2, 7] == encoded.tokens[0, 1], "a cut text still ends in the special token"
