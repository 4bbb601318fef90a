"""Models on disk: JSON and safetensors, a digest of every file, nothing that runs when it is read."""

from textward.persistence.config import Config
from textward.persistence.directory import check_target, load, read_config, save

__all__ = ["Config", "check_target", "load", "read_config", "save"]
