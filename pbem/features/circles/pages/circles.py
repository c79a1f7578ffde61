"""A player's circles, the page of one, and what its members do there.

The forms of a match among members, and of a standing table, are those of any match, but for who plays.

Each page and each action has two addresses: that of the circle, for anyone who is signed in, and that of a membership,
whose token is in the mails of the circle.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.config import Config
from pbem.errors import N_, Changed, Invalid, NotFound, Problem
from pbem.features.circles import founding, joining, sheets, standing, starting
from pbem.features.circles.pages.entering import (
    Entered,
    names_of_weekdays,
    require_member_of_link,
    require_signed_in_member,
)
from pbem.features.circles.rows import TITLE_LENGTH, check_circle_name, no_circle_error
from pbem.features.circles.sheets import CircleMember, CircleSheet
from pbem.features.circles.standing import parse_weekly
from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.services.lobby.match_request import Invitee, Wish
from pbem.services.views import seats
from pbem.services.who import ORGANISER
from pbem.web.lobby.match_form import FRIENDS, Form, read_people, terms_errors
from pbem.web.lobby.start import games_by_ease
from pbem.web.protocol import forms, security
from pbem.web.protocol.forms import language_typed, zone_field, zone_typed
from pbem.web.protocol.language import _, page_language, remember_language
from pbem.web.protocol.page import game_at, number_in, page, site
from pbem.web.protocol.security import keep_unlisted
from pbem.web.protocol.sign_in import current_player, current_visitor, require_player_of_form

bp = Blueprint("circles", __name__)


def _notices_by_action() -> dict[str, str]:
    """Returns what the page says after an action, by the word in its address."""
    return {
        "founded": _("The circle is founded. Send its link to your friends, or invite them by email."),
        "joined": _("You are a member of the circle."),
        "yes": _("You play. You can change your answer until the hour."),
        "no": _("You do not play this week. You can change your answer until the hour."),
        "weekly": _("The table is set up. The members are asked four days before."),
        "stopped": _("The table is stopped."),
        "saved": _("Saved."),
        "renewed": _("The circle has a new link. The old one no longer works."),
        "invited": _("The emails are on their way, except to members and to people who have an invitation already."),
        "removed": _("They are not a member any more."),
    }


# --- the forms of a match, and of a standing table ------------------------------------------------------------


@dataclass(frozen=True)
class CircleForm(Form):
    """The form of a match with other members; `offered` are those to choose from."""

    offered: tuple[CircleMember, ...] = ()
    picked: tuple[str, ...] = ()

    @cached_property
    def members(self) -> list[int]:
        """Returns the ids of the chosen members, in the order of the page."""
        return [one.id for one in self.offered if str(one.id) in self.picked]

    @property
    def seats(self) -> list[Wish]:
        """Returns what fills the seats beside the members."""
        return self.wishes_for_remaining_seats(1 + len(self.members))


def empty_form(game: AnyGame, config: Config, sheet: CircleSheet) -> CircleForm:
    """Returns the form as it is shown first."""
    offered = tuple(one for one in sheet.members if one.id != sheet.you.id)
    return CircleForm(game, FRIENDS, sheet.you.name, "", {}, config, offered=offered)


def read_form(game: AnyGame, config: Config, sheet: CircleSheet) -> CircleForm:
    """Returns the form as sent, with its errors."""
    empty, picked = empty_form(game, config, sheet), tuple(request.form.getlist("member"))
    form = replace(empty, typed=request.form, picked=picked)
    return replace(form, troubles=terms_errors(form))


# --- a player's circles --------------------------------------------------------------------------------------


@bp.get("/circles")
def mine(trouble: Problem | None = None) -> Response:
    """Shows the player's circles, and the form that founds one, with the problem that it met.

    Strangers and guests read what a circle is, and how they can have one.
    """
    visitor = current_visitor()
    if visitor is None or visitor.address is None:
        return page("features/circles/list.html", circles=[], visitor=visitor, known=False)
    return page(
        "features/circles/list.html", circles=sheets.read_circles_of_player(site(), visitor.id), refused=trouble,
        known=True,
        title=request.form.get("title", ""), name=request.form.get("name", seats.latest_name(site(), visitor)),
    )  # fmt: skip


@bp.post("/circles")
def make() -> AnyResponse:
    """Founds a circle."""
    player = require_player_of_form()
    try:
        made = founding.found_circle(site(), player.id, request.form.get("title", ""), request.form.get("name", ""))
    except Problem as problem:
        return mine(problem)
    return redirect(url_for("circles.show", circle_id=made, done="founded"), 303)


# --- the page ------------------------------------------------------------------------------------------------


@bp.get("/circle/<circle_id>")
def show(circle_id: str) -> Response:
    """Shows the circle to its members; to strangers if its page is open, else as if there were none."""
    player = current_player()
    try:
        claim = sheets.claim_of_player(site(), player.id, circle_id) if player is not None else None
    except NotFound:
        claim = None
    if claim is None or player is None:
        keep_unlisted()
        return page("features/circles/open.html", shown=sheets.read_open_page(site(), circle_id), find_game=find_game)
    return _circle_page(Entered(claim, url_for("circles.show", circle_id=circle_id), player))


@bp.get("/circle/member/<token>")
def show_by_link(token: str) -> Response:
    """Shows the circle to the member of the link, or asks the one who is invited whether they join."""
    return _circle_page(require_member_of_link(token))


def _circle_page(entered: Entered, trouble: Problem | None = None) -> Response:
    sheet = sheets.read_circle(site(), entered.claim)
    common: dict[str, Any] = {
        "sheet": sheet, "entered": entered, "refused": trouble,
        "done": _notices_by_action().get(request.args.get("done", "")) if trouble is None else None,
    }  # fmt: skip
    if sheet.you.status != "member":
        return page(
            "features/circles/invitation.html", **common, name=request.form.get("name", sheet.you.name),
            language=language_typed(), zone=zone_field(sheet.zone, known=sheet.verified),
        )  # fmt: skip
    return page(
        "features/circles/circle.html", weekdays=names_of_weekdays(), find_game=find_game, **common,
        join_url=site().url(url_for("joining.ask", token=sheet.join_token)),
        play_url=lambda match: url_for("play.show_seat", token=seats.play_token(site(), match.id, match.seat)),
        title=request.form.get("title", sheet.name), people=request.form.get("people", ""),
    )  # fmt: skip


@bp.get("/circle/member/<token>/mails")
def ask_mails(token: str) -> Response:
    """Explains how to get no more mails of the circle, with the button for it."""
    entered = require_member_of_link(token)
    return page("features/circles/mails.html", sheet=sheets.read_circle_briefly(site(), entered.claim), entered=entered)


@bp.post("/circle/member/<token>/mails")
@security.one_click
def mails(token: str) -> AnyResponse:
    """Stops the circle's mails, or lets them come; without a page for a mail program's one click (RFC 8058)."""
    muted = security.is_one_click() or request.form.get("muted") != "0"
    joining.set_member_muted_or_listed(site(), require_member_of_link(token).claim, muted=muted)
    return redirect(url_for("circles.ask_mails", token=token), 303)


@bp.get("/circle/member/<token>/occasion/<int:occasion_id>")
def ask_occasion(token: str, occasion_id: int) -> Response:
    """Shows the question of a mail, with the answer that was chosen there as the button to press."""
    entered = require_member_of_link(token)
    sheet = sheets.read_circle(site(), entered.claim)
    asked = next((one for one in sheet.tables if one.occasion_id == occasion_id), None)
    say = "no" if request.args.get("say") == "no" else "yes"
    return page("features/circles/occasion.html", sheet=sheet, entered=entered, asked=asked, say=say)


# --- a match, and a standing table ---------------------------------------------------------------------------


@bp.get("/circle/<circle_id>/<any(match, weekly):what>")
@bp.get("/circle/member/<token>/<any(match, weekly):what>", endpoint="form_by_link")
def form(what: str, circle_id: str = "", token: str = "") -> Response:
    """Shows the form of a match with members, or of a standing table."""
    return _match_form_page(require_member_of_link(token) if token else require_signed_in_member(circle_id), what)


def _match_form_page(
    entered: Entered, what: str, filled: CircleForm | None = None, trouble: Problem | None = None
) -> Response:
    sheet, games = sheets.read_circle(site(), entered.claim), games_by_ease()
    if sheet.you.status != "member":
        raise no_circle_error()
    game = find_game(request.args.get("game", "")) or games[0]
    asked = filled or empty_form(game, site().config, sheet)
    return page(
        "features/circles/form.html", game=asked.game, boards_of=games, games=games, what=what,
        form=asked, sheet=sheet, entered=entered, refused=trouble, weekdays=names_of_weekdays(),
        weekday=request.form.get("weekday", "6"), hour=request.form.get("hour", "18"), zone=zone_field(sheet.zone),
    )  # fmt: skip


def _submit_match_form(entered: Entered, what: str) -> AnyResponse:
    """Starts the match of the form, or sets up its table; what is wrong is shown beside the fields."""
    sheet = sheets.read_circle(site(), entered.claim)
    game = game_at(request.form.get("game", ""))
    filled = read_form(game, site().config, sheet)
    try:
        if filled.troubles:
            return _match_form_page(entered, what, filled)
        if what == "weekly":
            wanted = replace(filled.match(), seats=())
            day, hour = number_in("weekday"), number_in("hour")
            if day is None or hour is None:
                raise Invalid(N_("Choose a day of the week and an hour."))
            standing.set_up_table(site(), entered.claim, wanted, parse_weekly(day, hour, zone_typed()))
            return redirect(f"{entered.base}?done=weekly", 303)
        match_id = starting.create_match_and_invite_members(site(), entered.claim, filled.members, filled.match())
    except Problem as problem:
        return _match_form_page(entered, what, filled, problem)
    return redirect(url_for("play.show_seat", token=seats.play_token(site(), match_id, ORGANISER), done="started"), 303)


# --- actions -------------------------------------------------------------------------------------------------


@bp.post("/circle/<circle_id>/<action>")
@bp.post("/circle/member/<token>/<action>", endpoint="act_by_link")
def act(action: str, circle_id: str = "", token: str = "") -> AnyResponse:
    """Does what a button of the page says, for anyone who is signed in, or for the member of the link."""
    entered = require_member_of_link(token) if token else require_signed_in_member(circle_id)
    if action in ("match", "weekly"):
        return _submit_match_form(entered, action)
    if action not in ACTIONS:
        raise NotFound(N_("There is no such page."))
    do, done = ACTIONS[action]
    try:
        said = do(entered)
    except NotFound:
        raise
    except Changed as problem:
        return _rename_form_again(entered, problem)
    except Problem as problem:
        return _circle_page(entered, problem)
    if (farewell := _farewell_pages().get(action)) is not None:
        return page("note.html", title=farewell[0], text=farewell[1])
    answer = redirect(f"{entered.base}?done={done or said}", 303)
    return remember_language(answer, request.form["language"]) if "language" in request.form else answer


def _rename_form_again(entered: Entered, problem: Changed) -> Response:
    stored, title = sheets.read_circle(site(), entered.claim).name, check_circle_name(_title_in_form())
    field = forms.Field(_("Name of the circle"), stored, title, name="title", longest=TITLE_LENGTH)
    return forms.ask_again_after_change(problem, [field], entered.base)


def _farewell_pages() -> dict[str, tuple[str, str]]:
    """Returns title and text of the pages for people who have nothing more to see of the circle."""
    return {
        "leave": (
            _("You have left the circle"),
            _("Matches in which you play go on. The circle writes to you no more."),
        ),
        "decline": (_("You have declined"), _("Nobody writes to you about this circle any more.")),
    }


def _accept_invitation(entered: Entered) -> None:
    sheet, typed = sheets.read_circle_briefly(site(), entered.claim), request.form
    zone = zone_typed() if "zone" in typed else sheet.zone
    joining.accept_invitation(site(), entered.claim, typed.get("language", sheet.language), zone, typed.get("name", ""))


def _answer_occasion(entered: Entered) -> str:
    yes = request.form.get("say") == "yes"
    standing.answer_occasion(site(), entered.claim, number_in("occasion") or 0, yes)
    return "yes" if yes else "no"


def _invite_people(entered: Entered) -> None:
    for person in read_people(request.form.get("people", "")):
        name = person.name if isinstance(person, Invitee) else ""
        joining.invite_address(site(), entered.claim, name, person.address, page_language())


def _rename(entered: Entered) -> None:
    founding.change_circle(site(), entered.claim, title=_title_in_form(), version=forms.form_version_seen())


def _title_in_form() -> str:
    return request.form.get("title", "")


def _is_ticked(name: str) -> bool:
    return request.form.get(name) == "1"


ACTIONS: dict[str, tuple[Callable[[Entered], str | None], str]] = {
    "accept": (_accept_invitation, "joined"),
    "say": (_answer_occasion, ""),
    "invite": (_invite_people, "invited"),
    "decline": (lambda one: joining.decline_invitation(site(), one.claim), ""),
    "leave": (lambda one: joining.leave_circle(site(), one.claim), ""),
    "stop": (lambda one: standing.stop_table(site(), one.claim, number_in("table") or 0), "stopped"),
    "remove": (lambda one: joining.remove_member(site(), one.claim, number_in("member") or 0), "removed"),
    "rename": (_rename, "saved"),
    "open": (lambda one: founding.change_circle(site(), one.claim, opened=_is_ticked("open")), "saved"),
    "renew": (lambda one: founding.renew_link(site(), one.claim), "renewed"),
    "mute": (lambda one: joining.set_member_muted_or_listed(site(), one.claim, muted=_is_ticked("muted")), "saved"),
    "list": (lambda one: joining.set_member_muted_or_listed(site(), one.claim, listed=_is_ticked("listed")), "saved"),
}
"""What the buttons of the page do, by the last part of their address, and the notice afterwards, unless they say it."""
