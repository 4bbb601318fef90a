"""textward certify: a model and labelled texts -> what share is right, whatever the trigger."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textward.certificates import CertifiedAccuracy, Figure
from textward.certificates.rules import rule_of
from textward.cli.parsing import Threshold, class_value, row_numbers, trigger_sizes, writable_file
from textward.cli.running import MISSED
from textward.cli.screen import Screen
from textward.cli.stdin import standard_input
from textward.data import Wanted, encode_labels, fragments, is_dataset, read_all, read_table
from textward.data.messages import quoted, visible
from textward.errors import UsageError
from textward.estimator import TextGuard
from textward.report import Page, write
from textward.report.evaluation import Evaluation, evaluate, save_votes
from textward.report.formats import words
from textward.report.pages import certificate_page

METHODS = {
    "both": ("individual", "joint"),
    "individual": ("individual",),
    "joint": ("joint",),
    "one-model": ("one_model",),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for."""

    sizes: str
    method: str
    target: str | None
    at_least: list[str] | None
    metric: str
    report: Path | None
    votes: Path | None
    trust: list[str] | None
    rows: str | None = None
    card: bool = False
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What it means for this model, judged before anything is computed."""

    sizes: tuple[int, ...]
    methods: tuple[str, ...]
    target: str | int | None
    thresholds: tuple[Threshold, ...]
    metric: str
    rows: tuple[int, ...]
    rule: str | None

    @classmethod
    def of(cls, wish: Wish, guard: TextGuard, data: str) -> Plan:
        sizes, rows = trigger_sizes(wish.sizes), row_numbers(wish.rows)
        if rows and guard.groups != "words" and guard.row_groups == 1:
            raise UsageError(
                "--rows needs ballots, or base models that see some of the rows only: here one added row "
                "changes all of them. Train with --learner ballots and --rows, or with --row-groups."
            )
        thresholds = tuple(map(Threshold.of, wish.at_least or ()))
        for threshold in thresholds:
            if threshold.size not in sizes:
                raise UsageError(
                    f"--min-certified-accuracy asks about {words(threshold.size)}, which --trigger-sizes "
                    f"{wish.sizes} leaves out. Add it to --trigger-sizes."
                )
        target = None if wish.target is None else class_value(wish.target, guard.classes_.tolist())
        if wish.metric == "non-target" and target is None:
            raise UsageError("--metric non-target needs a target class. Name it with --target.")
        if wish.metric == "non-target" and wish.method == "one-model":
            raise UsageError(
                "--method one-model weighs every class the same and has no figure for non-target texts. "
                "Give --metric balanced or all, or --method joint."
            )
        writable_file(wish.report, "--report", data)
        writable_file(wish.votes, "--save-votes", data)
        rule = _rule(wish.rule, guard, target)
        if rule not in (None, guard.rule) and (wish.report is not None or wish.card):
            raise UsageError(
                f"--rule {rule}: a page or a card shows the answers and radii of the rule the model decides "
                f"by, {guard.rule}. Leave --report and --card out, train with --rule, or let textward report "
                "compare the rules."
            )
        methods = _methods(wish, guard)
        return cls(sizes, methods, target, thresholds, wish.metric.replace("-", "_"), rows, rule)

    @property
    def judged_by(self) -> str:
        """The method that a threshold is about: joint, where it is computed."""
        return "joint" if "joint" in self.methods else self.methods[0]


def certify(
    screen: Screen, model: Path, data: str, wish: Wish, *, text_column: str, label_column: str, as_json: bool
) -> None:
    """Certify, print, keep the votes, write the report, and judge the thresholds."""
    from textward.persistence import Certified, load, write_card
    from textward.persistence.card import NAME as CARD

    guard = load(model, wish.trust or ())
    plan = Plan.of(wish, guard, data)
    if is_dataset(data):
        table = read_all(fragments(data), Wanted(text_column, label_column))
    else:
        stdin = standard_input() if data == "-" else None
        table = read_table(data, text_column=text_column, label_column=label_column, stdin=stdin)
    assert table.labels is not None
    name = "standard input" if data == "-" else data
    truth = encode_labels(table.labels, guard.classes_.tolist(), source=name)
    with screen.progress(f"Certifying {len(truth):,} texts"):
        found = evaluate(
            guard,
            table.texts,
            truth,
            plan.sizes,
            methods=plan.methods,
            target=plan.target,
            rows=plan.rows,
            rule=plan.rule,
        )
    about = {"model": str(model), "data": name, "digest": table.digest, "training": guard.training_.digest}
    kept = _keep_votes(screen, found, model, wish.votes, about)
    if wish.card:
        write_card(model, Certified(Path(name).name, table.digest, found.accuracies))
        screen.say(f"card: {visible(str(model / CARD))}")
    if wish.report is not None:
        page: Page = certificate_page(guard, found, table.texts, about)
        screen.say(f"report: {visible(str(write(page, wish.report)))}")
    if as_json:
        screen.json(as_dict(guard, found, about, kept))
    elif screen.wide:
        screen.rich(_table(found, name))
        screen.say(f"digest of the texts {table.digest[:16]}…; small figures are 95 % intervals")
    else:
        _tab_separated(screen, found)
    _judge(screen, plan, found)


def as_dict(guard: TextGuard, found: Evaluation, about: dict[str, Any], votes: Path | None) -> dict[str, Any]:
    """The evaluation, ready for JSON."""
    first = found.accuracies[0]
    return {
        "n": first.n,
        "classes": list(first.classes),
        "target": first.target,
        "trigger_sizes": list(first.trigger_sizes),
        "rule": first.rule,
        "certified_accuracy": {accuracy.method: accuracy.as_dict() for accuracy in found.accuracies},
        "surface": [{"method": one.method, "rows": one.rows} | one.as_dict() for one in found.surface],
        "assumptions": guard.assumptions(),
        "data": {"source": about["data"], "digest": about["digest"]},
        "model": {
            "path": about["model"],
            "groups": guard.groups,
            "seed": guard.seed,
            "training_digest": about["training"],
            "versions": dict(guard.training_.versions),
        },
        "votes": None if votes is None else str(votes),
    }


def _rule(name: str | None, guard: TextGuard, target: str | int | None) -> str | None:
    """The rule to judge by, where another than the model's own was named."""
    if name is None:
        return None
    if guard.groups == "words":
        raise UsageError("--rule is for base models that vote, and ballots have none. Leave it out.")
    try:
        rule_of(name, None if target is None else 0)
    except UsageError as error:
        raise UsageError(f"--rule {quoted(name)}: {error} (--target)") from error
    return name


def _methods(wish: Wish, guard: TextGuard) -> tuple[str, ...]:
    ballots = guard.groups == "words"
    if wish.method == "one-model" and not ballots:
        raise UsageError(
            "--method one-model is for ballots: hashed groups vote, and nothing more is known of a corrupted "
            "group. Use --method joint."
        )
    if wish.method == "all":
        return ("individual", "joint", "one_model") if ballots else METHODS["both"]
    return METHODS[wish.method]


def _keep_votes(
    screen: Screen, found: Evaluation, model: Path, wanted: Path | None, about: dict[str, Any]
) -> Path | None:
    # Beside the model, not in it: the manifest names every file of a model.
    folder = model.absolute().with_name(f"{model.absolute().name}.votes")
    path = wanted or folder / f"{about['digest'][:16]}.safetensors"
    try:
        if wanted is None:
            folder.mkdir(exist_ok=True)
        return save_votes(found, path, about)
    except (OSError, UsageError) as error:
        if wanted is not None:
            raise
        screen.say(f"the votes were not kept ({error}). Name a file for them with --save-votes.")
        return None


def _judge(screen: Screen, plan: Plan, found: Evaluation) -> None:
    import typer

    accuracy = next(one for one in found.accuracies if one.method == plan.judged_by)
    missed = False
    for threshold in plan.thresholds:
        share = accuracy.figures[plan.metric].shares[accuracy.trigger_sizes.index(threshold.size)]
        if share < threshold.share:
            missed = True
            screen.error(
                f"certified accuracy at {words(threshold.size)} is {share:.4f}, below {threshold.share:g} "
                f"({plan.metric.replace('_', '-')}, {accuracy.method})"
            )
    if missed:
        raise typer.Exit(MISSED)


POPULATIONS = {"all": "all texts", "balanced": "balanced over classes", "non_target": "other than the target"}
TITLES = {
    "individual": "A trigger of its own for every text",
    "joint": "One trigger for all texts",
    "one_model": "One trigger, and the one model trained with it",
}


def _rows(accuracy: CertifiedAccuracy) -> list[tuple[str, Figure]]:
    named = [(name, accuracy.figures[key]) for key, name in POPULATIONS.items() if key in accuracy.figures]
    return [*named, *((f"class {name}", figure) for name, figure in accuracy.class_figures.items())]


def _table(found: Evaluation, name: str) -> Any:
    from rich.table import Table
    from rich.text import Text

    first = found.accuracies[0]
    table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    table.title = Text(f"Certified accuracy on {first.n:,} texts of {visible(name)}", style="bold")
    table.add_column("trigger words")
    table.add_column("texts", justify="right")
    for size in first.trigger_sizes:
        table.add_column(str(size), justify="right")
    for accuracy in (*found.accuracies, *found.surface):
        table.add_row(end_section=False)
        title = TITLES[accuracy.method]
        judged = "" if accuracy.rule == "plurality" else f", by the rule {accuracy.rule}"
        rows = f", and {accuracy.rows:,} of the training rows" if accuracy.rows else ""
        table.add_row(Text(title + judged + rows, style="italic"))
        for label, figure in _rows(accuracy):
            cells = [
                Text.assemble(
                    ("" if exact else "≥ ", "dim"),
                    f"{100 * share:.1f} %",
                    (f"\n{100 * low:.0f}–{100 * high:.0f}", "dim"),
                )
                for share, (low, high), exact in zip(
                    figure.shares, figure.intervals, figure.exact, strict=True
                )
            ]
            table.add_row(Text(f"  {visible(label)}"), f"{figure.n:,}", *cells)
    return table


def _tab_separated(screen: Screen, found: Evaluation) -> None:
    screen.data("method\tpopulation\ttexts\ttrigger_words\tshare\tlow\thigh\texact\tbest_attack\trows")
    for accuracy in (*found.accuracies, *found.surface):
        for label, one in _rows(accuracy):
            columns = zip(
                accuracy.trigger_sizes, one.shares, one.intervals, one.exact, one.best_attack, strict=True
            )
            for size, share, (low, high), exact, attack in columns:
                start = [accuracy.method, visible(label), one.n, size]
                numbers = [f"{share:.6f}", f"{low:.6f}", f"{high:.6f}", str(exact).lower(), f"{attack:.6f}"]
                screen.data("\t".join(map(str, [*start, *numbers, accuracy.rows])))
