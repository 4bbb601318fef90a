"""Models to and from the Hugging Face hub; the one place where textward itself goes to the network."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textward.data.messages import visible
from textward.errors import MissingExtraError, ModelError
from textward.estimator import TextGuard
from textward.persistence import manifest
from textward.persistence.directory import FILES, load, save


def push_to_hub(
    guard: TextGuard,
    repo_id: str,
    *,
    private: bool | None = None,
    revision: str | None = None,
    token: str | None = None,
    message: str = "A textward model",
    endpoint: str | None = None,
) -> str:
    """Save a model and upload it; return the address of the commit."""
    hub = _library()
    with tempfile.TemporaryDirectory() as folder:
        save(guard, Path(folder) / "model")
        api = hub.HfApi(endpoint=endpoint, token=token)
        return _reached(
            repo_id,
            lambda: str(
                api.upload_folder(
                    repo_id=api.create_repo(repo_id, private=private, exist_ok=True).repo_id,
                    folder_path=Path(folder) / "model",
                    revision=revision,
                    commit_message=message,
                ).commit_url
            ),
        )


def from_pretrained(
    repo_id: str,
    *,
    revision: str | None = None,
    token: str | None = None,
    trust: Sequence[str] = (),
    words: Callable[[str], list[str]] | None = None,
    cache_dir: str | Path | None = None,
    endpoint: str | None = None,
) -> TextGuard:
    """Download a model, compare every file with its manifest, and load it; name a commit as `revision`.

    The manifest guards against damage. Who can change the repository can change it, too: a revision that is
    the hash of a commit stays what it was.
    """
    hub = _library()
    folder = _reached(
        repo_id,
        lambda: hub.snapshot_download(
            repo_id,
            revision=revision,
            token=token,
            cache_dir=cache_dir,
            endpoint=endpoint,
            allow_patterns=[*FILES, manifest.NAME],
        ),
    )
    return load(folder, trust, words)


def _library() -> Any:
    try:
        import huggingface_hub
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "models on the hub need huggingface_hub: pip install 'textward[hub]'"
        ) from error
    return huggingface_hub


def _reached(repo_id: str, call: Callable[[], str]) -> str:
    try:
        return call()
    except (OSError, ValueError, RuntimeError) as error:  # the library's own errors are of these
        first = visible(str(error)).strip()[:300]
        raise ModelError(
            f"hub model {visible(repo_id)}: {type(error).__name__}: {first}. Check its name, the revision, "
            "your token and the network."
        ) from error
