"""What a form or a JSON body asks for, checked before anything is done with it; and the tokens of forms.

A form counts only if this server wrote it for this browser.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Annotated, Any, Literal, Self

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from betterthan.web.names import FORMAT_NAMES
from betterthan.web.runs.run import Choices

Question = Literal["auto", "scores", "battles", "meta", "texts", "tags"]
FilePart = Literal["data", "human", "reference", "source", "gold", "words", "nothing"]
Role = Literal["item", "system", "score", "metric", "group", "judge", "left", "right", "winner", "weight"]
ColumnName = Annotated[str, Field(min_length=1, max_length=500)]
FormatName = Annotated[str, Field(json_schema_extra={"enum": ["", *FORMAT_NAMES]})]


class ChoicesIn(BaseModel):
    """What the user decided about files and columns; what is left out is found by looking."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: Question = Field("auto", description="The question to answer; auto: the one the files suggest.")
    parts: list[FilePart] = Field(
        default_factory=list, max_length=1000, description="What each file is, in order; empty: as it looks."
    )
    columns: dict[Role, ColumnName] = Field(default_factory=dict, description="Role to column.")
    ignore: list[ColumnName] = Field(
        default_factory=list, max_length=1000, description="Columns of a wide table that are not systems."
    )
    keep: list[ColumnName] = Field(
        default_factory=list,
        max_length=1000,
        description="Columns that are systems, whatever their names or values.",
    )
    direction: Literal["", "higher", "lower"] = Field(
        "", description="Which is better; empty: found by name."
    )
    duplicates: Literal["raise", "first", "last", "mean"] = "raise"
    both_bad: Literal["tie", "drop"] = "tie"
    winner_labels: dict[ColumnName, Literal["left", "right", "tie", "both_bad"]] = Field(
        default_factory=dict,
        max_length=100,
        description="What labels of the winner mean, where they do not tell.",
    )
    format: FormatName = Field("", description="Layout of the files; empty: recognized.")
    metric: str = Field(
        "", max_length=500, description="The metric, when there are several; empty: the first."
    )
    missing: Literal["raise", "drop"] = Field(
        "raise", description="What a missing score does to its segment."
    )
    units: Literal["auto", "segments", "groups"] = Field(
        "auto", description="Units that are resampled or permuted."
    )
    with_texts: bool = Field(default=True, description="Whether texts appear in the report.")

    @classmethod
    def checked(cls, data: dict[str, Any]) -> Self:
        """Return checked choices.

        Raises
        ------
        RequestValidationError
            Which becomes an answer 422 that names the field.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error

    def choices(self) -> Choices:
        """Return them as the worker takes them.

        Raises
        ------
        RequestValidationError
            When there is no layout of that name.
        """
        if self.format and self.format not in FORMAT_NAMES:
            fault = {
                "loc": ("body", "format"),
                "msg": f"there is no layout of this name; known: {', '.join(FORMAT_NAMES)}",
            }
            raise RequestValidationError([fault])
        lists = {"parts": tuple(self.parts), "ignore": tuple(self.ignore), "keep": tuple(self.keep)}
        return Choices(**{**self.model_dump(), **lists, "columns": dict(self.columns)})


COOKIE = "betterthan_session"
FIELD = "form_token"
_OURS = re.compile(r"[A-Za-z0-9_-]{32}")  # as it is made; anything else was not made by the app


def session_of(request: Request) -> str:
    """Return the browser's session, a new one if it has none."""
    known: str = request.cookies.get(COOKIE, "")
    return known if _OURS.fullmatch(known) else secrets.token_urlsafe(24)


def form_token(secret: bytes, session: str) -> str:
    """Return the token of all forms of a session.

    Examples
    --------
    >>> form_token(b"key", "a") == form_token(b"key", "a"), form_token(b"key", "a") == form_token(b"key", "b")
    (True, False)
    """
    return hmac.new(secret, f"form:{session}".encode(), hashlib.sha256).hexdigest()


def check_form(request: Request, secret: bytes, shown: object) -> None:
    """Refuse a form without its token.

    Raises
    ------
    HTTPException
        403, when the token is absent or another session's.
    """
    session = request.cookies.get(COOKIE, "")
    expected = form_token(secret, session)
    if (
        not session
        or not isinstance(shown, str)
        or not hmac.compare_digest(shown.encode(), expected.encode())
    ):
        raise HTTPException(
            403, "This form is out of date or not from this server. Go back, load the page again and repeat."
        )


def remember(response: Response, session: str) -> None:
    """Have the browser keep its session for as long as it is open."""
    response.set_cookie(COOKIE, session, httponly=True, samesite="strict")
