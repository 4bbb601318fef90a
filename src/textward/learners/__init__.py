"""One group's sub-texts, labels and a seed -> a base model; m of them vote."""

from textward.learners.constant import ConstantModel
from textward.learners.each import EachGroup, is_repeatable, train_each
from textward.learners.grid import Grid, LinearCells, train_grid
from textward.learners.linear import LinearEach, LinearModel, train_linear
from textward.learners.protocol import Ensemble, EnsembleLearner, GroupLearner, GroupModel
from textward.learners.scikit import ScikitLearner, ScikitModel
from textward.learners.seeds import group_seed
from textward.learners.shares import Sharing

__all__ = [
    "ConstantModel",
    "EachGroup",
    "Ensemble",
    "EnsembleLearner",
    "Grid",
    "GroupLearner",
    "GroupModel",
    "LinearCells",
    "LinearEach",
    "LinearModel",
    "ScikitLearner",
    "ScikitModel",
    "Sharing",
    "group_seed",
    "is_repeatable",
    "train_each",
    "train_grid",
    "train_linear",
]
