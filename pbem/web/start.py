"""The first page, and the form that starts a match."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, NotFound, Problem
from pbem.faces.problems import sentence
from pbem.games import all_games, find_game
from pbem.rules.contract import AnyGame
from pbem.services import matches
from pbem.services.matches import Invitee, NewMatch
from pbem.services.players import checked_address, checked_name
from pbem.web.language import _, spoken
from pbem.web.page import page, site

bp = Blueprint("start", __name__)

TURNS_S = (3600, 12 * 3600, 86_400, 2 * 86_400, 3 * 86_400, 7 * 86_400, 14 * 86_400)


@dataclass(frozen=True)
class Row:
    """One player of the form as typed, and what is wrong with his name and his address; "" if nothing is."""

    name: str
    address: str
    name_trouble: str = ""
    address_trouble: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing was typed."""
        return not (self.name.strip() or self.address.strip())


@bp.get("/")
def home() -> Response:
    """What this is, the games, and the ways in."""
    return page("home.html", games=all_games().values())


@bp.get("/healthz")
def healthz() -> Response:
    """That the process answers."""
    return Response("ok", mimetype="text/plain")


@bp.get("/new")
def new() -> Response:
    """The form for a match of the game in the query, or of the first game."""
    game = _game(request.args.get("game") or next(iter(all_games()), ""))
    return _form(game, [Row("", "")] * max(game.meta.seats), request.form)


@bp.post("/new")
def create() -> AnyResponse:
    """Creates the match; what is wrong is said beside its field, and nothing typed is lost."""
    game = _game(request.form.get("game", ""))
    rows = [
        Row(request.form.get(f"name{i}", ""), request.form.get(f"address{i}", "")) for i in range(max(game.meta.seats))
    ]
    checked = [row if row.blank else _checked(row) for row in rows]
    if any(row.name_trouble or row.address_trouble for row in checked):
        return _form(game, checked, request.form, Invalid(N_("Some of what you typed needs another look.")))
    try:
        matches.create(site(), _wanted(game, [row for row in rows if not row.blank]))
    except Problem as problem:
        return _form(game, rows, request.form, problem)
    return redirect(url_for("start.sent"), 303)


def _wanted(game: AnyGame, rows: list[Row]) -> NewMatch:
    turn = request.form.get("turn", "")
    return NewMatch(
        game=game.meta.slug,
        seats=[Invitee(row.name, row.address) for row in rows],
        turn_s=int(turn) if turn.isdecimal() and len(turn) < 10 else None,
        spectators=request.form.get("spectators") == "1",
        language=spoken(),
    )


@bp.get("/new/sent")
def sent() -> Response:
    """Where to look now."""
    return page("sent.html")


def _game(slug: str) -> AnyGame:
    game = find_game(slug)
    if game is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return game


def _checked(row: Row) -> Row:
    troubles = []
    for check, value in ((checked_name, row.name), (checked_address, row.address)):
        try:
            check(value)
            troubles.append("")
        except Invalid as problem:
            missing = check is checked_address and not value.strip()
            troubles.append(_("Every player needs an e-mail address.") if missing else sentence(problem, spoken()))
    return Row(row.name, row.address, *troubles)


def _form(game: AnyGame, rows: list[Row], typed: Mapping[str, str], trouble: Problem | None = None) -> Response:
    default = site().config.turn_s
    turns = sorted({*TURNS_S, default})
    return page(
        "new.html", game=game, status=trouble.status if trouble else 200, games=all_games().values(), rows=rows,
        fewest=min(game.meta.seats), turns=turns, turn=typed.get("turn", str(default)),
        spectators=typed.get("spectators") == "1" if typed else True,
        trouble=sentence(trouble, spoken()) if trouble else None,
    )  # fmt: skip
