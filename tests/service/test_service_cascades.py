"""The service in front of a cascade says who answered."""

from textward import TextGuard
from textward.service.answers import answering
from textward.service.explain import explain

TEXTS, LABELS = ["good fun", "great fun", "dull", "bad and dull"] * 3, ["+", "+", "-", "-"] * 3


def test_answers_are_the_librarys():
    guard = TextGuard("words", cascade="tfidf", theta=0.25).fit(TEXTS, LABELS)
    asked = ["good fun", "never seen", "unheard", ""]
    found, said = guard.certify(asked), answering(guard)(asked)
    assert [one.label for one in said] == found.labels.tolist()
    assert [one.handed_over for one in said] == found.handed_over.tolist() == [False, True, True, True]


def test_what_is_handed_over_is_shown_and_does_not_stand():
    guard = TextGuard("words", cascade="tfidf", theta=0.25).fit(TEXTS, LABELS)
    shown = explain(guard, "never seen", trigger="fun")
    assert shown["handed_over"] and shown["radius"] == 0 and not shown["trigger"]["stands"]
    assert shown["label"] == guard.predict(["seen good"])[0]
    sure = explain(guard, "good fun")
    assert not sure["handed_over"] and sure["label"] == "+"
    worst = explain(guard, "good fun great", trigger="cf")["trigger"]
    alone = explain(TextGuard("words").fit(TEXTS, LABELS), "good fun great", trigger="cf")["trigger"]
    assert worst["worst"] == alone["worst"]
