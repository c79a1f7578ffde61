"""The mail with all the player's links, sent on request."""

from collections.abc import Iterator
from typing import Any, Literal, cast

from pbem.mail.kinds.links import MyLinks
from pbem.mail.parts import MatchLink
from pbem.services.mail.letter_context import Desk
from pbem.services.players import players
from pbem.services.site import Site
from pbem.services.views import seats


def build(desk: Desk) -> MyLinks:
    """Returns the letter with the links to the reader's account, their matches, and what they have to answer."""
    player = desk.reader.player
    assert player.id is not None
    life = players.life_of(desk.row)
    token = desk.site.tokens.for_account(player.id, player.epoch, desk.now, life)
    mine = seats.my_matches(desk.site, desk.session, player)
    return MyLinks(
        **desk.envelope(),
        account_url=desk.site.url(f"/account/{token}"),
        life=life,
        matches=tuple(_match_link(desk.site, m) for m in mine if m.sheet.status != "cancelled")
        + tuple(_to_answer(desk)),
    )


def _match_link(site: Site, mine: seats.MyMatch) -> MatchLink:
    sheet = mine.sheet
    others = sheet.names[: mine.seat] + sheet.names[mine.seat + 1 :]
    status = "over" if sheet.over else "your_turn" if sheet.seats[mine.seat].asked else "waiting"
    return MatchLink(sheet.game, others, site.url(f"/play/{mine.play_token}"), cast(Any, status))


def _to_answer(desk: Desk) -> Iterator[MatchLink]:
    """Yields the open invitations, then the matches that the reader has yet to confirm."""
    site, session, player = desk.site, desk.session, desk.reader.player
    for found in seats.open_invitations(site, session, player):
        yield _seat_link(found, site.url(f"/invitation/{found.token}"), "invited")
    for found in seats.unconfirmed_matches(site, session, player):
        yield _seat_link(found, site.url(f"/confirm/{found.token}"), "unconfirmed")


def _seat_link(found: seats.OpenInvitation, url: str, status: Literal["invited", "unconfirmed"]) -> MatchLink:
    names = found.sheet.names[: found.seat] + found.sheet.names[found.seat + 1 :]
    return MatchLink(found.sheet.game, names, url, status)
