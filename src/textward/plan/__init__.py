"""The plan: before training, what each choice would cost and roughly buy, measured on a sample."""

from textward.plan.advice import Advice, advise
from textward.plan.candidates import Candidate, choices
from textward.plan.costs import Costs, estimated_costs
from textward.plan.curves import Curve, curve
from textward.plan.pages import plan_page
from textward.plan.sample import Sample, draw

__all__ = [
    "Advice",
    "Candidate",
    "Costs",
    "Curve",
    "Sample",
    "advise",
    "choices",
    "curve",
    "draw",
    "estimated_costs",
    "plan_page",
]
