"""A replay as one file: story, boards and log of a finished match, with scripts that show and check it off line.

It leads nowhere and loads nothing. Without scripts it shows the last board and the story. What it shows is what the
page of the replay shows; its log is the whole one, for everything is open once a match is over. Its scripts are
bundled, the fonts stand within its styles, and its policy names the hashes of these and forbids all else.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache

import msgspec
from flask import g, render_template
from markupsafe import Markup

from pbem.features.pictures import boards
from pbem.features.pictures.pictures import File, parse_eyes
from pbem.kit.contract import Viewer
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of
from pbem.render import pictures
from pbem.services.views import match_views, replays
from pbem.web.protocol.assets import FOLDER
from pbem.web.protocol.page import site
from pbem.web.views import viewer
from pbem.web.views.match_page import ending_sentence, status_line_of_match

SYMBOLS = "<!--symbols-->"
STYLES = ("look.css", "pages.css")
NIGHT = "dark.css"


def page_with_boards(match_id: str, seat: Viewer, found: File) -> str:
    """Returns the page with these boards, to be saved. Raises NotFound, Forbidden."""
    g.lang = found.lang  # that of the boards
    seen = replays.read_replay(site(), match_id, seat, found.lang, parse_eyes(found.eyes))
    log, saved = match_views.read_log(site(), match_id, seat), msgspec.json.decode(found.data, type=boards.SavedBoards)
    scripts = [bundle_script("saved-replay.js")]
    if "data-pan" in seen.board(seen.steps[-1]):
        scripts.append(bundle_script("pan.js"))
    styles = [style_with_fonts(name) for name in STYLES]
    night = style_with_fonts(NIGHT)
    html = render_template(
        "features/pictures/saved_page.html", game=seen.game, headline=status_line_of_match(seen.sheet, None),
        ending=ending_sentence(seen.sheet), policy=content_security_policy(scripts, [*styles, night]),
        whose=viewer.viewer_in_words(seen, seen.eyes),
        scripts=[*map(Markup, scripts)], styles=[*map(Markup, styles)], night=Markup(night),  # noqa: S704  # our own files
        # JSON has no `<` outside of strings, so nothing in it ends the script element.
        log=Markup(logfile.log_to_bytes(log).decode().replace("<", "\\u003c")),  # noqa: S704
        draws=saved.draws, boards=saved.boards,
        entries=[step.entry for step in seen.steps], names=seen.names, commitment=log.commitment,
        mark=mark_of(log.proof.head) if log.proof else None, name=f"{seen.game.meta.slug}-{seen.sheet.id}.json",
        **viewer.replay_step_variables(seen, len(seen.steps), (), alone=True),
    )  # fmt: skip
    return html.replace(SYMBOLS, pictures.symbol_definitions(seen.game, html, saved.uses), 1)


# --- its scripts and styles ------------------------------------------------------------------------------------

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_URL = re.compile(r"url\(\.\./(fonts/[\w.-]+)\)")


@cache
def bundle_script(name: str) -> str:
    """Returns a module with those it imports, as one script: each in a function of its own, in the order of need."""
    parts: dict[str, str] = {}
    _add_module(name, parts)
    return "\n".join(parts.values())


def _add_module(name: str, parts: dict[str, str]) -> None:
    """Adds the module of this file to the parts, after those it imports."""
    if name in parts:
        return
    text = (FOLDER / "scripts" / name).read_text(encoding="utf-8")
    for _names, other in _IMPORT.findall(text):
        _add_module(other, parts)
    exported = ", ".join(_EXPORT.findall(text))
    inside = _EXPORT.sub(
        "", _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_function_name_of_module(found[2])};\n", text)
    )
    if re.search(r"^(?:import|export)\b", inside, re.MULTILINE):
        raise ValueError(f"{name} imports or exports in a form that is not bundled")
    parts[name] = f"const {_function_name_of_module(name)} = (() => {{\n{inside}\nreturn {{ {exported} }};\n}})();"


def _function_name_of_module(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")


@cache
def style_with_fonts(name: str) -> str:
    """Returns a style sheet with its fonts in it."""

    def put(found: re.Match[str]) -> str:
        data = base64.b64encode((FOLDER / found[1]).read_bytes()).decode()
        return f"url(data:font/woff2;base64,{data})"

    return _URL.sub(put, (FOLDER / "styles" / name).read_text(encoding="utf-8"))


def content_security_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Returns the content security policy of a page with just these scripts and styles in it."""
    return "; ".join((
        "default-src 'none'", f"script-src {_hashes_for_policy(scripts)}", f"style-src {_hashes_for_policy(styles)}",
        "img-src data:",
        "font-src data:", "base-uri 'none'", "form-action 'none'",
    ))  # fmt: skip


def _hashes_for_policy(texts: Iterable[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
