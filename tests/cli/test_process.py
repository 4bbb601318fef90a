"""The command as a process: how fast it speaks, how it ends, and what it leaves on the two streams."""

from __future__ import annotations

import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Run

TEXTWARD = [sys.executable, "-c", "import sys; from textward.cli import main; sys.exit(main())"]
HEAVY = ("numpy", "polars", "scipy", "sklearn", "torch", "transformers", "plotly", "pydantic", "jinja2")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from textward.cli import main; sys.argv = ['textward', '--help']; main();"
        f"sys.exit(','.join(sorted(set({HEAVY!r}) & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    for command in ("train", "predict", "certify", "inspect", "demo", "poison", "evaluate"):
        assert command in done.stdout


def test_help_takes_less_than_half_a_second_of_work() -> None:
    # Processor time, for the clock on the wall also counts what else the machine does.
    def work() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*TEXTWARD, "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(work() for _ in range(3)) < 0.5


def test_the_version_is_the_package_s() -> None:
    import textward

    done = subprocess.run([*TEXTWARD, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{textward.__version__}\n"


@pytest.mark.parametrize("arguments", [["--frobnicate"], ["no-such-command"], ["train"], ["certify", "a"]])
def test_misuse_ends_with_2_and_a_hint(arguments: list[str]) -> None:
    done = subprocess.run([*TEXTWARD, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "--help" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_leaves_early_hears_no_complaint(model: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_bytes(b"a good film\n" * 20_000)
    command = [*TEXTWARD, "predict", str(model), str(tmp_path / "texts.txt"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as producer:
        assert producer.stdout
        assert producer.stderr
        assert producer.stdout.readline().startswith(b'{"id": 1,')
        producer.stdout.close()
        assert producer.stderr.read() == b""
        assert producer.wait(timeout=60) == 0


def test_help_may_be_cut_short() -> None:
    with subprocess.Popen([*TEXTWARD, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_no_command_is_misuse_that_shows_the_commands() -> None:
    done = subprocess.run(TEXTWARD, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "certify" in done.stdout
    assert done.stderr == "error: no command was given. See textward --help.\n"


def test_a_bar_on_the_terminal_takes_nothing_from_the_data(model: Path) -> None:
    """The bar shows while the command waits for its input; every answer still goes down the pipe."""
    ours, theirs = pty.openpty()
    command = [*TEXTWARD, "predict", str(model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while b"Predicting" not in seen:
            seen += os.read(ours, 1024)
        out, _ = process.communicate(b"a good film\n" * 5, timeout=60)
    os.close(ours)
    assert len(out.splitlines()) == 6
    assert b"votes" not in seen


def test_ctrl_c_ends_with_130_and_no_traceback(model: Path) -> None:
    ours, theirs = pty.openpty()
    # Where the tests run in the background, a child would be born deaf to Ctrl-C.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", heard + TEXTWARD[2], "predict", str(model)]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr
            # The note says that the command has come as far as waiting for its input.
            assert b"reading texts from the terminal" in process.stderr.readline()
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert process.stderr.read() == b"interrupted\n"
        finally:
            process.kill()
            os.close(theirs)
            os.close(ours)


def test_an_error_of_our_own_making_is_one_line(
    textward: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("textward.persistence.load", broken)
    result = textward("predict", model, stdin=b"a\n")
    assert result.code == 2
    assert result.err.startswith("error: textward itself failed (ZeroDivisionError: division by zero).")
    assert "--debug" in result.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("textward ins", ["inspect"]),
        ("textward certify --min", ["--min-certified-accuracy"]),
        ("textward train --hash sha", ["sha1", "sha256"]),
        ("textward certify --method ind", ["individual"]),
    ],
)
def test_completion_knows_commands_options_and_values(typed: str, offered: list[str]) -> None:
    place = str(len(typed.split()) - 1)
    asked = {"_TEXTWARD_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": place}
    done = subprocess.run(TEXTWARD, capture_output=True, text=True, check=False, env={**os.environ, **asked})
    assert done.stdout.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_set_up_for_every_shell(shell: str) -> None:
    asked = {"_TEXTWARD_COMPLETE": f"source_{shell}"}
    done = subprocess.run(TEXTWARD, capture_output=True, text=True, check=False, env={**os.environ, **asked})
    assert done.returncode == 0
    assert f"_TEXTWARD_COMPLETE=complete_{shell}" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["train", "predict", "certify", "inspect", "demo", "poison", "evaluate"])
def test_every_command_speaks_to_machines_and_keeps_quiet(command: str) -> None:
    done = subprocess.run([*TEXTWARD, command, "--help"], capture_output=True, text=True, check=True)
    for option in ("--json", "--quiet", "--debug", "--help"):
        assert option in done.stdout


def test_no_color_leaves_no_colour_on_a_terminal(model: Path) -> None:
    def shown(**more: str) -> bytes:
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm-256color", **more}
        command = [*TEXTWARD, "predict", str(model), "/nowhere.txt"]
        with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=env) as process:
            assert process.wait(timeout=60) == 2
        os.close(theirs)
        seen = os.read(ours, 4096)
        os.close(ours)
        return seen

    assert b"\x1b[1;31m" in shown()
    assert b"[1;31m" not in shown(NO_COLOR="1")
    assert b"error: " in shown(NO_COLOR="1")
