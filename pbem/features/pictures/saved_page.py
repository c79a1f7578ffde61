"""A replay as one file: story, boards and log of a finished match, with scripts that show and check it off line.

It leads nowhere and loads nothing. Without scripts it shows the last board and the story. What it shows is what the
page of the replay shows; its log is the whole one, for everything is open once a match is over.
"""

from typing import cast

from flask import Response, g, render_template, request
from markupsafe import Markup

from pbem.features.pictures import boards, bundle
from pbem.features.pictures.boards import SavedBoards
from pbem.features.pictures.pictures import File, read_eyes
from pbem.kit.contract import Viewer
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of
from pbem.kit.logs.logfile import Log
from pbem.render import pictures
from pbem.services.views import match_views, replays
from pbem.web.protocol.page import site
from pbem.web.views import viewer
from pbem.web.views.match_page import ending, headline

SYMBOLS = "<!--symbols-->"
STYLES = ("look.css", "pages.css")
NIGHT = "dark.css"


def send(match_id: str, seat: Viewer, found: File) -> Response:
    """Returns the page with these boards, to be saved. Raises NotFound, Forbidden."""
    g.lang = found.lang  # that of the boards
    seen = replays.read_replay(site(), match_id, seat, found.lang, read_eyes(found.eyes))
    log = match_views.read_log(site(), match_id, seat)
    response = Response(_render(seen, log, boards.read(found.data)), mimetype="text/html")
    response.add_etag()
    response.cache_control.no_cache = True
    response.headers.set("Content-Disposition", "attachment", filename=f"{found.game}-{match_id}.html")
    return cast(Response, response.make_conditional(request))


def _render(seen: replays.MatchReplay, log: Log, saved: SavedBoards) -> str:
    scripts = [bundle.script("saved-replay.js")]
    if "data-pan" in seen.board(seen.steps[-1]):
        scripts.append(bundle.script("pan.js"))
    styles = [bundle.style(name) for name in STYLES]
    night = bundle.style(NIGHT)
    html = render_template(
        "features/pictures/saved_page.html", game=seen.game, headline=headline(seen.sheet, None),
        ending=ending(seen.sheet), policy=bundle.policy(scripts, [*styles, night]),
        whose=viewer.name_of(seen, seen.eyes),
        scripts=[*map(Markup, scripts)], styles=[*map(Markup, styles)], night=Markup(night),  # noqa: S704  # our own files
        # JSON has no `<` outside of strings, so nothing in it ends the script element.
        log=Markup(logfile.write(log).decode().replace("<", "\\u003c")),  # noqa: S704
        draws=saved.draws, boards=saved.boards,
        entries=[step.entry for step in seen.steps], names=seen.names, commitment=log.commitment,
        mark=mark_of(log.proof.head) if log.proof else None, name=f"{seen.game.meta.slug}-{seen.sheet.id}.json",
        **viewer.step_variables(seen, len(seen.steps), (), alone=True),
    )  # fmt: skip
    return html.replace(SYMBOLS, pictures.symbols(seen.game, html, saved.uses), 1)
