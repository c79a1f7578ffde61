"""The pages on which players get their data, change their address, or leave."""

import msgspec
from flask import Blueprint, Response, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Gone, Invalid, Problem
from pbem.services.privacy import address_change, erasure, export
from pbem.services.tokens import ChangeClaim
from pbem.web.protocol import security, sign_in
from pbem.web.protocol.language import _, speak
from pbem.web.protocol.page import page, site
from pbem.web.protocol.security import keep_private
from pbem.web.protocol.sign_in import csrf, open_session, require_visitor

bp = Blueprint("privacy", __name__)


# --- what the player asks for --------------------------------------------------------------------------------


@bp.get("/me/address")
def show_address_change(trouble: Problem | None = None) -> Response:
    """Shows the pending change of address, or the form that asks for one."""
    player = require_visitor()
    waiting = address_change.pending_change(site(), player.id)
    return page(
        "account/address.html", refused=trouble, player=player,
        waiting=waiting, typed=request.form.get("address", ""),
    )  # fmt: skip


@bp.post("/me/address")
def ask_address_change() -> AnyResponse:
    """Asks both mailboxes; for a guest, the one that is to be theirs."""
    csrf.protect()
    player = require_visitor()
    try:
        address_change.request_change(site(), player.id, request.form.get("address", ""))
    except Problem as problem:
        return show_address_change(problem)
    return redirect(url_for("privacy.show_address_change"), 303)


@bp.post("/me/address/withdraw")
def cancel_address_change() -> AnyResponse:
    """Cancels the pending change of address."""
    csrf.protect()
    address_change.withdraw_change(site(), require_visitor().id)
    return redirect(url_for("privacy.show_address_change"), 303)


@bp.get("/me/data")
def download_data() -> Response:
    """Returns what is stored about the player, as a file of JSON."""
    keep_private()
    found = msgspec.json.encode(export.export_player(site(), require_visitor().id))
    response = Response(msgspec.json.format(found), mimetype="application/json")
    response.headers.set("Content-Disposition", "attachment", filename="pbem-data.json")
    return response


@bp.get("/me/erase")
def ask_erase(trouble: Problem | None = None) -> Response:
    """Explains what erasure means, and shows the form for it."""
    return page("account/erase.html", player=require_visitor(), refused=trouble)


@bp.post("/me/erase")
def erase_player() -> AnyResponse:
    """Erases the player, if they have ticked the box."""
    csrf.protect()
    player = require_visitor()
    if request.form.get("sure") != "1":
        return ask_erase(Invalid(N_("Tick the box to confirm.")))
    try:
        erasure.erase_player(site(), player.id, never=request.form.get("never") == "1")
    except Problem as problem:
        return ask_erase(problem)
    session.clear()
    return redirect(url_for("privacy.show_erased"), 303)


@bp.get("/gone")
def show_erased() -> Response:
    """Says that the player has been erased."""
    keep_private()
    text = _(
        "Your address, your names and what you wrote are deleted. Backups keep them until the backups "
        "themselves are deleted."
    )
    return page("note.html", title=_("Your data is erased"), text=text, mailbox=False)


# --- what a mailbox answers ----------------------------------------------------------------------------------


@bp.get("/address/<token>")
def show_mailbox_question(token: str, trouble: Problem | None = None) -> Response:
    """Shows what is asked of this mailbox, with the buttons for its answers."""
    found = address_change.read_change(site(), site().tokens.read(ChangeClaim, token))
    speak(found.language)
    answer = page("account/address_change.html", token=token, asked=found, refused=trouble)
    return security.give_origin(answer) if found.first else answer  # its button also signs in


@bp.post("/address/<token>")
@security.one_click
def answer_for_mailbox(token: str) -> AnyResponse:
    """Confirms the change, stops it, or suppresses the address, as a mail program's one click does (RFC 8058)."""
    claim = site().tokens.read(ChangeClaim, token)
    choice = "never" if security.is_one_click() else request.form.get("answer", "")
    try:
        if choice in ("stop", "never"):
            address_change.refuse_change(site(), claim, never=choice == "never")
        elif choice == "yes" and address_change.read_change(site(), claim).first:
            return _confirm_and_sign_guest_in(token, claim)
        elif choice == "yes":
            address_change.agree_to_change(site(), claim)
    except Problem as problem:
        return show_mailbox_question(token, problem)
    return redirect(
        url_for("privacy.show_mailbox_question", token=token, done=choice if choice == "never" else None), 303
    )


def _confirm_and_sign_guest_in(token: str, claim: ChangeClaim) -> AnyResponse:
    """Gives the guest this mailbox, or the mailbox's player the guest's matches, and signs them in on this browser.

    A second press of the button does nothing: the page says that it is done.
    """
    security.check_said()
    try:
        player = address_change.confirm_first_address(site(), claim)
    except Gone:
        if address_change.read_change(site(), claim).how != "done":
            raise
        return redirect(url_for("privacy.show_mailbox_question", token=token), 303)
    open_session(player)
    return sign_in.redirect_home_and_remember_player(require_visitor())
