"""Logs that give no link away: gunicorn takes `--logger-class pbem.web.logs.MaskingLogger`, the rest a filter."""

import logging
import re
from datetime import timedelta
from typing import Any

from flask import Flask
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from pbem.logs import AsJson

_TOKEN = re.compile(r"(/(?:play|confirm|invitation|join|mute|never|account|digest)/)[^/?#\s]+")
_PLAIN = logging.Formatter()


def mask(path: str) -> str:
    """The path, or anything that holds one, without its link token.

    >>> mask("/play/6f.0.1.c2VjcmV0/replay?step=3")
    '/play/***/replay?step=3'
    """
    return _TOKEN.sub(r"\1***", path)


class Masking(logging.Filter):
    """Lets every record pass, its message and its traceback without tokens."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Masks the record for all who handle it."""
        try:
            said = record.getMessage()
        except (TypeError, ValueError):  # the arguments do not fit; logging would print them as they are
            said = f"{record.msg} {record.args}"
        record.msg, record.args = mask(said), None
        if record.exc_info and not record.exc_text:
            record.exc_text = _PLAIN.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = mask(record.exc_text)
        return True


MASKING = Masking()


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
