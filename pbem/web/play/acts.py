"""What the buttons do, besides playing: each leads back to its page, or says there why it is refused.

Taking back a move and what the others say to that; presence: coming back, who stands in, resigning, voting on a late
seat; table talk and the note; orders; what was read; a new link. A link changes nothing, only the button does.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flask import Blueprint, Response, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Changed, Gone, Problem, Stale
from pbem.render.i18n import bot_title, join_and
from pbem.services.play import ordering, presence, stand_ins, takeback, voting
from pbem.services.play.takeback import TakenBack
from pbem.services.tokens import SeatClaim
from pbem.services.views import seats, talk
from pbem.services.views.talk import LONGEST_NOTE
from pbem.web.play import orders, seat_page
from pbem.web.protocol import forms
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import address, claim_of, number_in, page, seat_of_link, site, tag_of, unless_known

bp = Blueprint("acts", __name__)


DONE = {
    "noted": N_("Note saved."),
    "stands_in": N_("Your choice for the time you are away is saved."),
}
"""What the forms of the talk and of absence say is done; those of the orders have words of their own."""


def _result_notice() -> str | None:
    """Returns what the reader has just done beside the board, in words."""
    word = request.args.get("done", "")
    return _(DONE[word]) if word in DONE else None


# --- one button on the page of the seat ----------------------------------------------------------------------

Act = Callable[[SeatClaim], Any]


def _act_and_show_page(token: str, act: Act, done: str | Callable[[Any], str] | None) -> AnyResponse:
    """Lets the holder of the link act, and shows the page again: with what is done, or why it is not.

    `done` is its word among `seat_page.DONE`, or makes that word of what `act` returns; None says nothing.
    """
    claim = seat_page.claim_and_set_language(token)
    try:
        result = act(claim)
    except Problem as problem:
        return seat_page.render_seat(token, trouble=problem)
    word = done(result) if callable(done) else done
    return redirect(url_for("play.show_seat", token=token, done=word), 303)


def _takeback_target() -> int:
    return request.form.get("to", -1, int)


def _has_agreed() -> bool:
    return request.form.get("agree") == "1"


def _word_for_takeback_result(taken: TakenBack) -> str:
    return "asked" if not taken.done else "undone_orders" if taken.orders_ended else "undone"


ACTS: Mapping[str, tuple[str, Act, str | Callable[[Any], str] | None]] = {
    "take_back": ("takeback", lambda claim: takeback.take_back(site(), claim, _takeback_target()),
    _word_for_takeback_result),
    "consent": (
        "takeback/consent", lambda claim: takeback.answer_takeback_request(site(), claim, _takeback_target(),
        agree=_has_agreed()),
        lambda _given: "agreed" if _has_agreed() else "declined",
    ),
    "withdraw": ("takeback/withdraw", lambda claim: takeback.withdraw_request(site(), claim), "withdrawn"),
    "tell": ("takeback/tell", lambda claim: takeback.release_held_mails(site(), claim), None),
    "back": ("back", lambda claim: presence.end_own_absence(site(), claim), "back"),
    "resign": ("resign", lambda claim: presence.resign(site(), claim), None),
    "vote": ("vote", lambda claim: voting.vote_to_let_clock_move(site(), claim, request.form.get("late", -1, int)),
    "voted"),
}  # fmt: skip
"""The acts by their endpoints, each with its address below the page, and what `_act_and_show_page` says is done."""

for _endpoint, (_address, _does, _done) in ACTS.items():
    bp.add_url_rule(
        f"/play/<token>/{_address}", _endpoint, partial(_act_and_show_page, act=_does, done=_done), methods=["POST"]
    )


# --- presence ------------------------------------------------------------------------------------------------


@bp.get("/play/<token>/away")
def show_away(token: str, trouble: Problem | None = None) -> Response:
    """Shows who plays for the seat while its player is absent. Raises Unauthorized."""
    seated = seat_of_link(token)
    g.path = url_for("acts.show_away", token=token)
    return page(
        "play/away.html", game=seated.sheet.game, refused=trouble, token=token, seated=seated, sheet=seated.sheet,
        notice=_result_notice(), form=request.form,
    )  # fmt: skip


@bp.post("/play/<token>/stand-in")
def set_stand_in(token: str) -> AnyResponse:
    """Chooses who plays for the seat while its player is absent."""
    claim, bot = seat_page.claim_and_set_language(token), request.form.get("bot", "")
    back = url_for("acts.show_away", token=token)
    try:
        stand_ins.choose_stand_in(site(), claim, bot, version=forms.form_version_seen())
    except Changed as problem:
        seated = seats.read_seat(site(), claim)
        clock, game, lang = _("The clock: a cautious move"), seated.sheet.game, page_language()
        field = forms.Field(
            _("Who plays for me"), seated.stand_in, bot, lambda one: bot_title(game, one, lang) if one else clock
        )
        return forms.ask_again_after_change(problem, [field], back)
    except Problem as problem:
        return show_away(token, problem)
    return redirect(address(back, {"done": "stands_in"}), 303)


@bp.get("/play/<token>/resign")
def ask_resign(token: str) -> Response:
    """Explains resigning, and whether it ends the match, with the button for it."""
    seated = seat_of_link(token)
    sheet = seated.sheet
    end = presence.ending_if_seat_resigns(sheet.seats, seated.seat)
    winners = join_and([sheet.names[seat] for seat in end.winners], page_language()) if end else ""
    return page("play/resign.html", game=sheet.game, token=token, seated=seated, sheet=sheet, end=end, winners=winners)


# --- talk and note -------------------------------------------------------------------------------------------


@bp.get("/play/<token>/talk")
def show_talk(token: str, trouble: Problem | None = None) -> Response:
    """Shows what is said at the table and the seat's note; 304 if the reader has it. Folds nothing.

    Raises Unauthorized, and NotFound for a seat that has not accepted.
    """
    seated = seat_of_link(token)
    sheet, seat, path = seated.sheet, seated.seat, url_for("acts.show_talk", token=token)
    said = talk.read_talk(site(), sheet.id, seat)
    g.path = path
    tag = tag_of(sheet, seat, said.messages[-1].id if said.messages else 0, said.note)
    if trouble is None and (same := unless_known(tag)):
        return same
    return page(
        "play/talk.html", game=sheet.game, refused=trouble, etag=tag, tag=tag, path=path, token=token, sheet=sheet,
        talk=said, notice=_result_notice(), form=request.form, zone=seated.zone,
    )  # fmt: skip


@bp.post("/play/<token>/say")
def send_message(token: str) -> AnyResponse:
    """Sends a message to the table; a refused text stays in its field."""
    try:
        talk.post_message(site(), seat_page.claim_and_set_language(token), request.form.get("say", ""))
    except Problem as problem:
        return show_talk(token, problem)
    return redirect(url_for("acts.show_talk", token=token), 303)


@bp.post("/play/<token>/note")
def save_note(token: str) -> AnyResponse:
    """Saves the seat's note; a refused text stays in its field."""
    claim, text = seat_page.claim_and_set_language(token), request.form.get("note", "")
    try:
        talk.write_note(site(), claim, text, version=forms.form_version_seen())
    except Changed as problem:
        stored, entered = (
            talk.read_talk(site(), claim.match_id, claim.seat).note,
            talk.normalise_and_check_text(text, LONGEST_NOTE),
        )
        field = forms.Field(_("My note"), stored, entered, name="note", lines=8, longest=LONGEST_NOTE)
        return forms.ask_again_after_change(problem, [field], url_for("acts.show_talk", token=token, _anchor="note"))
    except Problem as problem:
        return show_talk(token, problem)
    return redirect(url_for("acts.show_talk", token=token, done="noted", _anchor="note"), 303)


# --- orders --------------------------------------------------------------------------------------------------


@bp.get("/play/<token>/orders")
def show_orders(token: str) -> Response:
    """Shows the orders of the seat, with the form that the link opens."""
    return orders.render_orders(token, *orders.read_seat_and_view(token))


@bp.post("/play/<token>/orders")
def save_order(token: str) -> AnyResponse:
    """Saves the order whose sentence stood above the button; anything else that was entered is put into words first.

    What was entered stays in its fields, also when the match has moved on meanwhile.
    """
    seated, view = orders.read_seat_and_view(token)
    entered, version = orders.read_order_form(request.form), _version_in_form()
    told = orders.tell_entered_order(view, seated.seat, entered)
    agreed = request.form.get("do") == "save" and told.says is not None and request.form.get("said") == told.text
    if not agreed:
        moved = Stale(ordering.MOVED_ON) if version != view.sheet.version else None
        return orders.render_orders(token, seated, view, trouble=moved, entered=entered)
    try:
        done = ordering.add_order(site(), claim_of(token), version, told.text, "web")
    except Problem as problem:
        return orders.render_orders(token, *orders.read_seat_and_view(token), trouble=problem, entered=entered)
    return redirect(url_for("acts.show_orders", token=token, done="answered" if done.answered else "ordered"), 303)


@bp.post("/play/<token>/orders/say")
def tell_order(token: str) -> Response:
    """Returns, for the script, the part of the form that tells what the entered order will do."""
    seated, view = orders.read_seat_and_view(token)
    told = orders.tell_entered_order(view, seated.seat, orders.read_order_form(request.form))
    return page("play/order_said.html", game=view.game, told=told)


def _version_in_form() -> int:
    """Returns the version of the match at which the form was made; -1, which none has, if it is no number."""
    typed = number_in("version", 8)
    return -1 if typed is None else typed


@bp.post("/play/<token>/orders/stop")
def stop_typed_order(token: str) -> AnyResponse:
    """Stops one order, given in its typed form; or all of them. That it has ended already is no problem."""
    if "all" in request.form:
        return _change_orders(token, lambda claim: ordering.stop_orders(site(), claim), "all_stopped")
    text = request.form.get("order", "")
    return _change_orders(token, lambda claim: ordering.stop_order(site(), claim, text), "stopped")


@bp.post("/play/<token>/orders/read")
def put_away_order_news(token: str) -> AnyResponse:
    """Puts away what the orders have done, which their owner has read."""
    return _change_orders(token, lambda claim: ordering.forget_read_news(site(), claim, max(_version_in_form(), 0)))


def _change_orders(token: str, act: Callable[[SeatClaim], Any], done: str | None = None) -> AnyResponse:
    """Lets the holder of the link act, and shows the orders again: with what is done, or why it is not."""
    claim = seat_page.claim_and_set_language(token)
    try:
        act(claim)
    except Problem as problem:
        return orders.render_orders(token, *orders.read_seat_and_view(token), trouble=problem)
    return redirect(url_for("acts.show_orders", token=token, done=done), 303)


@bp.get("/stop-orders/<token>")
def ask_stop_all_orders(token: str) -> Response:
    """Explains stopping all orders, with the button for it, for the link in a mail."""
    seated = seat_of_link(token, "orders")
    return page("play/stop_orders.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/stop-orders/<token>")
def stop_all_orders(token: str) -> AnyResponse:
    """Stops all orders of the seat."""
    ordering.stop_orders(site(), claim_of(token, "orders"))
    return redirect(url_for("acts.ask_stop_all_orders", token=token), 303)


# --- what was read, and the link -----------------------------------------------------------------------------


@bp.post("/play/<token>/seen")
def mark_news_seen(token: str) -> AnyResponse:
    """Notes that the owner of the seat has read the news up to an entry; shows the page with what they had chosen.

    `news` is the name of what the strip then shows.
    """
    presence.mark_entries_seen(site(), claim_of(token), number_in("seen") or 0)
    shown = seat_page.choice_in_query() | {name: request.form[name] for name in ("news",) if name in request.form}
    return redirect(address(url_for("play.show_seat", token=token), shown), 303)


@bp.get("/play/<token>/renew")
def ask_renew_link(token: str) -> Response:
    """Explains renewing the link, with the button for it."""
    seated = seat_of_link(token)
    if seated.guest:
        return seat_page.render_seat(token, trouble=Gone(seats.NO_LINK))
    return page("play/renew.html", game=seated.sheet.game, token=token, sheet=seated.sheet)


@bp.post("/play/<token>/renew")
def send_new_link(token: str) -> Response:
    """Invalidates the link and mails the player a new one."""
    seated = seat_of_link(token)
    if seated.guest:
        return seat_page.render_seat(token, trouble=Gone(seats.NO_LINK))
    seats.renew_link(site(), claim_of(token))
    return page(
        "note.html", game=seated.sheet.game, title=_("A new link is on its way"),
        text=_("The old link does not work any more. The new one is in an email to you; it is shown nowhere else."),
    )  # fmt: skip
