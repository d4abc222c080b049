"""Messages in files of a run: a worker writes them as data, and another one spells their options for the page."""

from __future__ import annotations

from typing import Any

from betterthan.messages import Message, Option, Placeholder

_KEYS = frozenset({"template", "code", "severity", "fields"})


def packed(value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """Return JSON data in which messages, options and placeholders can be recognized again.

    Examples
    --------
    >>> packed(Message("Use {fix}.", fix=Option("missing", "drop")))["fields"]
    {'fix': {'option': 'missing', 'value': 'drop'}}
    >>> packed(("a", 1))
    ['a', 1]
    """
    if isinstance(value, Message):
        fields = {name: packed(field) for name, field in value.fields.items()}
        return {"template": value.template, "code": value.code, "severity": value.severity, "fields": fields}
    if isinstance(value, Option):
        return {"option": value.name, "value": packed(value.value)}
    if isinstance(value, Placeholder):
        return {"placeholder": str(value)}
    if isinstance(value, dict):
        return {str(key): packed(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [packed(one) for one in value]
    item = getattr(value, "item", None)  # of a NumPy number
    return item() if callable(item) else value


def unpacked(value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """Return what was packed; lists stay lists.

    Examples
    --------
    >>> message = unpacked(packed(Message("Use {fix}.", fix=Option("missing", "drop"))))
    >>> message, message.options
    ('Use missing="drop".', (Option(name='missing', value='drop'),))
    """
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == _KEYS:
        fields = unpacked(value["fields"])
        return Message(value["template"], code=value["code"], severity=value["severity"], **fields)
    if value.keys() == {"option", "value"}:
        return Option(value["option"], unpacked(value["value"]))
    if value.keys() == {"placeholder"}:
        return Placeholder(value["placeholder"])
    return {key: unpacked(one) for key, one in value.items()}
