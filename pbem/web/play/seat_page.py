"""The page of one seat: see, choose, play. Choosing is a link; only the button acts.

A repeated or late button never does harm: the question's key goes with the move.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from flask import Blueprint, Response, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Problem, Unreadable
from pbem.kit.bots import usual_bot
from pbem.render.problems import problem_sentence
from pbem.services.play import moves, takeback
from pbem.services.play.moves import illegal_move_error
from pbem.services.play.takeback import Reversible
from pbem.services.tokens import SeatClaim
from pbem.services.views import menus, seats, talk
from pbem.services.views.match_list import Next
from pbem.services.views.match_views import OpenAsk, View
from pbem.services.views.seats import Seated
from pbem.web.features import parts_of
from pbem.web.play import orders
from pbem.web.play.beside import Sidebar, next_match, next_question_after_move, sidebar_of_seat
from pbem.web.protocol.forms import lucky_field
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import claim_of, number_in, page, seat_of_link, site, tag_of, unless_known
from pbem.web.views import strip
from pbem.web.views.match_page import (
    board_extent_in_query,
    ending_sentence,
    own_ask,
    own_sealed_answer,
    picks_in_query,
    seat_lines,
    status_line_of_match,
    table_on_page,
)
from pbem.web.views.result import result_of_match

bp = Blueprint("play", __name__)

DONE = {
    "1": N_("Your move is played."),
    "again": N_("This move had been played already: nothing has changed."),
    "sat": N_("You have your seat. The match begins when everyone has accepted."),
    "begun": N_("You have your seat, and the match begins."),
    "now": N_("The match has begun. Play whenever you like."),
    "started": N_("The match is confirmed. The others have been invited."),
    "links": N_("The match is confirmed. Send each of the others a link."),
    "named": N_("The invitation is on its way."),
    "reminded": N_("The reminder is on its way."),
    "left": N_("You have given up your seat."),
    "off": N_("You have called the match off."),
    "opened": N_("The seat has a new link. Send it to whoever you like."),
    "filled": N_("A bot has taken the seat."),
    "again_by_mail": N_("The rematch is set up. Each player gets a link by email."),
    "rematch": N_("The rematch is set up, and the others are invited."),
    "back": N_("You are back at the table."),
    "voted": N_("Your vote is counted."),
    "undone": N_("Your move is taken back. Play another one."),
    "undone_orders": N_("Your move is taken back, and your orders have ended. Play another one."),
    "asked": N_("The others are asked to let you take it back."),
    "agreed": N_("You have agreed."),
    "declined": N_("You have declined: the move stands."),
    "withdrawn": N_("Your request is withdrawn."),
    "mailed": N_("An email is on its way to you. Sign in with its link."),
    "taken": N_("The seat is yours: from now on you play here."),
}
CLOSED = {
    "seat": N_("You have answered this question. Here is the match now."),
    "clock": N_("Time was up, and the clock moved for you. Here is the match now."),
    "bot": N_("You were absent, and a bot moved for you. Here is the match now."),
    "undone": N_("This question was taken back. Here is the match now."),
}
EARLIER = N_("This link is from an earlier question. Here is the match now.")
LOST = N_("This choice is no longer possible. Please choose again.")
MOVED = ("1", "again", "sealed")
"""What the button that plays a move says is done."""


@bp.get("/play/<token>")
def show_seat(token: str) -> Response:
    """Shows the match as the seat sees it, with the choice of the link; 304 if the reader has it already."""
    if request.if_none_match:
        seated = seat_of_link(token)
        said = talk.read_id_of_newest_message(site(), seated.sheet.id) if seated.status == "accepted" else 0
        following = _next_match_after_move(seated, own_ask(seated.sheet, seated.seat))
        for tag in _etags_of_script_and_page(seated, said, sidebar_of_seat(seated), following):
            if (same := unless_known(tag)) is not None:
                return same
    seated, view, told, can = takeback.read_seat_page(site(), claim_of(token))
    speak(seated.language)
    picks, notice = _choice_of_link(seated, view)
    return _render_page(
        token,
        seated,
        view,
        told,
        can,
        picks=picks,
        notice=_result_notice(seated) or notice,
        trouble=_refusal_of_touched_move(seated, view, request.args["no"]) if "no" in request.args else None,
    )


def _refusal_of_touched_move(seated: Seated, view: View, text: str) -> Problem | None:
    """Returns why the move that the reader touched is refused; None if they may play it, or are asked no more."""
    if view.ask is None or view.ask.key != request.args.get("ask"):
        return None
    try:
        move = moves.read_typed_move(view.game, text, seated.seat)
    except Unreadable as problem:
        return problem
    return None if move in view.legal() else illegal_move_error(view.game, view.fold, seated.seat, move)


def _result_notice(seated: Seated) -> str | None:
    """Returns what the reader has just done, and its result, in words."""
    word = request.args.get("done", "")
    if word in ("sat", "started", "filled", "rematch") and seated.sheet.status not in ("unconfirmed", "inviting"):
        word = "begun"
    if word == "started" and all(place.status != "invited" for place in seated.sheet.seats):
        word = "links"
    if word == "left" and seated.organiser:
        word = "off"
    if word == "now" and own_ask(seated.sheet, seated.seat) is not None:
        return None  # the headline says whose turn it is, and beside it that there is no deadline
    return _(DONE[word]) if word in DONE else None


def claim_and_set_language(token: str) -> SeatClaim:
    """Returns the claim of the link, and sets the page's language to that of the seat's player. Raises Unauthorized."""
    claim = claim_of(token)
    speak(seats.read_seat(site(), claim).language)
    return claim


def _choice_of_link(seated: Seated, view: View) -> tuple[tuple[str, ...], str | None]:
    """Returns the link's choice, and the message if it is no longer possible."""
    key, text = request.args.get("ask"), request.args.get("move")
    if key is not None and (view.ask is None or view.ask.key != key):
        closed = seats.how_closed(site(), seated.sheet.id, seated.seat, key)
        return (), _(CLOSED.get(closed or "", EARLIER))
    if text is None:
        return picks_in_query(), None
    try:
        move = moves.read_typed_move(view.game, text, seated.seat)
    except Unreadable as problem:
        return (), problem_sentence(problem, page_language())
    return (menus.picks_of(view.game, view, move), None) if move in view.legal() else ((), _(LOST))


def render_seat(token: str, *, trouble: Problem | None) -> Response:
    """Renders the seat's page as it is now, with the problem that prevented an action.

    Raises Unauthorized if the link has become invalid.
    """
    seated, view, said, can = takeback.read_seat_page(site(), claim_of(token))
    speak(seated.language)
    return _render_page(token, seated, view, said, can, trouble=trouble, refused=True)


def _render_page(
    token: str,
    seated: Seated,
    view: View,
    said: talk.Talk | None,
    can: Reversible | None,
    *,
    picks: tuple[str, ...] = (),
    notice: str | None = None,
    trouble: Problem | None = None,
    refused: bool = False,
) -> Response:
    sheet, seat, path, side = seated.sheet, seated.seat, url_for("play.show_seat", token=token), sidebar_of_seat(seated)
    g.path = path  # also after a refused form beside the board, whose own address has no page
    messages = said.messages if said is not None else ()
    if resigned := sheet.has_resigned(seat):
        view, picks = replace(view, ask=None), ()  # the board offers nothing either
    own, has_begun, moved = own_ask(sheet, seat), view.fold is not None, request.args.get("done", "")
    moved = moved if moved in MOVED else ""
    extent = board_extent_in_query()
    shown = table_on_page(view, picks, path, extent) if has_begun else None
    if shown is not None and shown.lost and notice is None:
        notice = _(LOST)
    ended, ending = None, ""
    if sheet.has_ended:
        ended = result_of_match(view, lambda step: url_for("watch.show_replay", token=token, step=step))
        ending = ending_sentence(sheet)
    following, (sealed, instead) = _next_match_after_move(seated, own), own_sealed_answer(view)
    tag, etag = _etags_of_script_and_page(seated, messages[-1].id if messages else 0, side, following)
    if can is not None and not strip.is_takeback_shown(can, has_moved=bool(moved)):
        can = None
    fresh = _messages_since_own_move(view, messages) if messages else []
    lucky = lucky_field() if ended else None
    shown_trouble = None if lucky is not None and lucky.trouble else trouble
    before = strip.items_before_news(
        seated, view, token, shown, can, trouble=shown_trouble, notice=notice, word=moved, sealed=sealed,
        ordered=orders.order_news(seated, view, token) if seated.orders_news else None,
    )  # fmt: skip
    chosen = bool(picks) or (shown is not None and shown.chosen is not None)
    talking = [strip.message_item(sheet, fresh[-1], url_for("acts.show_talk", token=token))] if fresh else []
    told = strip.strip_of_items(shown, [*before], talking, chosen=chosen)
    return page(
        "play/seat.html", etag=etag, tag=tag, refused=trouble if refused else None, game=sheet.game, path=path,
        token=token, seated=seated, sheet=sheet, table=shown, own=own,
        strip=told, choice=choice_in_query(),
        headline=(told.headline_in_sight if own is None else "") or status_line_of_match(sheet, seat), ending=ending,
        who=seat_lines(sheet, seat),
        notice=notice, fresh=fresh, form=request.form, now=site().now(), zone=seated.zone, talk=said, resigned=resigned,
        result=ended, following=following, side=side, lucky=lucky,
        features=parts_of("seat_page", seated, view, token), has_moved=bool(moved), extent=extent,
        sealed=sealed, sealed_text=instead, can=can,
        next=next_question_after_move(view, shown.chosen.move) if shown is not None and shown.chosen is not None else
        None,
        usual=usual_bot(sheet.game) if side.chairs else "",
    )  # fmt: skip


def _next_match_after_move(seated: Seated, own: OpenAsk | None) -> Next | None:
    """Returns the next match that waits for a player who has just moved, and is not asked again here.

    None if nothing waits, or if they are not signed in: the link of a seat opens no other. `own` is its open question.
    """
    moved = request.args.get("done") in MOVED and (own is None or own.sealed is not None)
    return next_match(seated) if moved or seated.sheet.has_ended else None


def _messages_since_own_move(view: View, messages: Sequence[talk.Message]) -> list[talk.Message]:
    """Returns which of these messages the others have sent since the seat's own last move and message."""
    own = view.last_own
    since = datetime.fromisoformat(own.at) if own is not None else None
    later = takewhile(lambda one: one.seat != view.viewer and (since is None or one.at >= since), messages[::-1])
    return [*later][::-1]


def _etags_of_script_and_page(seated: Seated, said: int, side: Sidebar, following: Next | None) -> tuple[str, str]:
    """Returns the tag by which the page's script asks whether anything else has happened, and that of the page.

    To the page what its reader has read counts, too, and the next match after a move.
    """
    tag = tag_of(seated.sheet, seated.seat, said, (side, seated.orders, seated.orders_news, seated.stand_in))
    read = f"{tag} {seated.sheet.seen} {following and following.token}"
    return tag, hashlib.sha256(read.encode()).hexdigest()[:24]


def choice_in_query() -> dict[str, Any]:
    """Returns the part of this page's query that says what is chosen, and how much of the board is shown."""
    said = {name: request.args.get(name) for name in ("ask", "pick", "move")} | {"extent": board_extent_in_query()}
    return {name: value for name, value in said.items() if value is not None}


@bp.post("/play/<token>")
def play_move(token: str) -> AnyResponse:
    """Plays the move of the button; shows a typed one as a choice that the button plays. Shows why one is refused."""
    claim, key = claim_of(token), request.form.get("key", "")
    try:
        if "move" not in request.form:
            claim_and_set_language(token)
            found = moves.preview_move(site(), claim.match_id, claim.seat, key, request.form.get("text", ""))
            picks = ",".join(menus.picks_of(found.view.game, found.view, found.move))
            return redirect(
                url_for("play.show_seat", token=token, ask=found.ask.key, pick=picks, extent=board_extent_in_query()),
                303,
            )
        then = [moves.Part(text) for text in request.form.getlist("then") if text]
        receipt = moves.play_answer(
            site(), claim, key, request.form["move"], "web", then=then, seen=number_in("seen"),
            instead=request.form.get("instead"),
        )  # fmt: skip
    except Problem as problem:
        return render_seat(token, trouble=problem)
    if left := next((part.why for part in receipt.parts if part.why is not None), None):
        return render_seat(token, trouble=left)  # the move itself is played, and the question after it is asked again
    done = "sealed" if receipt.sealed else "again" if receipt.repeated else "1"
    return redirect(url_for("play.show_seat", token=token, done=done, extent=board_extent_in_query()), 303)
