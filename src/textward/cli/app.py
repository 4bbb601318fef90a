"""The commands and their options; what they do is in the module of the same name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textward.cli import attack_commands, experiment_commands, face_commands, options, scan_command
from textward.cli.options import (
    Data,
    Debug,
    Hash,
    Jobs,
    Json,
    LabelColumn,
    Method,
    Metric,
    Mode,
    ModelFolder,
    Quiet,
    RowsBy,
    TextColumn,
    Trust,
    WordCut,
)
from textward.cli.running import running
from textward.errors import UsageError

app = typer.Typer(
    name="textward",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from textward import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def textward(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Train text classifiers on rows nobody vouches for, and prove how many trigger words each withstands."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the page is written.")] = Path(
        "demo.html"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Use a quarter of the rows.")] = False,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="What the split and the attack are drawn from.")
    ] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Plant a backdoor in film reviews: a plain classifier falls, TextGuard holds."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.demo import demo as job

        job(screen, out=out, quick=quick, seed=seed, as_json=as_json)


@app.command()
def train(
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder of the model.", show_default=False)
    ],
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="M|words|DESIGN",
            help="How many groups (7); words: one a word; or a design by which base models share words: "
            "fano, pg:3, cyclic:11:1,3,4,5,9.",
            show_default=False,
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="linear (unless words are the groups), ballots, transformer or embedding.",
            show_default=False,
        ),
    ] = None,
    hash_name: Annotated[Hash, typer.Option("--hash", help="How a word is hashed to its group.")] = Hash.md5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What every random choice is drawn from.")] = 0,
    mode: Annotated[Mode, typer.Option("--mode", help="With a guarantee, or without.")] = Mode.certified,
    words: Annotated[WordCut, typer.Option("--words", help="How a text is cut.")] = WordCut.unicode,
    order: Annotated[
        Path | None,
        typer.Option(
            "--order",
            metavar="PATH",
            help="A vocab.txt or tokenizer.json that orders the words of a group; else code points.",
            show_default=False,
        ),
    ] = None,
    trigger_size: options.TriggerSize = None,
    rows: Annotated[
        int,
        typer.Option("--rows", min=0, help="Make ballots that withstand so many rows of an attacker's own."),
    ] = 0,
    cascade: options.Cascade = None,
    theta: options.Theta = None,
    target_accuracy: options.TargetAccuracy = None,
    theta_from: options.ThetaFrom = None,
    row_groups: options.RowGroups = 1,
    rows_by: Annotated[
        RowsBy,
        typer.Option(
            "--rows-by",
            help="text: rows may come and go; place: they are only rewritten in their place.",
        ),
    ] = RowsBy.text,
    rule: Annotated[
        str,
        typer.Option(
            "--rule", metavar="RULE", help="How votes become an answer: plurality, runoff or soft:K."
        ),
    ] = "plurality",
    neighbours: Annotated[
        Path | None,
        typer.Option(
            "--neighbours",
            metavar="FILE",
            help="Ballots: a public list of words and those near them, as Neighbours.write makes it.",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = None,
    influential_rows: options.InfluentialRows = None,
    influential_words: options.InfluentialWords = None,
    encoder: options.Encoder = None,
    epochs: options.Epochs = None,
    batch: options.Batch = None,
    learning_rate: options.LearningRate = None,
    max_length: options.MaxLength = None,
    adapters: options.Adapters = None,
    groups_at_once: options.GroupsAtOnce = None,
    device: options.Device = None,
    precision: options.Precision = None,
    resume: options.Resume = True,
    engine: options.EngineName = "local",
    address: options.Address = None,
    on_bad_block: options.OnBadBlock = options.BadBlock.stop,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Train a model on labelled rows."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.cascades import CascadeWish
        from textward.cli.encoders import EncoderWish
        from textward.cli.spreading import Spread
        from textward.cli.train import Wish
        from textward.cli.train import train as job

        of_encoder = EncoderWish(
            encoder,
            epochs,
            batch,
            learning_rate,
            max_length,
            adapters,
            groups_at_once,
            device,
            precision,
            resume,
        )
        potential = influential_words, influential_rows
        wish = Wish(
            groups,
            learner,
            hash_name.value,
            seed,
            mode.value,
            words.value,
            order,
            jobs,
            of_encoder,
            potential,
            rows,
            neighbours,
            trigger_size,
            Spread(engine, address, on_bad_block.value),
            CascadeWish(cascade, theta, target_accuracy, theta_from),
            (row_groups, rows_by.value),
            rule,
        )
        job(screen, data, out, wish, text_column=text_column, label_column=label_column, as_json=as_json)


@app.command()
def predict(
    model: ModelFolder,
    file: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="Texts, one a line; - for standard input.")
    ] = "-",
    text_column: Annotated[
        str | None,
        typer.Option("--text-column", metavar="NAME", help="Read a table, and its texts from this column."),
    ] = None,
    with_text: Annotated[bool, typer.Option("--with-text", help="Repeat each text in the output.")] = False,
    out: options.OutFolder = None,
    jobs: Jobs = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    on_bad_block: options.OnBadBlock = options.BadBlock.stop,
    trust: Trust = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Label texts, each with the number of trigger words that cannot change the answer."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.bulk import Bulk, predict_files
        from textward.cli.predict import predict as job
        from textward.cli.spreading import Spread

        spread = Spread(engine, address, on_bad_block.value)
        if spread.takes(file) or out is not None:
            bulk = Bulk(file, out, text_column or "text", None, spread, jobs)
            predict_files(screen, model, bulk, trust=trust, as_json=as_json)
            return
        job(
            screen,
            model,
            file,
            text_column=text_column,
            with_text=with_text,
            trust=trust,
            as_json=as_json,
        )


@app.command()
def certify(
    model: ModelFolder,
    data: Data,
    sizes: Annotated[
        str,
        typer.Option(
            "--trigger-sizes", metavar="SIZES", help="A range such as 0-5, or a list such as 0,1,3."
        ),
    ] = "0-5",
    method: Annotated[
        Method,
        typer.Option(
            "--method", help="joint: one trigger for all texts; individual: one for each; both of these."
        ),
    ] = Method.both,
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="CLASS", help="The class an attacker would like to see."),
    ] = None,
    at_least: Annotated[
        list[str] | None,
        typer.Option(
            "--min-certified-accuracy",
            metavar="SHARE@WORDS",
            help="Exit with 1 where less is certified, such as 0.6@1. May be given several times.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        Metric, typer.Option("--metric", help="What --min-certified-accuracy is about.")
    ] = Metric.balanced,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Write a page to look at.", show_default=False),
    ] = None,
    save_votes: Annotated[
        Path | None,
        typer.Option(
            "--save-votes",
            metavar="FILE",
            help="Where the votes are kept, rather than in DIR.votes beside DIR.",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            "--rows",
            metavar="NUMBERS",
            help="Ballots: prove it also where an attacker added, deleted, rewrote or relabelled so many "
            "training rows, such as 1,5,10.",
            show_default=False,
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="RULE",
            help="Judge the same votes by another rule: plurality, runoff, soft:K, abstain:R or targeted.",
            show_default=False,
        ),
    ] = None,
    card: Annotated[
        bool, typer.Option("--card", help="Write the figures into the model's README.md, too.")
    ] = False,
    out: options.OutFolder = None,
    jobs: Jobs = None,
    engine: options.EngineName = "local",
    address: options.Address = None,
    trust: Trust = None,
    text_column: TextColumn = "text",
    label_column: LabelColumn = "label",
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Prove, on labelled texts, what share is right and stays right whatever the trigger."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.bulk import Bulk, predict_files
        from textward.cli.certify import Wish
        from textward.cli.certify import certify as job
        from textward.cli.spreading import Spread

        spread = Spread(engine, address)
        if out is not None:
            bulk = Bulk(data, out, text_column, label_column, spread, jobs)
            predict_files(screen, model, bulk, trust=trust, as_json=False)
        elif engine != "local":
            raise UsageError("--engine ray writes answers to files: name a folder for them with --out")
        wish = Wish(
            sizes,
            method.value,
            target,
            at_least,
            metric.value,
            report,
            save_votes,
            trust,
            rows,
            card,
            rule,
        )
        job(screen, model, data, wish, text_column=text_column, label_column=label_column, as_json=as_json)


@app.command()
def inspect(model: ModelFolder, as_json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """Say what a model is, what it was trained on, and what its guarantee covers."""
    with running(quiet=quiet, debug=debug) as screen:
        from textward.cli.inspect import inspect as job

        job(screen, model, as_json=as_json)


app.command()(attack_commands.poison)
app.command()(attack_commands.evaluate)
app.command()(face_commands.plan)
app.command()(face_commands.report)
app.command()(face_commands.serve)
app.command()(scan_command.scan)
app.add_typer(experiment_commands.experiment)
