"""Strategies for text that tries to break a word cutter."""

from __future__ import annotations

from hypothesis import strategies as st

SPACES = [
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\v",
    "\f",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
    "\x85",
    "\u00a0",
    "\u1680",
]
SPACES += ["\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"]

CHARACTERS = [
    *"aZ9_.'-,!$@#",
    *"ΣσςΑ",  # lower-casing a sigma looks at its neighbours
    *"İıßǅﬁÅ",  # cases that change length, titles, ligatures, a singleton under NFC
    *"e\u0301\u0323\u0327",  # marks that NFC composes and reorders
    *"\u1100\u1161\u11a8한",  # Hangul letters that NFC composes
    *"你々〇𠀀𪜀\U000e0100",  # Han, its iteration mark, extension planes, a variation selector
    *"あカーｶｰﾞ゛\u3099",  # kana, long vowel marks, voiced marks of three kinds
    *"ไที่ำ๑ລກ្រမြန်",  # Thai, Lao, Khmer, Myanmar with vowels, tones and stacked consonants
    *"שלםﷺعـ",  # right to left
    *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\u180e",  # zero-width and direction marks
    *"👩👧🏽❤\ufe0f🇩🇪1\u20e3",  # emoji sequences
    *"\0\x07\x7f\ufffd\uffff\U0010ffff\u0378",  # control characters, non-characters, one not assigned
]

characters = st.one_of(st.sampled_from(CHARACTERS), st.characters(exclude_categories=["Cs", "Cn"]))
gaps = st.sampled_from(SPACES)


def chunks_of(alphabet: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=1, max_size=6).filter(lambda chunk: chunk.split() == [chunk])


chunks = chunks_of(characters)


@st.composite
def texts(draw: st.DrawFn, alphabet: st.SearchStrategy[str] = characters) -> str:
    """Chunks with any white space between them and, sometimes, around them."""
    pieces = [draw(st.sampled_from(["", *SPACES]))]
    for chunk in draw(st.lists(chunks_of(alphabet), max_size=6)):
        pieces += [chunk, draw(gaps)]
    text = "".join(pieces)
    return text.rstrip() if draw(st.booleans()) else text
