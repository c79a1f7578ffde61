"""Measures what a move, a page and a mail with its picture cost on this machine, on a database of its own.

Each game is played at one table, in this process and without a network. Only processor time counts, but beside other
work even that rises, up to fourfold: measure while the machine is quiet. What HTTP and PostgreSQL add is assumed.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import mean
from typing import Any

from flask.testing import FlaskClient

from pbem import create_app
from pbem.config import Config
from pbem.features.capacity.commands import Figures
from pbem.games import all_games
from pbem.kit.codec import plain
from pbem.mail.mime import Mail
from pbem.models.engine import migrate
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import AT_ONCE, Invitee, NewMatch
from pbem.services.mail import sender
from pbem.services.site import Site, open_site
from pbem.services.tokens import ConfirmClaim, InvitationClaim
from pbem.services.views import match_views, seats
from pbem.services.who import STRANGER

SEATS, MAILS, TURNS = 4, 4, 40
"""Players at a table, if its game takes as many; mails that are measured there, and after how many moves to stop."""


class _Nowhere:
    """A transport that takes every mail and keeps none."""

    def send(self, mail: Mail, to: str) -> None:
        """Takes the mail."""


def _send_due_mails(site: Site) -> int:
    return sender.drain(site, lambda: nullcontext(_Nowhere()))


def measure_costs() -> Figures:
    """Returns the means over all games, after some seconds."""
    took: dict[str, list[float]] = {"move": [], "page": [], "mail": []}
    with _temporary_site() as site:
        client = create_app(site=site).test_client()
        for slug in sorted(all_games()):
            match_id = _begin_match(site, slug)
            _play_and_time(site, client, match_id, {kind: [] for kind in took}, mails=1)  # warms everything up
            _play_and_time(site, client, match_id, took, mails=MAILS)
    return Figures(mean(took["move"]), mean(took["page"]), mean(took["mail"]))


@contextmanager
def _temporary_site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="pbem-capacity-") as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        site = open_site(Config(mode="embedded", data=Path(folder), database_url=url, secret="s" * 48))
        try:
            yield site
        finally:
            site.engine.dispose()


def _begin_match(site: Site, slug: str) -> str:
    counts = all_games()[slug].meta.seats
    count = SEATS if SEATS in counts else max(counts)
    people = [Invitee(f"Player {seat + 1}", f"player{seat}@example.org") for seat in range(count)]
    match_id = matches.create_match(site, STRANGER, NewMatch(slug, people, windows=AT_ONCE))
    matches.confirm_match(site, ConfirmClaim(match_id, 0, 0), "en", "Europe/Paris")
    for seat in range(1, count):
        matches.accept_invitation(site, InvitationClaim(match_id, seat, 0), "en", "Europe/Paris")
    return match_id


def _play_and_time(site: Site, client: FlaskClient, match_id: str, took: dict[str, list[float]], *, mails: int) -> None:
    """Plays until this many moves have been followed by a mail; the next player then reads their page.

    Adds to `took` the processor times of each kind of thing, in milliseconds.
    """

    def clock(kind: str, work: Callable[[], int]) -> None:
        """Does the work, and counts its time for each of the things that it says it has done."""
        begun = time.process_time()
        if done := work():
            took[kind].append((time.process_time() - begun) * 1000 / done)

    _send_due_mails(site)
    most = len(took["mail"]) + mails
    for turn in range(TURNS):
        asks = match_views.read_sheet(site, match_id, None).asks
        if not asks or len(took["mail"]) >= most:
            return
        legal = match_views.read_view(site, match_id, asks[0].seat).legal()
        body = {"key": asks[0].key, "move": plain(legal[turn * 7 % len(legal)])}
        token = seats.play_token(site, match_id, asks[0].seat)
        clock("move", lambda body=body, token=token: _post_move(client, match_id, body, token))  # type: ignore[misc]
        clock("mail", lambda: _send_due_mails(site))
        for ask in match_views.read_sheet(site, match_id, None).asks[:1]:
            link = f"/play/{seats.play_token(site, match_id, ask.seat)}"
            clock("page", lambda link=link: int(client.get(link).status_code == 200))  # type: ignore[misc]


def _post_move(client: FlaskClient, match_id: str, body: dict[str, Any], token: str) -> int:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answer = client.post(f"/api/v1/matches/{match_id}/moves", data=json.dumps(body), headers=headers)
    return int(answer.status_code == 201)
