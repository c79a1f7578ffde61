"""Access logs that give no link away: gunicorn takes `--logger-class pbem.web.logs.MaskingLogger`."""

import re
from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

_TOKEN = re.compile(r"(/(?:play|confirm|invitation|mute|never|account)/)[^/?#\s]+")


def mask(path: str) -> str:
    """The path, or anything that holds one, without its link token.

    >>> mask("/play/6f.0.1.c2VjcmV0/replay?step=3")
    '/play/***/replay?step=3'
    """
    return _TOKEN.sub(r"\1***", path)


class MaskingLogger(Logger):  # type: ignore[misc]  # it has no types
    """gunicorn's logger, with the tokens masked in whatever a client has sent."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        """The pieces of an access log line."""
        found: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        return {name: mask(value) if isinstance(value, str) else value for name, value in found.items()}
