"""Pages in a real browser: Debian's Chromium, with everything it might fetch by itself turned off."""

from __future__ import annotations

from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

in_chromium = pytest.mark.skipif(
    not CHROMIUM.exists(), reason=f"no {CHROMIUM}: nobody has looked at the page in a browser"
)


def luminance(colour: str) -> float:
    """Of a colour as a browser spells it."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
