"""Static files, under addresses that change with their content, so that browsers may keep them for ever.

A page that stands alone has its own within: scripts bundled, fonts within the style sheet. It loads nothing, so its
policy names the hashes of its own scripts and styles and forbids all else.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, send_from_directory, url_for
from markupsafe import Markup

from pbem.discovery import OURS, TEMPLATES, files_below_without_caches, folder_of_package, packages_of_features
from pbem.games import bots_offered_by_packages, broken_games, folders_of_packages, found_games
from pbem.kit.texts import Lang
from pbem.render.i18n import message_catalogue

PACKAGE = Path(__file__).parents[2]
FOLDER = PACKAGE / "web" / "static"
PAPER = "#f3ead8"
"""The ground of every page by day (`--washi` in look.css)."""
NIGHT = "#14171d"
"""The same in dark mode (dark.css)."""
TEXTS = (".py", ".html", ".txt", ".md", ".svg", ".css", ".js", ".json", ".toml", ".po", ".mo")
"""How the names of files end that are read whole in packages; data may be large."""
ADDRESSES = 4096
"""The most addresses kept below a root: a page has some thirty, of which half are its own."""
_YEAR_S = 365 * 86_400

bp = Blueprint("assets", __name__)


@cache
def files_version() -> str:
    """Returns a hash over all static files: the style sheet names the fonts, so all change together."""
    digest = hashlib.sha256()
    _add_files_to_hash(
        digest, [FOLDER, *(folder_of_package(package) / "static" for package in packages_of_features().values())]
    )
    return digest.hexdigest()[:16]


def _add_files_to_hash(digest: "hashlib._Hash", places: Iterable[str | Path], ends: tuple[str, ...] = ("",)) -> None:
    """Adds the files in these folders, or those that these are, to the hash: their paths there, and what they hold.

    Of files whose names end otherwise, only their size and when they were written.
    """
    for place in map(str, places):
        for path in files_below_without_caches(place):
            digest.update(os.fsencode(path.removeprefix(place)) + b"\n")
            with suppress(OSError):  # a link that leads nowhere: no page is made with it
                if path.endswith(ends):
                    with open(path, "rb", buffering=0) as file:
                        digest.update(file.read())
                else:
                    found = os.stat(path)
                    digest.update(repr((found.st_size, found.st_mtime_ns)).encode())


def drawing_version(names: Sequence[str] = ()) -> str:
    """Returns a hash over the software, and over the names that a drawing has, if any.

    A cached drawing is valid while it stays the same. So no page leads to a drawing with the name of a player who has
    erased their account.
    """
    return hashlib.sha256(repr((software_version(), *names)).encode()).hexdigest()[:16]


@cache
def software_version() -> str:
    """Returns a hash over all that pages are made with: this program, its texts, and the games and features beside it.

    While it stays the same, and what a page tells does too, the page that a reader has is the current one.
    """
    broken = [(one.slug, one.origin, one.why) for one in broken_games()]  # `said` may differ from process to process
    origins = [found.origin for found in found_games().values()] + sorted(
        one.origin for one in bots_offered_by_packages()
    )
    digest = hashlib.sha256(repr((origins, broken)).encode())
    _add_files_to_hash(digest, [PACKAGE, TEMPLATES])
    _add_files_to_hash(
        digest,
        [folder_of_package(package) for package in packages_of_features().values() if not package.startswith(OURS)],
        TEXTS,
    )
    _add_files_to_hash(digest, [place for places in folders_of_packages().values() for place in places], TEXTS)
    return digest.hexdigest()[:16]


@lru_cache(4)
def address_functions_below(root: str) -> dict[str, Callable[..., str]]:
    """Returns what templates call for addresses, which are the same in all requests below this root: its `script_root`.

    They are kept: those of static files, and of the others the ones used last.
    """
    return {
        "asset": cache(_asset_address), "load": cache(_asset_tags), "manifest_address": cache(_manifest_address),
        "url_for": _url_for_with_cache(),
    }  # fmt: skip


def _url_for_with_cache() -> Callable[..., str]:
    """Returns `url_for`, which keeps the addresses that depend on nothing but what it is given."""
    kept = lru_cache(ADDRESSES, typed=True)(url_for)

    def address(endpoint: str, /, **values: Any) -> str:
        if endpoint.startswith(".") or "_external" in values or "_scheme" in values:  # as the request says
            return url_for(endpoint, **values)
        try:
            return kept(endpoint, **values)
        except TypeError:  # a list of values cannot be kept
            return url_for(endpoint, **values)

    return address


def _asset_address(name: str) -> str:
    """Returns the address of this static file."""
    return url_for("assets.serve_static_file", stamp=files_version(), name=name)


def _asset_tags(*names: str) -> Markup:
    """Returns the tags by which a page loads these scripts and style sheets."""
    sheet, script = Markup('<link rel="stylesheet" href="{}">'), Markup('<script type="module" src="{}"></script>')
    return Markup().join((sheet if name.endswith(".css") else script).format(_asset_address(name)) for name in names)


def _manifest_address(lang: Lang) -> str:
    """Returns the address of the manifest in this language."""
    return url_for("assets.serve_manifest", stamp=files_version(), lang=lang)


@bp.get("/manifest/<stamp>/<lang>.webmanifest")
def serve_manifest(stamp: str, lang: str) -> Response:
    """Returns what a phone shows where the site is put on its home screen; cached as a static file is."""
    png = {"type": "image/png", "purpose": "any maskable"}
    icons = [png | {"src": _asset_address(f"icons/icon-{size}.png"), "sizes": f"{size}x{size}"} for size in (192, 512)]
    response = jsonify(
        name=message_catalogue("fr" if lang == "fr" else "en").gettext("Board games by email"), short_name="pbem",
        lang=lang,
        start_url="/", scope="/", display="minimal-ui", background_color=PAPER, theme_color=PAPER, icons=icons,
    )  # fmt: skip
    response.mimetype = "application/manifest+json"
    return _cache_for_a_year(response) if stamp == files_version() else response


@bp.get("/static/<stamp>/<path:name>")
def serve_static_file(stamp: str, name: str) -> Response:
    """Sends the file, to be cached for a year if the address names the current version, else not at all.

    A name "features/<feature>/…" is a file of that feature's own folder.
    """
    place, path = FOLDER, name
    house, _, inner = name.partition("/")
    feature, _, rest = inner.partition("/")
    if house == "features" and feature in packages_of_features():
        place, path = folder_of_package(packages_of_features()[feature]) / "static", rest
    if stamp != files_version():
        return send_from_directory(place, path, max_age=0)
    return _cache_for_a_year(send_from_directory(place, path))


def _cache_for_a_year(response: Response) -> Response:
    """Returns the answer, to be cached for a year."""
    response.cache_control.no_cache = None
    response.cache_control.max_age = _YEAR_S
    response.cache_control.public = True
    response.cache_control.immutable = True
    return response
