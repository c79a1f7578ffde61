"""Request headers in the OpenAPI document."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import wraps
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def takes(view: View, name: str, about: str, schema: Mapping[str, Any], *, required: bool = False) -> View:
    """Documents that the view reads this header, and returns the view."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return view(*args, **kwargs)

    # The place where flask-smorest keeps what its own decorators document; `doc` would replace all other parameters.
    known = deepcopy(getattr(view, "_apidoc", {}))
    parameter = {"in": "header", "name": name, "description": about, "schema": {"type": "string", **schema}}
    known.setdefault("arguments", {}).setdefault("parameters", []).append({**parameter, "required": required})
    wrapper._apidoc = known  # type: ignore[attr-defined]
    return wrapper  # type: ignore[return-value]  # it is called alike
