"""The page of the command line, from the program itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

_INTRODUCTION = """\
# The command line

Data go to standard output and everything else to standard error; `--json` is there for machines, `--quiet`
for silence, `NO_COLOR` for plain text. `textward --install-completion` makes the shell complete commands.

| exit code | |
|---|---|
| 0 | done |
| 1 | a threshold that was asked for was missed (`certify --min-certified-accuracy 0.6@1`) |
| 2 | bad usage, data or file; one line on standard error says what, where and what to do |
| 3 | stopped half-way; the same command goes on |
| 130 | interrupted |

`DATA` is CSV, TSV, JSON lines or Parquet by its suffix; its columns are `text` and `label` unless
`--text-column` and `--label-column` name others; `-` reads standard input.
"""


def commands_page() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from textward.cli.app import app

    return "\n".join([_INTRODUCTION, *_group("textward", get_command(app))])


def _group(name: str, group: Any) -> Iterator[str]:
    for key, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from _group(f"{name} {key}", command)
        else:
            yield from _command(f"{name} {key}", command)


def _command(name: str, command: Any) -> Iterator[str]:
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if not one.opts[0].startswith("-")]
    options = [one for one in shown if one.opts[0].startswith("-")]
    usage = " ".join([name, *(str(one.metavar or one.name.upper()) for one in arguments), "[OPTIONS]"])
    yield f"## {name}\n\n{_cell(command.help)}\n\n```text\n{usage}\n```\n"
    if arguments:
        yield from _table("argument", arguments)
    for panel in dict.fromkeys(one.rich_help_panel for one in options):
        yield from _table(panel or "option", [one for one in options if one.rich_help_panel == panel])


def _table(title: str, rows: Iterable[Any]) -> Iterator[str]:
    yield f"| {title} | |\n|---|---|"
    for one in rows:
        yield f"| {_spelled(one)} | {_cell(one.help)}{_default(one)} |"
    yield ""


def _spelled(one: Any) -> str:
    if not one.opts[0].startswith("-"):
        return f"`{one.metavar or one.name.upper()}`"
    names = ", ".join(f"`{name}`" for name in [*one.opts, *one.secondary_opts])
    values = "\\|".join(choice.value for choice in type(one.default)) if isinstance(one.default, Enum) else ""
    metavar = values or ("" if one.is_flag else str(one.metavar or "N").replace("|", "\\|"))
    return f"{names} {metavar}".strip()


def _default(one: Any) -> str:
    if one.required:
        return " Required."
    if not one.show_default or one.default in (None, False, True):
        return ""
    value = one.default.value if isinstance(one.default, Enum) else one.default
    return f" Default: `{value}`."


def _cell(text: str | None) -> str:
    return " ".join((text or "").replace("|", "\\|").replace("<", "&lt;").split())
