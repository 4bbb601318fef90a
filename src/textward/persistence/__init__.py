"""Models on disk: JSON and safetensors, a digest of every file, nothing that runs when it is read."""

from textward.persistence.card import Certified
from textward.persistence.config import Config
from textward.persistence.directory import check_target, load, read_config, save, write_card
from textward.persistence.hub import from_pretrained, push_to_hub

__all__ = [
    "Certified",
    "Config",
    "check_target",
    "from_pretrained",
    "load",
    "push_to_hub",
    "read_config",
    "save",
    "write_card",
]
