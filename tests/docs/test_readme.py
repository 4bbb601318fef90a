"""What the README shows is true of this version: its example, its commands, its links and its figures."""

from __future__ import annotations

import doctest
import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from snippets import HOME, blocks, commands, read_only, small_tables

from textward.cli.running import run

README = (HOME / "README.md").read_text(encoding="utf-8")
PAGES = [HOME / "README.md", HOME / "CHANGELOG.md"]
"""The links of docs/ are judged when the site is built."""
COMMANDS = [
    line.split("#")[0].strip()
    for block in blocks(README)
    if block.language == "sh"
    for line in commands(block)
]
INLINE = re.findall(r"`((?:python|make|pip|textward) [^`]+)`", README)


def script(name: str) -> ModuleType:
    """A module of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, HOME / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_python_example_runs_and_takes_five_lines() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    assert len(example.examples) == 5
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.failed == 0, "".join(said)
    assert result.attempted == 5


def test_every_command_on_one_s_own_rows_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small_tables(tmp_path)
    mine = [shlex.split(command) for command in COMMANDS if command.startswith("textward ")]
    assert [command[1] for command in mine[:3]] == ["train", "certify", "predict"]
    for command in mine:
        assert run(command[1:]) == 0, capfd.readouterr().err
    assert {"model", "groups", "certificate.html"} <= {path.name for path in tmp_path.iterdir()}


def test_everything_else_it_tells_one_to_type_is_there() -> None:
    for command in [*COMMANDS, *INLINE]:
        program, *rest = shlex.split(command)
        if program == "pip":
            assert rest == ["install", "."], command
        elif program != "textward":
            read_only(command)
        else:
            known = ("train", "certify", "predict", "inspect", "scan", "serve")
            assert rest[0] in known or rest[0].startswith("--")
    assert COMMANDS[:2] == ["make demo", "make test"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r'src(?:set)?="([^"]+)"', text)
    results = (HOME / "results").is_dir()
    for link in found:
        if not link.startswith("https://") and (results or not link.startswith("results/")):
            assert (page.parent / link).exists(), link


def test_its_figures_are_those_of_the_records() -> None:
    made = script("figures").with_figures(README, HOME / "results")
    assert made == README, "the records in results/ changed: run python docs/figures.py"


def test_figures_are_means_over_the_seeds_and_sums_over_the_data(tmp_path: Path) -> None:
    def record(seed: int, share: float) -> dict[str, Any]:
        joint = {"balanced": [share] * 6, "non_target": [share / 2] * 6}
        return {"model": "ballots", "seed": seed, "certified_accuracy": {"joint": joint}}

    (tmp_path / "certified").mkdir()
    lines = [json.dumps(record(seed, share)) for seed, share in enumerate((0.4, 0.5, 0.6))]
    (tmp_path / "certified" / "sst2.jsonl").write_text("\n".join(lines) + "\n")
    attacked = {"learner": "linear", "rounds": 2, "pairs": 10, "certified": 6, "changed": 1, "broken": 0}
    attacked |= {"models": 8, "models_differ": 0}
    (tmp_path / "soundness.jsonl").write_text(f"{json.dumps(attacked)}\n" * 2)
    figures = script("figures")
    assert "| SST-2 | **ballots** | **0.500** | **0.500** |" in figures.certified(tmp_path)
    assert "**0.250** |" in figures.certified(tmp_path)
    assert "| linear | 4 | 20 | 12, **0** | 8, 2 | 16, **0** |" in figures.soundness(tmp_path)
    assert "Not measured yet" in figures.speed(tmp_path)


def test_the_picture_is_drawn_from_the_demo_s_figures() -> None:
    picture = script("picture")
    story = json.loads((HOME / "docs" / "demo.json").read_text(encoding="utf-8"))
    for scheme in picture.SCHEMES:
        drawn = (HOME / "docs" / f"picture-{scheme.name}.svg").read_text(encoding="utf-8")
        assert drawn == picture.picture(story, scheme), "run make picture"
        assert "<script" not in drawn
    first, *_, best = story["classifiers"]
    alt = re.findall(r'alt="([^"]+)"', README)[0]
    shares = [one["attack"]["turned"]["share"] for one in (first, best)]
    shares += [best["certified_accuracy"]["joint"]["balanced"][t] for t in (0, 3)]
    assert [f"{100 * share:.0f} %" for share in shares] == re.findall(r"\d+ %", alt)
    assert best["attack"]["certified"]["changed"] == 0


def test_the_changelog_knows_this_version() -> None:
    from textward import __version__

    changes = (HOME / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[([^\]]+)\]", changes, flags=re.MULTILINE)[0] == __version__


def test_make_help_lists_every_target_with_what_it_does() -> None:
    done = subprocess.run(["make", "-C", HOME, "help"], capture_output=True, text=True, check=True)
    for target in ("demo", "test", "bench", "lint", "format", "docs", "picture", "figures", "lock", "clean"):
        assert re.search(rf"^make {target} +\S", done.stdout, flags=re.MULTILINE), target
