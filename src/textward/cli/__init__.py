"""The command line: parse, call the library, print. Nothing heavy is imported before a command needs it."""

from __future__ import annotations


def main() -> int:
    """Run `textward` with the arguments of the process and return its exit code."""
    from textward.cli.running import run

    return run()
