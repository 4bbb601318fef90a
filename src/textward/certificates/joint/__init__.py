"""The whole test set's certificate: one set of corrupted groups for all texts at once.

The attacker picks `size` groups, the same for every text, and lets them vote as they like in each. A text
that was right survives a set G of groups when, for every rival c of its winner y,

    M_y - #{j in G: f^j = y}  >=  M_c + #{j in G: f^j != c} + [y > c].

Written as a budget: group j costs the lead over c a loss of 2 (it voted y), 0 (it voted c already) or 1; the
text falls when the losses over G exceed the slack M_y - M_c - [y > c] for some c. The certified count is the
minimum of the survivors over all G. Three methods find it; one cut short reports a proven bound.

- *lattice* (two classes): whether a text falls depends on how many of its winner's groups stay intact. Two
  transforms over the lattice of sets of groups then count the survivors of every G at once.
- *enumeration*: all sets G in blocks, by matrix products over small integers, which float32 holds exactly.
- *search* (branch and bound): past that. Bounds are integers, rounded against us.
"""

from textward.certificates.joint.counts import DEFAULT_LIMITS, JointCount, Limits
from textward.certificates.joint.table import joint_certified, joint_survivors, joint_table

__all__ = ["DEFAULT_LIMITS", "JointCount", "Limits", "joint_certified", "joint_survivors", "joint_table"]
