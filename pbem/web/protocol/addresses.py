"""The rules of addresses: each writes the code that builds its addresses when the first one is built.

Writing it takes most of the time of making an application, and a process builds the addresses of few of its rules.
"""

from collections.abc import Callable
from typing import Any

from werkzeug import routing


class Rule(routing.Rule):
    """A rule of werkzeug that puts off what only building addresses needs."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        name = "_build_unknown" if append_unknown else "_build"
        compile_now = super()._compile_builder

        def build_first(rule: Rule, **values: Any) -> tuple[str, str]:
            build: Callable[..., tuple[str, str]] = compile_now(append_unknown).__get__(rule)
            setattr(rule, name, build)
            return build(**values)

        return build_first
