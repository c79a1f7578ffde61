"""Games of packages that a test installs, and matches of them by page, mail and API in turn."""

from __future__ import annotations

import importlib
import random
import re
import sys
from pathlib import Path

from flask.testing import FlaskClient

from pbem import create_app
from pbem.games import look_for_games
from pbem.services.views import seats
from tests.features.inbox.replying import reply_to_question
from tests.table import CAST, House, address_of
from tests.web.cast import choose_move, press_only_button


def look_again(folder: Path) -> None:
    """Discovers the games again, as in a new process; packages in the folder are read again."""
    importlib.invalidate_caches()
    for name, module in [*sys.modules.items()]:
        if str(getattr(module, "__file__", None) or "").startswith(f"{folder}/"):
            del sys.modules[name]
    look_for_games.cache_clear()


def link_to(house: House, name: str, purpose: str) -> str:
    """Returns the path of the newest link of this purpose in the mails to one of the cast."""
    house.drain()
    texts = [mail.get_body(("plain",)) for mail in house.mail.to(address_of(name))]
    found = [re.findall(rf"/{purpose}/[^\s?#/]+(?=[\s?#])", body.get_content()) for body in texts if body]
    return str([link for links in found for link in links][-1])


def play_to_the_end(house: House, slug: str, count: int, most: int = 600) -> FlaskClient:
    """Plays random moves, by page, mail and API in turn, until nobody is asked; returns the browser."""
    client = create_app(site=house.site).test_client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en"
    match_id, luck = house.begin(count, slug), random.Random(7)
    for turn in range(most):
        house.drain()
        asked = house.asks(match_id)
        if not asked:
            break
        seat = luck.choice([ask.seat for ask in asked])
        if turn % 3 == 0:
            assert (
                press_only_button(
                    client, choose_move(client, link_to(house, CAST[seat], "play"), luck.choice)
                ).status_code
                == 303
            )
            continue
        view = house.view(match_id, seat)
        text = view.game.format(luck.choice(view.legal()))
        if turn % 3 == 1:
            assert reply_to_question(house, match_id, seat, text).verdict == "acted"
        else:
            key = next(ask.key for ask in asked if ask.seat == seat)
            sent = client.post(
                f"/api/v1/matches/{match_id}/moves", json={"key": key, "text": text},
                headers={"Authorization": f"Bearer {seats.play_token(house.site, match_id, seat)}"},
            )  # fmt: skip
            assert sent.status_code == 201, sent.text
    over = house.view(match_id, None)
    assert over.sheet.status == "over"
    assert {one.by.via for one in over.entries if one.by.seat is not None} == {"web", "mail", "api"}
    house.drain()
    return client
