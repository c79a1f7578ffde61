"""A site with matches in every phase, and all its pages; tests read it and do not change it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from werkzeug.test import TestResponse

from pbem.features.circles import claims, founding, joining, occasions, sheets, standing
from pbem.features.circles.claims import CircleClaim
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.mail import sender
from pbem.services.play import presence, substitutes
from pbem.services.tokens import NeverClaim, OfferClaim, OrdersClaim, VacancyClaim
from pbem.services.views import match_views
from tests.table import claim_of, play_out
from tests.web.cast import Web, play_on


@dataclass(frozen=True)
class Everywhere:
    """The site, a match in every phase, and the paths of all pages."""

    web: Web
    matches: dict[str, str]
    paths: list[str]
    rows: dict[str, list[dict[str, Any]]]
    """What the database held before anybody looked."""
    _answers: dict[str, TestResponse] = field(default_factory=dict)

    def answer(self, path: str) -> TestResponse:
        """Returns the page for a reader of English without a cookie; requested once for all tests."""
        if path not in self._answers:
            self._answers[path] = self.web.client().get(path)
        return self._answers[path]


def play_everywhere(web: Web) -> Everywhere:
    """Fills an empty site."""
    matches = match_in_every_phase(web)
    found = paths_of_pages(web, matches)
    sender.drain(web.site)
    return Everywhere(web, matches, found, web.everything())


def match_in_every_phase(web: Web) -> dict[str, str]:
    """Plays a match in every phase."""
    new, inviting, running, over, off = web.create(), web.create(), web.start(), web.start(), web.create()
    web.confirm(inviting)
    play_on(web, running, 5)
    play_out(web.site, over)
    web.confirm(off)
    web.client().post(web.link("play", off, 0) + "/withdraw")
    left = web.start()
    presence.resign(web.site, claim_of(web.site, left, 1))
    return {"new": new, "inviting": inviting, "running": running, "over": over, "off": off, "left": left}


def paths_of_pages(web: Web, matches: dict[str, str]) -> list[str]:
    """Returns the paths of every page, in every phase of a match."""
    player = web.site.tokens
    out = ["/", "/new?game=hogen", "/new?game=allegeance&others=bots", "/new/sent", "/links", "/links/sent"]
    out += [
        "/games/hogen",
        "/games/hogen/learn",
        "/games/hogen/learn/11",
        "/rules/hogen",
        "/help",
        "/help/mail",
        "/privacy",
    ]
    out += ["/mailbox", f"/account/{player.for_account(1, 0, web.site.now())}"]
    out.append(f"/never/{player.sign_for(NeverClaim, 2, 'bob@example.org')}")
    for phase, match_id in matches.items():
        for seat in (0, 1):
            play = web.link("play", match_id, seat)
            out += [play, f"{play}/renew", f"{play}/withdraw", web.link("mute", match_id, seat)]
            out.append(f"/stop-orders/{web.site.tokens.sign(OrdersClaim(match_id, seat, 0))}")
            out += [f"{play}/replay", f"{play}?ask=t99.act0&pick=call", f"{play}?done=1"]
            out += [web.link("confirm", match_id, 0), web.link("invitation", match_id, 1)]
        out.append(f"/match/{match_id}")
        if phase != "new":
            out.append(f"/replay/{match_id}?step=2")
    return out + paths_of_substitutes(web, matches["left"]) + paths_of_circles(web)


def paths_of_circles(web: Web) -> list[str]:
    """Returns the pages of a circle of Alice's that is open, as its members, the invited and strangers see it."""
    site = web.site
    circle = founding.found_circle(site, 1, "Les Lacs", "Alice")
    joining.join_signed_in(site, CircleClaim(circle, 0), 2, "Bob")
    alice, bob = (sheets.claim_of_player(site, who, circle) for who in (1, 2))
    standing.set_up_table(site, alice, NewMatch("hogen", ()), standing.Weekly(6, 18, "Europe/Paris"))
    occasions.run_standing_tables(site)
    joining.invite_address(site, alice, "Zoe", "zoe@example.org", "en")
    founding.change_circle(site, alice, opened=True)
    token, link = site.tokens.sign(alice), site.tokens.sign(claims.CircleClaim(circle, 0))
    own, invited = (
        f"/circle/member/{token}",
        f"/circle/member/{site.tokens.sign(claims.MemberClaim(bob.member_id + 1, 0))}",
    )
    mine = [own, f"{own}/match?game=hogen", f"{own}/weekly", f"{own}/mails", f"{own}/occasion/1?say=no"]
    return [
        *mine,
        invited,
        f"{invited}/mails",
        f"/circle/join/{link}",
        f"/circle/join/{link}/sent",
        f"/circle/{circle}",
    ]


def paths_of_substitutes(web: Web, match_id: str) -> list[str]:
    """Returns the pages by which the abandoned seat is taken over."""
    link = substitutes.substitute_links_by_seat(web.site, match_views.read_sheet(web.site, match_id, 0), 0)[1]
    path = "/substitute/" + link.rpartition("/")[2]
    who = Invitee("Charlie", "charlie@example.org")
    substitutes.ask_for_seat(
        web.site, web.site.tokens.read(VacancyClaim, path.rpartition("/")[2]), who, "en", "Europe/Paris"
    )
    return [path, f"{path}/sent", f"/takeover/{web.site.tokens.sign(OfferClaim(1))}"]
