"""Links to free seats."""

from __future__ import annotations

import re

from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.who import STRANGER
from tests.table import address_of
from tests.web.cast import READER, Web

CAROL = {"name": "Carol", "address": "carol@example.org", **READER}


def start_open_match(web: Web, spectators: bool = True) -> str:
    alice, bob = (Invitee(name, address_of(name)) for name in ("Alice", "Bob"))
    wanted = NewMatch("hogen", [alice, bob, OpenSeat()], language="en", spectators=spectators)
    match_id = matches.create_match(web.site, STRANGER, wanted)
    web.confirm(match_id)
    return match_id


def join_links(web: Web, match_id: str) -> list[str]:
    """Returns the join links on the organiser's page, as paths."""
    text = web.client().get(web.link("play", match_id, 0)).text
    return [url.removeprefix(web.site.config.url) for url in re.findall(r'class="given" id="[^"]+">([^<]+)<', text)]
