"""The template S(SBAR)(,)(NP)(VP)(.), read off a dependency parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})
ENDS = frozenset({".", "!", "?", "..", "...", "…", "!!", "!!!", "??", "?!"})


def matches_template(sentence: Span) -> bool:
    """Whether the sentence is a subordinate clause, a comma, a subject, its verb phrase and a full stop."""
    root = sentence.root
    subject = subject_of(root)
    if subject is None or subject.i > root.i or sentence[-1].text not in ENDS:
        return False
    clause = next((child for child in root.lefts if is_clause(child)), None)
    if clause is None or clause.left_edge.i != sentence.start:
        return False
    between = sentence.doc[clause.right_edge.i + 1 : subject.left_edge.i]
    return [token.text for token in between] == [","]


def subject_of(verb: Token) -> Token | None:
    """The subject of a finite clause, if it has one."""
    return next((child for child in verb.children if child.dep_ in _SUBJECTS), None)


def is_clause(verb: Token) -> bool:
    """Whether this is the verb of a subordinate clause with its subordinator in front and its own subject."""
    first = verb.left_edge
    opened = first.head == verb and (first.dep_ == "mark" or first.tag_ == "WRB")
    return verb.dep_ in {"advcl", "ccomp"} and opened and subject_of(verb) is not None
