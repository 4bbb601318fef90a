"""Attacks: rows -> poisoned rows. A plug-in says how one text is changed; the sealed base does the rest."""

from textward.attacks.base import Attack, Poisoned
from textward.attacks.budget import Setting, relabelled
from textward.attacks.insertion import AddSent, BadWord

__all__ = ["AddSent", "Attack", "BadWord", "Poisoned", "Setting", "relabelled"]
