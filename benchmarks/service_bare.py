"""What the service is measured against: FastAPI, uvicorn, and one scikit-learn pipeline behind an endpoint.

    python benchmarks/service_bare.py {threads,loop} ROWS.csv

`threads` is an ordinary endpoint, which FastAPI runs in its thread pool; `loop` is an async one, which
predicts on the event loop itself: fastest for a small model, though nothing else is answered meanwhile.
"""

from __future__ import annotations

import sys
from typing import Any

import polars as pl
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


class Asked(BaseModel):
    """One text."""

    texts: str


class Said(BaseModel):
    """Its label, and how sure the pipeline is."""

    label: int
    probability: list[float]


def app_of(pipeline: Any, kind: str) -> FastAPI:
    """The application, in one of its two kinds."""
    app = FastAPI()

    def answer(asked: Asked) -> Said:
        found = pipeline.predict_proba([asked.texts])[0]
        return Said(label=int(found.argmax()), probability=found.tolist())

    if kind == "threads":

        @app.post("/v1/predict")
        def predict(asked: Asked) -> Said:
            return answer(asked)

    else:

        @app.post("/v1/predict")
        async def predict_on_the_loop(asked: Asked) -> Said:
            return answer(asked)

    return app


def main() -> None:
    """Train, and serve on a free port, which is printed."""
    from textward.service import Address
    from textward.service.server import url

    kind, file = sys.argv[1:]
    rows = pl.read_csv(file)
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    pipeline.fit(rows["text"].to_list(), rows["label"].to_list())
    with Address(port=0).bound() as listening:
        print(f"answers at {url(listening)}", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app_of(pipeline, kind), log_level="error", access_log=False)).run(
            [listening]
        )


if __name__ == "__main__":
    main()
