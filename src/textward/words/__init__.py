"""Text to words: insertion-stable, columnar, each distinct word normalised once."""

from textward.words.columns import Words
from textward.words.cutters import CustomWords, Cutter, UnicodeWords, WhitespaceWords, WholeTexts
from textward.words.order import CodePointOrder, VocabularyOrder, WordOrder
from textward.words.stability import unstable_example

__all__ = [
    "CodePointOrder",
    "CustomWords",
    "Cutter",
    "UnicodeWords",
    "VocabularyOrder",
    "WhitespaceWords",
    "WholeTexts",
    "WordOrder",
    "Words",
    "unstable_example",
]
