"""Logs that give no link away: gunicorn takes `--logger-class pbem.web.logs.MaskingLogger`, the rest a filter."""

import logging
from datetime import timedelta
from typing import Any

from flask import Flask
from gunicorn.glogging import Logger

from pbem.logs import MASKING, AsJson, mask


def init_app(app: Flask) -> None:
    """Masks what the application and all who log to the root say: frameworks name the path of what failed."""
    app.logger.addFilter(MASKING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(MASKING)


class MaskingLogger(Logger):  # type: ignore[misc]  # it has no types
    """gunicorn's logger, with the tokens masked in whatever a client has sent."""

    def setup(self, cfg: Any) -> None:
        """Masks the error log, too: it names the path of a request that could not be answered."""
        super().setup(cfg)
        self.error_log.addFilter(MASKING)

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        """The pieces of an access log line."""
        found: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        return {name: mask(value) if isinstance(value, str) else value for name, value in found.items()}


class JsonLogger(MaskingLogger):
    """The same, in lines of JSON like all others of production."""

    def _set_handler(self, log: logging.Logger, output: str | None, fmt: logging.Formatter, stream: Any = None) -> None:
        super()._set_handler(log, output, AsJson(), stream)
