"""The replay viewer. Each control is a link to the same page at another step."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, cast

from flask import Response, jsonify, request
from markupsafe import Markup

from pbem.errors import N_, NotFound
from pbem.kit.contract import Viewer
from pbem.render import pictures
from pbem.services.views.replays import Eyes, Replay, Turn
from pbem.web.protocol.language import _
from pbem.web.protocol.page import seat_of_link

FRAMES = 100
"""How many frames are sent at once: little to wait for, and seldom."""
MANY_TURNS = 60
"""With more ticks the slider would be a comb."""


def replay_step_variables(seen: Replay, at: int, eyes: Sequence[Eyes], *, alone: bool = False) -> dict[str, Any]:
    """Returns the variables of the template for this step. `alone`: the page is a file, and leads nowhere."""
    turns = seen.turns()
    begun: dict[int, int] = {}
    for turn in turns:
        if turn.round is not None:
            begun.setdefault(turn.round, turn.step)
    return {
        "alone": alone,
        "board": seen.picture(seen.steps[at - 1]) if seen.steps else Markup(""),
        "at": at,
        "last": len(seen.steps),
        "lines": [(step.n, seen.line(step), step.opens) for step in seen.steps],
        "rounds": {step: _("Round %(number)s", number=n) for n, step in begun.items()},
        "jumps": list(_turns_by_round(seen, turns, at)),
        "ticks": _slider_ticks(turns),
        "eyes": [(viewer_in_address(e), viewer_in_words(seen, e), e == seen.eyes) for e in eyes],
        "eye": viewer_in_address(seen.eyes),
    }


def _slider_ticks(turns: Sequence[Turn]) -> list[int]:
    """Returns the steps that the slider marks: turns; if there are many, rounds; or else some evenly spaced turns."""
    starts = [next(group).step for _number, group in groupby(turns, key=lambda turn: turn.round)]
    if len(turns) > MANY_TURNS and len(starts) > 2:
        return starts
    return [turn.step for turn in turns[:: len(turns) // MANY_TURNS + 1]]


def _turns_by_round(seen: Replay, turns: Sequence[Turn], at: int) -> Iterator[tuple[str, list[tuple[int, str, bool]]]]:
    """Yields the turns by round, all under "" if the game has no rounds.

    Each has its step, its label, and whether it is the current one, the last that began.
    """
    current = max((turn.step for turn in turns if turn.step <= at), default=0)
    for number, group in groupby(turns, key=lambda turn: turn.round):
        title = "" if number is None else _("Round %(number)s", number=number)
        jumps = []
        for n, turn in enumerate(group, 1 if turns[0].seat is not None or number is not None else 0):
            label = _("Turn %(number)s", number=n) if n else _("Beginning")
            if turn.seat is not None:
                label = _("Turn %(number)s, %(name)s", number=n, name=seen.names[turn.seat])
            jumps.append((turn.step, label, turn.step == current))
        yield title, jumps


def match_and_reader(match_id: str | None, token: str | None) -> tuple[str, Viewer]:
    """Returns the match that an address names, and the seat of its link; None for the seat if anyone may open it.

    With a link it sets the page's language to that of the seat's player.
    """
    if token is None:
        return cast(str, match_id), None
    seated = seat_of_link(token)
    return seated.sheet.id, seated.seat


def match_id_or_token(match_id: str | None, token: str | None) -> dict[str, Any]:
    """Returns what stands in the reader's addresses."""
    return {"match_id": cast(str, match_id)} if token is None else {"token": token}


def viewer_in_address(eyes: Eyes) -> str:
    """Returns the viewer as addresses write it."""
    return "none" if eyes is None else str(eyes)


def read_viewer(said: str) -> Eyes | str:
    """Reads the viewer in an address; "" is the default. Raises NotFound."""
    if said in ("", "all"):
        return said
    if said == "none":
        return None
    if not (said.isascii() and said.isdecimal()) or len(said) > 2:
        raise NotFound(N_("There is no such seat."))
    return int(said)


def read_step(said: str, last: int, otherwise: int) -> int:
    """Reads the step in an address, or the nearest one; `otherwise` if it cannot be read."""
    wanted = int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else otherwise
    return max(1, min(wanted, last))


def viewer_in_words(seen: Replay, eyes: Eyes) -> str:
    """Returns the viewer in words."""
    if eyes == "all":
        return _("everybody")
    return _("a spectator") if eyes is None else seen.names[int(eyes)]


def frames_response(seen: Replay) -> Response:
    """Returns the boards of the steps from `from` on (by default the first), with their symbols, for the script.

    At most FRAMES of them, however long the log is.
    """
    first = read_step(request.args.get("from", ""), len(seen.steps), 1)
    chosen = seen.steps[first - 1 : first - 1 + FRAMES]
    boards = [seen.picture(step) for step in chosen]
    told = [{"n": step.n, "svg": board} for step, board in zip(chosen, boards, strict=True)]
    symbols = pictures.symbol_definitions(seen.game, *boards)
    return jsonify({"symbols": symbols, "frames": told})
