"""SynBkd (Hidden Killer): the syntax of a sentence as the trigger."""

from textward.attacks.synbkd.generator import SynBkd

__all__ = ["SynBkd"]
