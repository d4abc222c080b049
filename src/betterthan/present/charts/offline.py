"""Charts in notebooks, drawn as SVG by the installed converter: nothing is loaded from a network."""

from __future__ import annotations

from functools import cache
from typing import Any

from betterthan.errors import MissingExtra


def shown_offline(chart: Any) -> Any:  # noqa: ANN401  (one of Altair's charts, which may be absent)
    """Return the same chart, which a notebook shows as SVG.

    What Altair shows by default is a page that loads its scripts from another host. Restyled copies keep this
    behavior, and a renderer that the user has enabled is respected.
    """
    kind: type[Any] = type(chart)
    same: Any = object.__new__(_offline(kind))  # type: ignore[arg-type]  # a class is hashable
    same.__dict__.update(chart.__dict__)
    return same


@cache
def _offline(kind: type) -> type:
    """Return the subclass of one of Altair's kinds of charts; copies of its charts are of the same class."""

    def bundle(self: Any, *args: object, **options: object) -> Any:  # noqa: ANN401
        import altair as alt  # noqa: PLC0415  (a chart is there, so Altair is)

        if alt.renderers.active != "default":
            return kind._repr_mimebundle_(self, *args, **options)  # type: ignore[attr-defined]
        from betterthan.present.charts.save import chart_bytes  # noqa: PLC0415  (it imports this package)

        try:
            return {"image/svg+xml": chart_bytes(self, "svg").decode()}
        except MissingExtra as error:
            return {"text/plain": str(error)}

    members = {"_repr_mimebundle_": bundle, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind,), members)
