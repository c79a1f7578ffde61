"""What the others did since a seat's own last move, as boards that a script lets slide by, once."""

from dataclasses import dataclass, replace
from itertools import takewhile

from flask import Blueprint, Response, jsonify, request, url_for

from pbem.errors import N_, NotFound
from pbem.kit.contract import Shape
from pbem.render import pictures
from pbem.services.views import replays, seats
from pbem.services.views.match_views import View
from pbem.services.views.replays import MatchReplay
from pbem.web.protocol.language import page_language, speak
from pbem.web.protocol.page import claim_of, site
from pbem.web.protocol.security import keep_private
from pbem.web.views.replay import compress_frames
from pbem.web.views.viewer import read_step

bp = Blueprint("since", __name__)

MOST = 8
"""How many steps slide by, the newest: whoever wants all of them watches the replay."""


@dataclass(frozen=True)
class Since:
    """What the page tells its script: where the boards are, and the entries of the log that they show.

    The script shows those later than `first`, or later than what this browser has shown already, up to `last`.
    """

    url: str
    name: str
    first: int
    last: int


def since(view: View, token: str) -> Since | None:
    """Returns what the script needs; None if nobody else has decided anything since the seat's own last move."""
    own = view.last_own()
    first = own.n if own is not None else 0
    later = takewhile(lambda entry: entry.n > first, reversed(view.entries))
    if view.sheet.over or not any(entry.key and entry.answers_for != view.viewer for entry in later):
        return None
    url = url_for("since.frames", token=token, first=view.seen, lang=page_language())
    return Since(url, f"{view.sheet.id}/{view.viewer}", first, view.entries[-1].n)


@bp.get("/play/<token>/since.json")
def frames(token: str) -> Response:
    """Returns the board at the entry `after`, and those after each later step, in this shape.

    Steps are counted as the page's story counts them, from the one after the entry `first`. Raises NotFound.
    """
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    seen = replays.read_replay(site(), seated.sheet.id, seated.seat, page_language(), seated.seat)
    seen = replace(seen, resigned=seen.sheet.has_resigned(seated.seat))
    keep_private()
    shape = _shape(seen, request.args.get("shape", "portrait"))
    first, after = (_steps_until(seen, request.args.get(name, "")) for name in ("first", "after"))
    slide = seen.steps[max(after - 1, len(seen.steps) - 1 - MOST, 0) :]
    boards = [seen.picture(step, shape, first if step.n > first else 0) for step in slide]
    response = jsonify({"symbols": pictures.symbols(seen.game, *boards), "frames": boards})
    compress_frames(response)
    return response


def _shape(seen: MatchReplay, said: str) -> Shape:
    for shape in seen.game.meta.shapes:
        if shape == said and shape != "pad":
            return shape
    raise NotFound(N_("The board is not drawn in this shape."))


def _steps_until(seen: MatchReplay, entry: str) -> int:
    """Returns how many steps there are up to this entry; all if it cannot be read."""
    last = seen.sheet.version
    until = read_step(entry, last, last)
    return sum(step.entry <= until for step in seen.steps)
