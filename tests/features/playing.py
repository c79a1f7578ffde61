"""Plays matches by page, mail and REST in turn: `python -m tests.features.playing FOLDER MOST GAME …`.

It runs with any tree of pbem, also one from which folders of features were taken away, so it imports no feature.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from contextlib import contextmanager
from importlib import import_module
from itertools import cycle
from pathlib import Path
from random import Random
from types import ModuleType

from flask.testing import FlaskClient

from pbem import create_app
from pbem.discovery import packages_of_features
from pbem.games import all_games
from pbem.models.engine import migrate
from pbem.services.privacy.export import export_player
from tests.services.letterbox import id_of, text_of
from tests.table import CAST, House, address_of, open_house

WAYS = ("web", "mail", "api")
"""How moves are made, as logs call it."""


def play_match(house: House, game: str, most: int) -> tuple[str, Counter[str]]:
    """Plays a match to its end or up to this many answers, drawn at random.

    Returns the status of the match, and how many answers were given in each way. Raises RuntimeError if one is refused.
    """
    match_id = house.begin(all_games()[game].meta.seats[0], game)
    client, luck, given = create_app(site=house.site).test_client(), Random(game), Counter[str]()
    for way, _ in zip(cycle(WAYS), range(most), strict=False):
        house.drain()
        asked = house.asks(match_id)
        if not asked:
            break
        view = house.view(match_id, asked[0].seat)
        answer_question(house, client, way, match_id, asked[0].seat, view.game.format(luck.choice(view.legal())))
        given[way] += 1
    house.drain()
    return house.view(match_id, None).sheet.status, given


def answer_question(house: House, client: FlaskClient, way: str, match_id: str, seat: int, text: str) -> None:
    """Answers the open question of the seat. Raises RuntimeError if that is refused."""
    house.clock.forward(minutes=7)  # a seat gets five answers by mail an hour
    token = token_in_mail(house, seat) if way == "mail" else house.token("play", match_id, seat)
    key = next(a.key for a in house.asks(match_id) if a.seat == seat)
    page = client.get(f"/play/{token}")
    if way == "mail" and (replying := coming_back(house)) is not None:
        row = replying.reply_to_question(house, match_id, seat, text)
        said: object = (row.verdict, row.detail)
        done = row.verdict == "acted"
    elif way in ("web", "mail"):
        pressed = client.post(f"/play/{token}", data={"key": key, "move": text}, headers={"Origin": "null"})
        said, done = pressed.status, pressed.status_code == 303
    else:
        sent = {"key": key, "text": text}
        got = client.post(f"/api/v1/matches/{match_id}/moves", json=sent, headers={"Authorization": f"Bearer {token}"})
        said, done = got.text, got.status_code == 201
    if page.status_code != 200 or not done:
        raise RuntimeError(f"{way}: {page.status}, {said}")


def token_in_mail(house: House, seat: int) -> str:
    """Returns the token of the page to which the newest mail to the owner of the seat leads."""
    links = re.findall(r"/play/([\w.-]+)", text_of(house.mail.to(address_of(CAST[seat]))[-1]))
    return str(links[0])


def coming_back(house: House) -> ModuleType | None:
    """Returns what answers mails; None where no mail comes back."""
    on = "inbox" in house.site.config.features
    return import_module("tests.features.inbox.replying") if on else None


def main(folder: Path, most: int, games: list[str]) -> None:
    """Plays these games, or all; prints a line for each."""
    for game in games or sorted(all_games()):
        url = f"sqlite:///{folder}/{game}.db"
        migrate(url)
        replying = "inbox" in packages_of_features() and import_module("tests.features.inbox.replying")
        settings = replying.comes_in() if replying else {}
        with contextmanager(open_house)(url, folder, **settings) as house:
            status, given = play_match(house, game, most)
            export_player(house.site, id_of(house, CAST[0]))  # asks all features that are there
            sys.stdout.write(f"{game} {status} {dict(given)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
