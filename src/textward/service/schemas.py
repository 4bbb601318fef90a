"""What a request may hold, and what an answer holds; the limits are in the schemas, and so in the OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    Tag,
    create_model,
)

from textward.service.settings import Limits

Method = Literal["joint", "individual", "both"]
Label = StrictBool | StrictInt | StrictFloat | StrictStr
_FILM = "a warm and funny film"
_DULL = "dull from beginning to end"


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def requests(limits: Limits) -> dict[str, type[Any]]:
    """The bodies of the three calls, within some limits.

    >>> sorted(requests(Limits()))
    ['certify', 'explain', 'predict']
    """
    text = Annotated[StrictStr, Field(max_length=limits.text_characters)]
    trigger = Annotated[StrictStr, Field(max_length=limits.trigger_characters)]
    many = Annotated[list[text], Field(min_length=1, max_length=limits.texts)]
    one_or_many = Annotated[
        Annotated[text, Tag("one")] | Annotated[many, Tag("many")],
        Discriminator(lambda value: "one" if isinstance(value, str) else "many"),
    ]
    # To JSON Schema 2.0 is an integer, too.
    size = Annotated[StrictInt, Field(ge=0, le=limits.most_trigger_words), BeforeValidator(_whole)]
    label = Label | None
    return {
        "predict": create_model(
            "PredictRequest",
            __base__=_Request,
            texts=(one_or_many, Field(description="One text, or several.")),
            min_radius=(
                size | None,
                Field(
                    default=None,
                    description="Abstain (label null) from every answer that fewer trigger words can change.",
                ),
            ),
        ),
        "certify": create_model(
            "CertifyRequest",
            __base__=_Request,
            texts=(many, Field(description="The texts of a test set.")),
            labels=(
                Annotated[list[Label], Field(min_length=1, max_length=limits.texts)],
                Field(description="The true class of each."),
            ),
            trigger_sizes=(
                Annotated[list[size], Field(min_length=1, max_length=limits.trigger_sizes)],
                Field(default=[0, 1, 2, 3]),
            ),
            method=(
                Method,
                Field(default="both", description="One trigger for all texts, or one for each."),
            ),
            target=(label, Field(default=None, description="The class an attacker would like to see.")),
        ),
        "explain": create_model(
            "ExplainRequest",
            __base__=_Request,
            text=(text, Field()),
            trigger=(trigger, Field(default="", description="Trigger words, parted by spaces.")),
        ),
    }


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


REQUEST_EXAMPLES: dict[str, dict[str, Any]] = {
    "predict": {
        "one": {"summary": "One text", "value": {"texts": _FILM}},
        "many": {
            "summary": "Several, and no answer that one trigger word could change",
            "value": {"texts": [_FILM, _DULL], "min_radius": 1},
        },
    },
    "certify": {
        "films": {
            "summary": "Two labelled texts",
            "value": {
                "texts": [_FILM, _DULL],
                "labels": ["positive", "negative"],
                "trigger_sizes": [0, 1, 2],
            },
        }
    },
    "explain": {
        "trigger": {"summary": "A text and a trigger word", "value": {"text": _FILM, "trigger": "cf"}}
    },
}


class Prediction(BaseModel):
    """The answer to one text."""

    label: Label | None = Field(description="The class; null where the service abstains.")
    votes: dict[str, int] = Field(description="For each class; with ballots in 1/1024 of a whole ballot.")
    radius: int | None = Field(
        description="So many trigger words cannot change the label; null where the model certifies nothing."
    )
    handed_over: bool = Field(
        default=False, description="Whether a cascade's fallback answered, of which nothing is certified."
    )


class Predictions(BaseModel):
    """The answers, in the order of the texts."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "predictions": [
                    {"label": "positive", "votes": {"negative": 1, "positive": 6}, "radius": 2},
                    {"label": None, "votes": {"negative": 4, "positive": 3}, "radius": 0},
                ]
            }
        }
    )
    predictions: list[Prediction]


class Certified(BaseModel):
    """Certified accuracy by method: shares, one for each trigger size."""

    n: int
    classes: list[Label]
    target: Label | None
    trigger_sizes: list[int]
    certified_accuracy: dict[str, dict[str, Any]]
    assumptions: list[str]


class ModelCard(BaseModel):
    """What the model is, what it was trained on, and what its certificate covers."""

    name: str
    learner: str
    groups: int | str = Field(description='Their number, or "words" where every word is a group of its own.')
    hash: str | None
    classes: list[Label]
    certified: bool
    votes_unit: int = Field(description="What a whole vote counts in the votes of an answer.")
    seed: int
    assumptions: list[str]
    training: dict[str, Any]
    limits: dict[str, int]
    trigger_words: list[dict[str, Any]] = Field(description="Rare words to try, and their groups.")


class Explanation(BaseModel):
    """One text as the model reads it, its certificate, and what the named trigger can reach."""

    kind: Literal["groups", "ballots", "opaque"] = Field(
        description="What a word reaches: one group, its own ballot, or more than can be shown."
    )
    words: list[dict[str, Any]]
    words_left_out: int
    groups: list[dict[str, Any]]
    label: Label
    votes: dict[str, int]
    votes_unit: int
    radius: int | None
    handed_over: bool = Field(default=False, description="Whether a cascade's fallback answered.")
    falls: dict[str, Any] | None = Field(
        description="The smallest trigger that is not withstood, at its worst."
    )
    trigger: dict[str, Any]


class Health(BaseModel):
    """How the service is."""

    status: str
