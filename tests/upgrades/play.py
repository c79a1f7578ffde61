"""Plays matches with the program that it is run with, and notes what that program says: `python play.py URL FOLDER`.

It is run by `make.py`, with the Python and in the folder of its own program, old or present. It knows of it only the
pages, the API, the mails and the few functions that workers call, and imports nothing from the tests.

In the database are then, of every game, a match in the archive, one that ended lately and one in play; matches that
wait for somebody's answer; and what an account has: a personal access token, a webhook, one mail a day. In FOLDER is
`kept.json`: what each match says to each of its seats and to a spectator, and the mails that players have.
"""

import hashlib
import json
import random
import re
import sys
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, message_from_string
from email.message import EmailMessage
from email.policy import default
from html import unescape
from pathlib import Path
from typing import Any

from pbem import create_app
from pbem.config import Config
from pbem.kit.codec import encode
from pbem.kit.replay import full_fold
from pbem.models.engine import migrate
from pbem.services.log import archiving, store
from pbem.services.mail import digests, sender
from pbem.services.play import bots, timeouts
from pbem.services.site import open_site

HOST = "http://127.0.0.1:8000"
SECRET = "a secret of more than 32 letters for tests"
START = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
SAID = ("log", "state")
PORT = 18_099
"""Nobody listens there."""
OF_EACH = 3
KIND = re.compile(r"/[^/]{20,}")
"""The part of a path that differs from link to link: a token, or the id of a match."""
PLAYERS = {"Alice": "alice@example.org", "Bob": "bob@example.org", "Carol": "carol@example.org"}


class Clock:
    """A clock that moves only by hand."""

    at = START

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **delta: float) -> None:
        """Moves the clock, by keywords of timedelta."""
        self.at += timedelta(**delta)


def environment_of_site(url: str, data: Path) -> dict[str, str]:
    """Returns the environment of the site, whose mails stay on this machine."""
    return {
        "PBEM_MODE": "embedded", "PBEM_DATA": str(data), "DATABASE_URL": url, "PBEM_SECRET": SECRET,
        "PBEM_WEBHOOKS_PRIVATE": "1",
    }  # fmt: skip


class Played:
    """A site of the program, and what people do there."""

    def __init__(self, url: str, folder: Path) -> None:
        migrate(url)
        self.clock, self.chance = Clock(), random.Random(url.partition(":")[0])
        config = Config.from_env(environment_of_site(url, folder), "embedded")
        self.wakes = 0
        self.site = open_site(config, now=self.clock, entropy=self.chance.randbytes, wake=self.wake)
        self.app = create_app(site=self.site)
        self.http = self.app.test_client()
        self.seen: set[str] = set()
        self.mails: list[dict[str, str]] = []
        self.matches: list[dict[str, Any]] = []

    def wake(self) -> None:
        """Counts that a worker was to go on: a run sends a limited number of mails."""
        self.wakes += 1

    # --- HTTP and mail ---------------------------------------------------------------------------------------

    def api(self, method: str, path: str, token: str | None = None, **body: Any) -> Any:
        """Returns the answer of the API. Raises RuntimeError if it refuses."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        said = self.http.open(f"/api/v1{path}", method=method, base_url=HOST, headers=headers, json=body or None)
        if said.status_code >= 400:
            raise RuntimeError(f"{method} {path}: {said.status_code} {said.text}")
        return said.get_json()

    def form(self, path: str, **fields: str | list[str]) -> Any:
        """Presses the button of the form on this page; returns the answer."""
        shown = self.http.get(path, base_url=HOST).text
        fields.update(re.findall(r'name="(csrf_token)" value="([^"]+)"', shown))
        said = self.http.post(path, base_url=HOST, data=fields, headers={"Origin": HOST})
        if said.status_code >= 400:
            raise RuntimeError(f"POST {path}: {said.status_code} {said.text[:2000]}")
        return said

    def post(self) -> list[EmailMessage]:
        """Sends the mails that are due; returns those that have arrived since the last time, and keeps them."""
        before = -1
        while before != self.wakes:
            before = self.wakes
            sender.drain(self.site)
        new = []
        for listed in self.http.get("/mailbox.json", base_url=HOST).get_json():
            if listed["id"] in self.seen:
                continue
            self.seen.add(listed["id"])
            raw = self.http.get(f"/mailbox/{listed['id']}.eml", base_url=HOST).data
            mail = message_from_bytes(raw, _class=EmailMessage, policy=default)
            self.mails.append({"to": str(mail["To"]), "at": self.clock().isoformat(), "raw": without_pictures(mail)})
            new.append(mail)
        return new

    def link(self, mails: list[EmailMessage], to: str, kind: str) -> str:
        """Returns the token of the newest link of this kind in the mails to this player."""
        found: list[str] = [
            token for mail in mails if PLAYERS[to] in str(mail["To"])
            for token in re.findall(rf"{HOST}/{kind}/([\w.~-]+)", body_of(mail))
        ]  # fmt: skip
        return found[-1]

    # --- matches ---------------------------------------------------------------------------------------------

    def begin(self, game: str, **wanted: Any) -> dict[str, Any]:
        """Returns a match of Alice and Bob, of Carol, too, or of bots where the game seats more; all have accepted."""
        about = self.api("GET", f"/games/{game}")
        names = [*PLAYERS] if game == "hogen" else ["Alice", "Bob"]
        fewest = min(about["seats"])
        bot = {"bot": "greedy" if "greedy" in about["bots"] else about["bots"][0]}
        seats = [{"name": name, "email": PLAYERS[name]} for name in names] + [bot] * (fewest - len(names))
        match_id = self.api("POST", "/matches", game=game, seats=seats, language="en", **wanted)["id"]
        self.api("POST", f"/confirm/{self.link(self.post(), 'Alice', 'confirm')}", language="en", zone="Europe/London")
        mails = self.post()
        for name in names[1:]:
            self.api("POST", f"/invitation/{self.link(mails, name, 'invitation')}/accept", language="en")
        return {"id": match_id, "game": game, "seats": len(seats), "names": names, "tokens": {}}

    def read_tokens(self, match: dict[str, Any]) -> None:
        """Notes the play links that the mails of a match which has just begun, or gone on, have brought."""
        for mail in self.post():
            for name, address in PLAYERS.items():
                if address in str(mail["To"]):
                    found = re.findall(rf"{HOST}/play/({match['id']}[\w.~-]+)", body_of(mail))
                    match["tokens"].update((name, token) for token in found)

    def play(self, match: dict[str, Any], most: int, at: int | None = None) -> int:
        """Plays this many moves at most, drawn at random or the one at this place; returns their number."""
        done = idle = 0
        while done < most and idle < 40:
            idle += 1
            if self.api("GET", f"/matches/{match['id']}")["status"] != "running":
                break
            bots.play_quick_bots(self.site)
            for name in match["names"]:
                if name not in match["tokens"]:
                    self.read_tokens(match)
                token = match["tokens"].get(name)
                asked: dict[str, Any] = {"ask": None}
                question = self.api("GET", f"/matches/{match['id']}/ask", token) if token else asked
                if question["ask"] is None or question["ask"]["sealed"] is not None or done == most:
                    continue
                legal = question["legal"][at if at is not None else self.chance.randrange(len(question["legal"]))]
                key = question["ask"]["key"]
                self.api("POST", f"/matches/{match['id']}/moves", token, key=key, move=legal["move"])
                done, idle = done + 1, 0
            self.clock.forward(minutes=2)
            timeouts.beat_and_sweep_deadlines_if_web_up(self.site)
        return done

    def end(self, game: str, most: int, **wanted: Any) -> None:
        """Plays this many moves of a match; where that does not end it, its players resign."""
        match = self.begin(game, **wanted)
        self.read_tokens(match)
        self.play(match, most, -1 if game == "hogen" else None)
        for name in match["names"]:
            if self.api("GET", f"/matches/{match['id']}")["status"] == "running":
                self.api("POST", f"/matches/{match['id']}/resign", match["tokens"][name])
        bots.play_quick_bots(self.site)
        self.read_tokens(match)
        status = self.api("GET", f"/matches/{match['id']}")["status"]
        if status != "over":
            raise RuntimeError(f"{game} is {status}")
        self.matches.append(match)

    def leave_in_play(self, game: str, most: int) -> None:
        """Plays this many moves of a match; somebody has a mail with its question then, or Carol one of the day."""
        match = self.begin(game)
        self.read_tokens(match)
        at = 0 if game == "hogen" else None  # at random, a match of Hogen may be over after two moves of each
        self.play(match, most, at)
        if "Carol" in match["names"]:
            self.wants_one_mail_a_day("Carol")
            self.play({**match, "names": ["Alice", "Bob"]}, 20, at)
        bots.play_quick_bots(self.site)
        self.read_tokens(match)
        if self.api("GET", f"/matches/{match['id']}")["status"] != "running":
            raise RuntimeError(f"{game} is over")
        self.matches.append(match)

    # --- accounts --------------------------------------------------------------------------------------------

    def sign_in(self, name: str) -> None:
        """Opens a session by the link that a mail brings."""
        self.form("/links", address=PLAYERS[name])
        self.form(f"/account/{self.link(self.post(), name, 'account')}")

    def wants_one_mail_a_day(self, name: str) -> None:
        """Sets the player to one mail a day, at six in the evening."""
        self.sign_in(name)
        self.form("/me", language="en", zone="Europe/London", digest="18")

    def make_token(self, name: str) -> str:
        """Returns a personal access token that may do everything."""
        self.sign_in(name)
        shown = self.form("/me/tokens", name="My program", days="366", scope=["read", "play", "create"]).text
        return re.search(r'id="token">([^<]+)<', shown)[1]  # type: ignore[index]  # the page shows it once

    # --- matches that wait for an answer ---------------------------------------------------------------------

    def invite(self, *, confirmed: bool) -> None:
        """Starts a match that Bob and Carol have not answered, or that Alice has not confirmed."""
        seats = [{"name": name, "email": address} for name, address in PLAYERS.items()]
        self.api("POST", "/matches", game="hogen", seats=seats, language="en")
        if confirmed:
            token = self.link(self.post(), "Alice", "confirm")
            self.api("POST", f"/confirm/{token}", language="en", zone="Europe/London")
        self.post()

    # --- what is noted ---------------------------------------------------------------------------------------

    def note(self, match: dict[str, Any]) -> dict[str, Any]:
        """Returns what the match says to a spectator and to each seat: of logs and states their digests."""
        where, viewers = f"/matches/{match['id']}", {"": None, **match["tokens"]}
        with self.site.reading() as session:
            row = store.get_match(session, match["id"])
            game, archived = store.game_by_slug(row.game), row.archived_at is not None
            whole = encode(full_fold(game, store.load_entries(session, row.id, game)))
        said = {name: self.say(where, token) for name, token in viewers.items()}
        sheet = self.api("GET", where)
        known = {"status": sheet["status"], "archived": archived, "version": sheet["version"]}
        return {**match, **known, "full_fold": hashlib.sha256(whole).hexdigest(), "said": said}

    def say(self, where: str, token: str | None) -> dict[str, Any]:
        """Returns the digests of the log and of the state that this viewer gets."""
        got = {
            what: self.http.get(f"/api/v1{where}/{what}", base_url=HOST, headers=authorization_header(token))
            for what in SAID
        }
        return {what: hashlib.sha256(one.data).hexdigest() for what, one in got.items()}

    def offers(self, link: str) -> dict[str, Any]:
        """Returns what a link of a mail leads a stranger's browser to: the status, and the forms there."""
        page = self.app.test_client().get(link.removeprefix(HOST), base_url=HOST)
        return {"status": page.status_code, "forms": sorted(set(re.findall(r'<form[^>]* action="([^"]+)"', page.text)))}

    def links(self) -> dict[str, dict[str, Any]]:
        """Returns what the links of the kept mails offer: of each kind some, from the newest mails."""
        some: dict[str, dict[str, None]] = {}
        for kept in reversed(self.mails):
            for link in links_of(message_from_string(kept["raw"], _class=EmailMessage, policy=default)):
                of_kind = some.setdefault(KIND.sub("/…", link.removeprefix(HOST).partition("?")[0]), {})
                if len(of_kind) < OF_EACH:
                    of_kind[link] = None
        return {link: self.offers(link) for links in some.values() for link in links}


def authorization_header(token: str | None) -> dict[str, str]:
    """Returns the header that shows a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def body_of(mail: EmailMessage) -> str:
    """Returns the text half of a mail."""
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part is not None else ""


def without_pictures(mail: EmailMessage) -> str:
    """Returns the mail as it was sent, but for its pictures: they are large, and nothing is in them to press."""
    for part in mail.walk():
        if part.get_content_type() == "multipart/related":
            part.set_payload([one for one in part.iter_parts() if one.get_content_maintype() != "image"])
    return mail.as_bytes().decode("ascii")


def links_of(mail: EmailMessage) -> list[str]:
    """Returns the addresses that a mail names, in both of its halves and in its head, in their order."""
    halves = (mail.get_body((kind,)) for kind in ("plain", "html"))
    whole = "\n".join([*(str(one.get_content()) for one in halves if one), str(mail["List-Unsubscribe"])])
    return list(dict.fromkeys(unescape(one) for one in re.findall(rf"{HOST}/[^\s\"<>]+", whole)))


def main(url: str, folder: Path) -> None:
    """Plays on this database; writes `kept.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    it = Played(url, folder)
    games = sorted(one["slug"] for one in it.api("GET", "/games")["games"])
    at_once = {"clock": {"windows": "at_once"}}
    for game in games:
        it.end(game, 30, **at_once)
    it.clock.forward(days=8)
    archiving.archive_matches(it.site)
    it.mails = [one for one in it.mails if "\nMessage-ID: <over" in one["raw"]]
    for game in games:
        it.end(game, 8, **at_once)
    for game in games:
        it.leave_in_play(game, 5)
    it.invite(confirmed=True)
    it.invite(confirmed=False)
    token = it.make_token("Alice")
    hook = it.api("POST", "/me/webhooks", token, url=f"http://127.0.0.1:{PORT}/hook", kinds=["your_turn", "moved"])
    it.clock.at = it.clock.at.replace(hour=19, minute=0) + timedelta(days=it.clock.at.hour >= 19)
    timeouts.beat_and_sweep_deadlines_if_web_up(it.site)
    digests.queue_digests_and_reopen_mails(it.site)
    it.post()
    it.form("/links", address=PLAYERS["Alice"])
    it.post()
    kept = {
        "at": it.clock().isoformat(), "access_token": token, "webhook": hook, "mails": it.mails,
        "links": it.links(), "matches": [it.note(one) for one in it.matches],
    }  # fmt: skip
    (folder / "kept.json").write_text(json.dumps(kept, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
