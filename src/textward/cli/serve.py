"""textward serve: a saved model behind HTTP, until the process is told to stop."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from textward.cli.screen import Screen
from textward.data.messages import visible
from textward.errors import UsageError

TOKEN = "TEXTWARD_TOKEN"
_LEAST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for; None leaves a limit as it is."""

    host: str
    port: int
    token_file: Path | None
    trust: list[str] | None
    text_characters: int | None
    texts: int | None
    body_bytes: int | None
    waiting_texts: int | None


def serve(screen: Screen, model: Path, wish: Wish) -> None:
    """Load, listen, answer."""
    from textward.persistence import load
    from textward.service import Address, Limits, create_app
    from textward.service import serve as answer
    from textward.service.server import url

    limits = Limits(
        **{
            name: value
            for name in ("text_characters", "texts", "body_bytes", "waiting_texts")
            if (value := getattr(wish, name)) is not None
        }
    )
    token = secret(wish.token_file)
    address = Address(wish.host, wish.port)
    guard = load(model, wish.trust or ())
    if guard.model_.obstacle is not None:
        screen.say(f"no radius: {guard.model_.obstacle}")
    if token is None and not address.loopback:
        screen.say(
            f"anybody who reaches {visible(wish.host)} may use this service; ask for a token with "
            f"--token-file FILE or the variable {TOKEN}"
        )
    app = create_app(guard, name=model.absolute().name, limits=limits, token=token)
    with address.bound() as listening:
        where = url(listening)
        answer(
            app,
            listening,
            started=lambda: screen.say(f"{visible(str(model))} answers at {where} (Ctrl-C stops it)"),
        )
    screen.say("stopped")


def secret(file: Path | None) -> str | None:
    """The token that clients must send, from a file or the environment; never from the command line.

    >>> secret(None) is None or TOKEN in os.environ
    True
    """
    if file is not None:
        try:
            found, source = file.read_text(encoding="utf-8").strip(), f"--token-file {visible(str(file))}"
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"--token-file {visible(str(file))}: {error}. Name a file with a token."
            ) from error
    elif TOKEN in os.environ:
        found, source = os.environ[TOKEN].strip(), f"the variable {TOKEN}"
    else:
        return None
    if len(found) < _LEAST_TOKEN or not (found.isascii() and found.isprintable()) or " " in found:
        raise UsageError(
            f"{source}: the token must have at least {_LEAST_TOKEN} ASCII characters and no spaces, such as "
            "what openssl rand -hex 16 prints"
        )
    return found
