"""Logs that give no link away."""

import logging

from flask import Flask

from pbem.logs import MASKING


def init_app(app: Flask) -> None:
    """Masks what the application and all who log to the root say: frameworks name the path of what failed."""
    app.logger.addFilter(MASKING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(MASKING)
