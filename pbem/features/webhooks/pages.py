"""A player's webhooks: creates and deletes them, shows their calls, and tests them."""

from collections.abc import Callable, Iterable

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, NotFound, Problem
from pbem.features.webhooks import registry
from pbem.features.webhooks.sheets import WebhookSheet
from pbem.features.webhooks.subjects import subject_of_all_features
from pbem.services.players.players import Account
from pbem.web.features import Parts, rendered
from pbem.web.protocol.language import _
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import require_player, require_player_of_form

bp = Blueprint("webhooks", __name__)

PARTS = (bp,)
SCOPES = {"create": N_("set up webhooks")}


def preferences_page(player: Account) -> Parts:
    """Returns what stands beside the tokens of the player's programs."""
    return Parts(programs=rendered("features/webhooks/preferences.html"))


@bp.get("/me/webhooks")
def hooks() -> Response:
    """Shows the player's webhooks, and the form for a new one."""
    return _render_list(require_player())


@bp.post("/me/webhooks")
def make() -> Response:
    """Creates a webhook and shows its secret, in this answer only."""
    player, form = require_player_of_form(), request.form
    try:
        made, secret = registry.add_webhook(
            site(), player.id, form.get("url", ""), form.getlist("kind"), form.get("preset", "standard")
        )
    except Problem as problem:
        return _render_list(player, problem)
    return _render_hook(player, made.id, secret=secret, done=_("The webhook is made."))


@bp.get("/me/webhooks/<int:hook_id>")
def hook(hook_id: int) -> Response:
    """Shows one webhook and its calls."""
    done = {
        "ping": _("A call is being sent: check back in a moment."),
        "again": _("The call is being sent again: check back in a moment."),
        "enabled": _("The webhook is called again."),
    }
    return _render_hook(require_player(), hook_id, done=done.get(request.args.get("done", "")))


@bp.post("/me/webhooks/<int:hook_id>/ping")
def ping(hook_id: int) -> AnyResponse:
    """Sends a test call."""
    return _act_on_webhook(hook_id, "ping", lambda player: registry.send_test_call(site(), player, hook_id))


@bp.post("/me/webhooks/<int:hook_id>/enable")
def enable(hook_id: int) -> AnyResponse:
    """Enables the webhook again."""
    return _act_on_webhook(
        hook_id, "enabled", lambda player: registry.change_webhook(site(), player, hook_id, active=True)
    )


@bp.post("/me/webhooks/<int:hook_id>/deliveries/<int:delivery_id>/redeliver")
def redeliver(hook_id: int, delivery_id: int) -> AnyResponse:
    """Repeats a call."""
    return _act_on_webhook(
        hook_id, "again", lambda player: registry.redeliver_call(site(), player, hook_id, delivery_id)
    )


@bp.post("/me/webhooks/<int:hook_id>/rotate")
def rotate(hook_id: int) -> Response:
    """Rotates the secret and shows it, in this answer only."""
    player = require_player_of_form()
    _hook, secret = registry.change_webhook(site(), player.id, hook_id, rotate=True)
    return _render_hook(player, hook_id, secret=secret, done=_("The old secret is no longer used."))


@bp.post("/me/webhooks/<int:hook_id>/delete")
def delete(hook_id: int) -> AnyResponse:
    """Deletes the webhook."""
    player = require_player_of_form()
    try:
        registry.remove_webhook(site(), player.id, hook_id)
    except NotFound as problem:  # it was deleted on another page
        return _render_list(player, problem)
    return redirect(url_for("webhooks.hooks", done="1"), 303)


def _act_on_webhook(hook_id: int, word: str, do: Callable[[int], object]) -> AnyResponse:
    """Acts for the signed-in player, and shows the webhook again."""
    player = require_player_of_form()
    try:
        do(player.id)
    except Problem as problem:
        return _render_hook(player, hook_id, trouble=problem)
    return redirect(url_for("webhooks.hook", hook_id=hook_id, done=word), 303)


def _render_list(player: Account, trouble: Problem | None = None) -> Response:
    """Renders the page of all webhooks, with the problem that prevented a new one."""
    typed = request.form if trouble else None
    return page(
        "features/webhooks/webhooks.html",
        refused=trouble,
        hooks=registry.list_webhooks(site(), player.id), zone=player.zone, all_kinds=_titles_of_match_kinds(),
        words=_kinds_in_words, url=typed.get("url", "") if typed else "",
        chosen=typed.get("preset", "") if typed else "standard",
        kinds=typed.getlist("kind") if typed else ("your_turn", "over"),
    )  # fmt: skip


def _render_hook(
    player: Account,
    hook_id: int,
    *,
    secret: str | None = None,
    done: str | None = None,
    trouble: Problem | None = None,
) -> Response:
    """Renders the page of one webhook. Raises NotFound."""
    webhook = registry.read_webhook(site(), player.id, hook_id)
    before = request.args.get("after", "")
    calls, following = registry.list_calls(
        site(), player.id, hook_id, int(before) if before.isascii() and before.isdigit() and len(before) < 10 else 0
    )
    return page(
        "features/webhooks/webhook.html",
        refused=trouble, done=done, hook=webhook, matches=_matches_in_words(webhook), secret=secret, calls=calls,
        following=following, zone=player.zone, all_kinds=_titles_of_all_kinds() | {"ping": _("test call")},
        words=_kinds_in_words,
    )  # fmt: skip


# --- in words ------------------------------------------------------------------------------------------------


def _titles_of_match_kinds() -> dict[str, str]:
    return {"your_turn": _("it is your turn"), "moved": _("something has happened"), "over": _("a match is over")}


def _titles_of_all_kinds() -> dict[str, str]:
    """Returns the kinds with those of features, whose webhooks only programs make."""
    other = subject_of_all_features()
    return _titles_of_match_kinds() | {
        kind: _(said) for kind, said in (other.words.items() if other is not None else ())
    }


def _matches_in_words(hook: WebhookSheet) -> str:
    """Returns of which matches the webhook is told."""
    other = subject_of_all_features() if hook.about is not None else None
    return _(other.which) if other is not None else _("one of yours") if hook.match is not None else _("all of yours")


def _kinds_in_words(kinds: Iterable[str]) -> list[str]:
    named = _titles_of_all_kinds()
    return [named[kind] for kind in kinds]
