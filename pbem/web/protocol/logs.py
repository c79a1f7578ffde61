"""Log records without tokens."""

import logging

from flask import Flask

from pbem.logs import MASKING


def init_app(app: Flask) -> None:
    """Masks the records of the application and of the root logger: frameworks log the path of a failed request."""
    app.logger.addFilter(MASKING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(MASKING)
