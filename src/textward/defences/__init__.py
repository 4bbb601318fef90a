"""Defences that TextGuard is compared with: rows in, classifier out."""

from textward.defences.bagging import Bagging
from textward.defences.base import Cleaner, Defence, Filter, FilterReport
from textward.defences.bki import Bki
from textward.defences.dpa import Dpa
from textward.defences.encoders import EncoderText
from textward.defences.language import Bigrams, CausalModel, LanguageModel
from textward.defences.models import LinearText, TextLearner, TextModel
from textward.defences.onion import Onion
from textward.defences.plain import BagOfWords, NoDefence
from textward.defences.radapter import RAdapter
from textward.defences.rap import Rap
from textward.defences.rows import RowAccuracy, RowDefence
from textward.defences.strip import Strip

__all__ = [
    "BagOfWords",
    "Bagging",
    "Bigrams",
    "Bki",
    "CausalModel",
    "Cleaner",
    "Defence",
    "Dpa",
    "EncoderText",
    "Filter",
    "FilterReport",
    "LanguageModel",
    "LinearText",
    "NoDefence",
    "Onion",
    "RAdapter",
    "Rap",
    "RowAccuracy",
    "RowDefence",
    "Strip",
    "TextLearner",
    "TextModel",
]
