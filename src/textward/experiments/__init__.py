"""The paper's tables and figures: declarative grids -> records -> tables, figures and claims.

A grid says which cells a table needs; a run appends one record a cell; everything after is a function of the
records. What runs on a machine with a GPU needs numpy, torch and transformers alone (`jobs`, `encoders`).
"""

from __future__ import annotations

from textward.experiments.grid import Cell, Experiment, Spot

__all__ = ["Cell", "Experiment", "Spot"]
