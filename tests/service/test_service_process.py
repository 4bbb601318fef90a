"""textward serve as a process on loopback: it starts, answers, stops gracefully, and judges its options."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from service_models import GUARDS, TWO

from textward.cli.running import run
from textward.errors import UsageError
from textward.service import Address

TEXTWARD = [sys.executable, "-c", "import sys; from textward.cli import main; sys.exit(main())"]
HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\n"
WATCHED = (
    "import sys; from textward.cli import main; code = main();"
    "print([name for name in ('torch', 'transformers') if name in sys.modules]); sys.exit(code)"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("served") / "films"
    GUARDS["groups"]().save(where)
    return where


@contextmanager
def serving(model: Path, *options: str, command: list[str] = TEXTWARD, **env: str) -> Iterator[Any]:
    process = subprocess.Popen(
        [*command, "serve", str(model), "--port", "0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **env},
    )  # fmt: skip
    try:
        assert process.stderr is not None
        while "answers at http://" not in (line := process.stderr.readline()):
            assert line, process.wait(10)
        process.port = int(line.split("127.0.0.1:")[1].split()[0])  # type: ignore[attr-defined]
        yield process
    finally:
        process.kill()
        process.communicate()


def post(port: int, body: Any, path: str = "/v1/predict") -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            return response.status, json.loads(response.read())


def test_it_answers_without_torch_and_stops_gracefully(model: Path) -> None:
    with serving(model, command=[sys.executable, "-c", WATCHED]) as process:
        texts = TWO[0] * 3
        status, found = post(process.port, {"texts": texts})
        assert status == 200
        assert [one["label"] for one in found["predictions"]] == GUARDS["groups"]().predict(texts).tolist()
        # What was begun before the signal is answered after it.
        answers: list[int] = []
        slow = socket.create_connection(("127.0.0.1", process.port))
        body = json.dumps({"texts": texts}).encode()
        slow.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:10])
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        slow.sendall(body[10:])
        reader = threading.Thread(target=lambda: answers.append(int(slow.recv(65536)[9:12])))
        reader.start()
        reader.join(20)
        slow.close()
        assert answers == [200]
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0, err
        assert out.strip() == "[]"
        assert "stopped" in err
        assert "Traceback" not in err


def test_hasty_and_broken_clients_leave_it_well(model: Path) -> None:
    with serving(model) as process:
        where = ("127.0.0.1", process.port)
        for sent in (
            b"",
            b"\x00" * 999,
            b"POST /v1/predict HTTP/1.1\r\nContent-Length: 99\r\n\r\n{",
            b"GET / HT",
        ):
            with socket.create_connection(where) as connection:
                connection.sendall(sent)
        for length in (b"-1", b"many", b"99999999999999999999"):
            with socket.create_connection(where) as connection:
                connection.sendall(HEAD + b"Content-Length: %s\r\n\r\n" % length)
        assert post(process.port, {"texts": "good"})[0] == 200
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert "Traceback" not in err
        assert process.returncode in (0, 130)


def test_the_token_comes_from_a_file_or_the_environment(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n")
    with serving(model, "--token-file", str(file)) as process:
        assert post(process.port, {"texts": "good"})[0] == 401
    headers = {"Authorization": "Bearer fedcba9876543210"}
    with (
        serving(model, TEXTWARD_TOKEN="fedcba9876543210") as process,
        closing(HTTPConnection("127.0.0.1", process.port, timeout=20)) as connection,
    ):
        connection.request("GET", "/v1/model", headers=headers)
        with connection.getresponse() as response:
            assert response.status == 200


def test_what_cannot_be_served_is_said(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*options: str, folder: Path = model) -> str:
        assert run(["serve", str(folder), *options]) == 2
        return " ".join(capfd.readouterr().err.split())

    assert "there is no" in refused(folder=tmp_path / "nowhere")
    assert "--max-texts" in refused("--max-texts", "0")
    (tmp_path / "short").write_text("short")
    assert "at least 16 ASCII characters" in refused("--token-file", str(tmp_path / "short"))
    assert "Name a file with a token" in refused("--token-file", str(tmp_path / "none"))
    monkeypatch.setenv("TEXTWARD_TOKEN", "with spaces in it, sadly")
    assert "the variable TEXTWARD_TOKEN" in refused()
    monkeypatch.delenv("TEXTWARD_TOKEN")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "--port 0 takes any free one" in refused("--port", str(taken.getsockname()[1]))
    assert "cannot listen on" in refused("--host", "256.0.0.1")


def test_addresses() -> None:
    assert Address("localhost").loopback
    assert Address("::1").loopback
    assert not Address("example.org").loopback
    with pytest.raises(UsageError, match="--port 0"):
        Address("127.0.0.1", 70_000).bound()
