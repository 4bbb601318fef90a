"""Tables into files beside their records."""

from __future__ import annotations

from pathlib import Path

from textward.experiments.grid import Experiment
from textward.experiments.pages import as_svg
from textward.experiments.records import Run, Store
from textward.experiments.tables import Table, as_csv, markdown, table_of


def tables_of(experiment: Experiment, store: Store) -> list[Table]:
    """An experiment's table for each backbone that has records of it, or an empty one.

    >>> from textward.experiments.catalogue import named
    >>> [table.run.name for table in tables_of(named("table6")[0], Store(Path("nowhere")))]
    ['linear']
    """
    made = [table_of(experiment, store, run) for run in store.runs()]
    held = [table for table in made if any(one.ours is not None or one.error for one in table.entries)]
    return held or [table_of(experiment, store, Run())]


def write_tables(experiment: Experiment, store: Store) -> list[Path]:
    """Write Markdown and CSV, and a picture where it is a figure."""
    folder = store.folder / experiment.name
    folder.mkdir(parents=True, exist_ok=True)
    tables = tables_of(experiment, store)
    page = experiment.page(store) if experiment.page is not None else markdown(tables)
    files = {"README.md": page}
    if experiment.spots:
        files["table.csv"] = as_csv(tables)
    for table in tables if experiment.chart else []:
        if any(one.ours is not None for one in table.entries):
            files[f"{table.run.name}.svg"] = as_svg(table)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in files]
