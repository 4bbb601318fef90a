"""Models on disk: JSON and safetensors, a digest of every file, nothing that runs when it is read."""

from textward.persistence.config import Config
from textward.persistence.directory import load, read_config, save

__all__ = ["Config", "load", "read_config", "save"]
