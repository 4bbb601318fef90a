"""Counts to certificates: per text, over the whole test set, and for ballots; integers only."""
