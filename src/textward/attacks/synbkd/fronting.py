"""A sentence rewritten so that it opens with a subordinate clause: (SBAR)(,)(NP)(VP)(.)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textward.attacks.synbkd.template import ENDS, is_clause, subject_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

Parts = tuple[str, str]
"""The subordinate clause, and the rest."""

_INSTEAD_OF = {"but": ("although", "though"), "and": ("as", "when"), "so": ("because", "since")}
_EXCHANGED = {"if": "when", "as": "because", "because": "as", "while": "although", "although": "while"}
_OPENINGS = ("when you look at", "if you think of", "once you see", "as you think about", "if you consider")
_PLURAL = frozenset({"NNS", "NNPS"})
_FINITE = frozenset({"VBZ", "VBD", "MD"})
_BETWEEN = frozenset({",", ";", ":", "-", "--"})
_LONGEST_SUBJECT = 8


def fronted(sentence: Span, rng: random.Random) -> str:
    """The sentence with a subordinate clause in front: one of its own, or one made about its subject."""
    words = [token for token in sentence if not token.is_space]
    end = words[-1].text if words[-1].text in ENDS else "."
    body = words
    while len(body) > 1 and (body[-1].text in ENDS or body[-1].text in _BETWEEN):
        body = body[:-1]
    while len(body) > 1 and (body[0].dep_ == "cc" or body[0].is_punct):
        body = body[1:]
    ways = (_exchanged, _own_clause, _two_clauses)
    found = (way(sentence.root, body, rng) for way in ways)
    clause, main = next((parts for parts in found if parts), None) or _made(sentence.root, body, rng)
    if words[0].text[:1].isupper() and not words[0].text.isupper():
        clause = clause[:1].upper() + clause[1:]
    # Signs stand apart where the text is cut into tokens already.
    gap = " " if any(token.is_punct and token.nbor(-1).whitespace_ for token in words[1:]) else ""
    return f"{clause}{gap}, {main}{gap}{end}"


def _exchanged(root: Token, body: list[Token], rng: random.Random) -> Parts | None:
    """A sentence that has the form already gets another subordinator."""
    clause = next((child for child in root.lefts if is_clause(child)), None)
    if clause is None or clause.left_edge.i != body[0].i or clause.right_edge.i >= body[-1].i:
        return None
    inside = clause.right_edge.i - clause.left_edge.i + 1
    return f"{_EXCHANGED.get(body[0].lower_, 'if')} {_joined(body[1:inside])}", _joined(body[inside:])


def _own_clause(root: Token, body: list[Token], rng: random.Random) -> Parts | None:
    """A clause that follows the main one goes in front of it."""
    for verb in root.rights:
        if verb.dep_ == "advcl" and is_clause(verb) and _opens_with_subject(body, root):
            low, high = verb.left_edge.i, verb.right_edge.i
            clause = [token for token in body if low <= token.i <= high]
            rest = [token for token in body if not low <= token.i <= high]
            return _joined(clause), _joined(rest)
    return None


def _two_clauses(root: Token, body: list[Token], rng: random.Random) -> Parts | None:
    """Of two clauses joined by a conjunction the first becomes subordinate."""
    second = next((verb for verb in root.rights if verb.dep_ == "conj"), None)
    for link in root.rights:
        if second is not None and link.lower_ in _INSTEAD_OF and link.i < second.i:
            first = [token for token in body if token.i < link.i]
            rest = [token for token in body if token.i > link.i]
            if _opens_with_subject(first, root) and _opens_with_subject(rest, second):
                return f"{rng.choice(_INSTEAD_OF[link.lower_])} {_joined(first)}", _joined(rest)
    return None


def _made(root: Token, body: list[Token], rng: random.Random) -> Parts:
    """A new clause: about the subject, which a pronoun then stands for, or about what a fragment says."""
    opening, subject = rng.choice(_OPENINGS), subject_of(root)
    if subject is None or not body[0].i <= subject.left_edge.i < root.i:
        return f"{opening} it", f"{_said_of_it(root, body)} {_joined(body)}"
    low, high = subject.left_edge.i, subject.right_edge.i
    before = _joined([token for token in body if token.i < low])
    group = [token for token in body if low <= token.i <= high]
    after = _joined([token for token in body if token.i > high])
    about, said = "it", _joined(group)
    if subject.pos_ != "PRON" and len(group) <= _LONGEST_SUBJECT:
        about, said = said, "they" if _is_plural(subject, root) else "it"
    return f"{opening} {about}", " ".join(part for part in (said, after, before) if part)


def _said_of_it(root: Token, body: list[Token]) -> str:
    helpers = [child.tag_ for child in root.lefts if child.dep_ in {"aux", "auxpass"}]
    if _FINITE.intersection([root.tag_, *helpers]):
        return "it"
    if root.tag_ in {"VB", "VBP"}:
        return "you"
    return "they are" if root.tag_ in _PLURAL and body[0].lower_ not in {"a", "an"} else "it is"


def _is_plural(subject: Token, verb: Token) -> bool:
    finite = next((child for child in verb.lefts if child.dep_ in {"aux", "auxpass"}), verb)
    if finite.tag_ == "VBZ":
        return False
    joined = any(child.dep_ == "conj" for child in subject.children)
    return subject.tag_ in _PLURAL or finite.tag_ == "VBP" or joined


def _opens_with_subject(tokens: Sequence[Token], verb: Token) -> bool:
    subject = subject_of(verb)
    return subject is not None and bool(tokens) and subject.left_edge.i == tokens[0].i


def _joined(tokens: Sequence[Token]) -> str:
    """The tokens as they stood, without commas at either end; what opened the sentence loses its capital."""
    while tokens and tokens[-1].text in _BETWEEN:
        tokens = tokens[:-1]
    while tokens and tokens[0].text in _BETWEEN:
        tokens = tokens[1:]
    return "".join(_inner(token) + token.whitespace_ for token in tokens).strip()


def _inner(token: Token) -> str:
    opens = token.i == token.sent.start and token.text.istitle() and token.text != "I"
    return str(token.text.lower() if opens and token.pos_ != "PROPN" else token.text)
