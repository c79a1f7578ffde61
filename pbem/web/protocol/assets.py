"""Static files, under addresses that change with their content, so that browsers may keep them for ever."""

import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, send_from_directory, url_for

FOLDER = Path(__file__).parents[1] / "static"
_YEAR_S = 365 * 86_400

bp = Blueprint("assets", __name__)


@cache
def version() -> str:
    """Returns a hash over all static files: the style sheet names the fonts, so all change together."""
    digest = hashlib.sha256()
    for path in sorted(p for p in FOLDER.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(FOLDER)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def drawing_version() -> str:
    """Returns a hash over all that draws boards and tells moves. While it stays the same, a cached drawing is valid."""
    package = FOLDER.parents[1]
    digest = hashlib.sha256()
    for path in sorted(p for part in ("render", "games") for p in (package / part).rglob("*.*")):
        if path.suffix in (".py", ".svg"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def asset(name: str) -> str:
    """Returns the address of this static file."""
    return url_for("assets.static_file", stamp=version(), name=name)


@bp.get("/static/<stamp>/<path:name>")
def static_file(stamp: str, name: str) -> Response:
    """Sends the file, to be cached for a year if the address names the current version, else not at all."""
    if stamp != version():
        return send_from_directory(FOLDER, name, max_age=0)
    response = send_from_directory(FOLDER, name, max_age=_YEAR_S)
    response.cache_control.public = True
    response.cache_control.immutable = True
    return response
