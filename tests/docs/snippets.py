"""What a page tells a reader to type, run in order on small tables: its Python, its commands, its service."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from textward.cli.running import run
from textward.learners.ballots import Neighbours

HOME = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```", flags=re.DOTALL | re.MULTILINE)
TEXTWARD = [sys.executable, "-c", "import sys; from textward.cli import main; sys.exit(main())"]
EXIT_CODE = re.compile(r"# exit code (\d+)")
ELSEWHERE = ("make", "pip", "git")
"""Programs whose commands are read, not run: `read_only` says whether what they name is there."""
WORDS = {
    "spam": "win cash prize claim free offer now",
    "ham": "meet lunch notes report agenda team call",
    "news": "minister vote market court storm city police",
    "sport": "goal match league coach season score team",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block of a page, in order."""
    for found in FENCE.finditer(text):
        indent = found[1]
        lines = "\n".join(line.removeprefix(indent) for line in found[3].splitlines())
        yield Block(found[2], lines + "\n", text.count("\n", 0, found.start()) + 1)


def commands(block: Block) -> Iterator[str]:
    """The commands of a shell block, continued lines joined."""
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.strip().startswith("#"):
            yield line.strip()


def small_tables(folder: Path) -> None:
    """What pages speak of: rows.csv of two classes, topics.csv of four, test sets, texts, near.parquet."""
    for name, classes in (("rows.csv", 2), ("test.csv", 2), ("topics.csv", 4), ("topics-test.csv", 4)):
        rows = [
            f'"{" ".join(words.split()[k:] + words.split()[:k])}, {k}",{label}'
            for label, words in list(WORDS.items())[:classes]
            for k in range(7)
        ]
        (folder / name).write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    texts = "claim your free prize\nnotes for the team\n"
    (folder / "new-texts.txt").write_text(texts, encoding="utf-8")
    near = Neighbours(pl.Series(["cash", "money"]), np.array([[1], [0]]), np.array([[900], [900]]))
    near.write(folder / "near.parquet")


class Reader:
    """Somebody who types all that a page says, in the current folder."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.service = "http://127.0.0.1:8000"

    def follow(self, page: Path) -> None:
        """Type everything."""
        with self._services() as start:
            for block in blocks(page.read_text(encoding="utf-8")):
                where = f"{page.name}, line {block.line}"
                if block.language == "python":
                    self._python(block, where)
                elif block.language == "sh":
                    for command in commands(block):
                        self._command(command, where, start)

    def _python(self, block: Block, where: str) -> None:
        text = block.text.replace("http://127.0.0.1:8000", self.service)
        if ">>>" not in text:
            exec(compile(text, where, "exec"), self.names)
            return
        example = doctest.DocTestParser().get_doctest(text, self.names, where, where, 0)
        said: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        result = runner.run(example, out=said.append, clear_globs=False)
        self.names.update(example.globs)
        assert result.failed == 0, "".join(said)

    def _command(self, line: str, where: str, start: Any) -> None:
        wanted = int(found[1]) if (found := EXIT_CODE.search(line)) else 0
        program, *rest = shlex.split(line, comments=True)
        if program == "textward" and rest[0] == "serve":
            self.service = start([word.removesuffix("&") for word in rest if word != "&"])
        elif program == "textward":
            assert run(rest) == wanted, f"{where}: {line}"
        elif program == "curl":
            if shutil.which("curl"):
                told = [word.replace("http://127.0.0.1:8000", self.service) for word in rest]
                done = subprocess.run(["curl", "--silent", "--fail", *told], capture_output=True, check=False)
                assert done.returncode == 0, f"{where}: {line}: {done.stderr.decode()}"
        else:
            read_only(line)

    @contextmanager
    def _services(self) -> Iterator[Any]:
        running: list[subprocess.Popen[str]] = []

        def start(arguments: list[str]) -> str:
            asked = [*TEXTWARD, *arguments, "--port", "0"]
            process = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True)
            running.append(process)
            assert process.stderr is not None
            while "answers at http://" not in (line := process.stderr.readline()):
                assert line, f"{arguments} ended with {process.wait(10)}"
            return "http://" + line.split("http://")[1].split()[0]

        try:
            yield start
        finally:
            for process in running:
                process.kill()
                process.communicate()


def read_only(line: str) -> None:
    """A command that is not run here: at least what it names must be there."""
    program, *rest = shlex.split(line, comments=True)
    if program == "make":
        targets = set(re.findall(r"^(\w+):", (HOME / "Makefile").read_text(), flags=re.MULTILINE))
        assert rest[0] in targets, line
    elif program == "python":
        assert (HOME / rest[0]).is_file(), line
    else:
        assert program in ELSEWHERE, f"{line}: nobody would know how to test it"
