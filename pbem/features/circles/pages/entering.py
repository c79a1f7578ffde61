"""How somebody comes to a circle: signed in, at the circle's own address, or by the link in its mails."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import request, url_for

from pbem.features.circles import claims, sheets
from pbem.features.circles.claims import MemberClaim
from pbem.render import i18n
from pbem.services.players.players import Account
from pbem.web.protocol.language import page_language, speak
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import csrf, require_player


@dataclass(frozen=True)
class Entered:
    """Somebody who acts as a member of a circle. `base` is the path of its page for them; `player` is signed in."""

    claim: MemberClaim
    base: str
    player: Account | None
    """None: they came by the link in a mail, which is the secret."""


def enter_signed_in(circle_id: str) -> Entered:
    """Returns the session's player as a member; a form must carry the session's token.

    Raises Unauthorized, NotFound, CSRFError.
    """
    if request.method == "POST":
        csrf.protect()
    player = require_player()
    return Entered(sheets.own_claim(site(), player.id, circle_id), url_for("circles.show", circle_id=circle_id), player)


def enter_by_link(token: str) -> Entered:
    """Returns the member of the link, and sets the page's language to theirs. Raises Unauthorized, NotFound."""
    claim = site().tokens.read(claims.MemberClaim, token)
    speak(sheets.read_member(site(), claim).language)
    return Entered(claim, url_for("circles.show_by_link", token=token), None)


def weekdays() -> list[str]:
    """Returns the names of the days, Monday first."""
    return [i18n.weekday(number, page_language()) for number in range(7)]


def typed_number(form: Mapping[str, Any], field: str) -> int:
    """Returns the id in a field of the form; 0, which nothing has, for anything else."""
    typed = str(form.get(field, ""))
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else 0
