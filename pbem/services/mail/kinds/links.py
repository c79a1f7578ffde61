"""The links that somebody asked for."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from pbem.mail.letters import Kind, Letter, MatchLink
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players import players
from pbem.services.views import match_list
from pbem.services.views.match_list import MyMatch


@dataclass(frozen=True, kw_only=True)
class MyLinks(Letter):
    """The links that were asked for. `account_url` works for `life`, the others as long as their match."""

    lists = ("matches",)

    account_url: str
    life: timedelta
    matches: tuple[MatchLink, ...]
    newcomer: bool = False
    """True if nobody has used the account yet, and it has no match: somebody has typed the address to sign up."""


def build(context: LetterContext) -> MyLinks:
    """Returns the letter with the links to the reader's account, their matches, and what they have to answer."""
    player = context.reader.player
    life = players.life_of_sign_in_link(context.row)
    token = context.site.tokens.for_account(player.id, player.epoch, context.now, life)
    found = match_list.my_matches(context.site, context.session, player, (*match_list.OWN, "confirm"))
    matches = tuple(
        MatchLink(
            one.sheet.game,
            one.sheet.names[: one.seat] + one.sheet.names[one.seat + 1 :],
            context.site.url(f"/{one.purpose}/{one.token}"),
            _status_of_match(one),
        )
        for one in found
        if one.sheet.status != "cancelled"
    )
    return MyLinks(
        **context.envelope(),
        account_url=context.site.url(f"/account/{token}"),
        life=life,
        matches=matches,
        newcomer=player.verified_at is None and not matches,
    )


KIND = Kind(MyLinks, build, capped=True, on_request=True, proves_address=True)


def _status_of_match(mine: MyMatch) -> Literal["unconfirmed", "invited", "your_turn", "waiting", "over"]:
    if mine.purpose != "play":
        return "invited" if mine.purpose == "invitation" else "unconfirmed"
    return "over" if mine.sheet.over else "your_turn" if mine.is_asked else "waiting"
