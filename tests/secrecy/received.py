"""All that a viewer receives, in two worlds that are alike to them."""

from __future__ import annotations

import importlib
import itertools
import re
import secrets
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlencode

import msgspec
import pytest
import time_machine
from click.testing import CliRunner
from flask.testing import FlaskClient
from sqlalchemy import Connection, text
from sqlmodel import col, select

from pbem.cli import main
from pbem.features.pictures import drawing
from pbem.games import all_games
from pbem.kit.chance import SeedChance
from pbem.kit.choices import draw_random_move, kinds_of
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Event, Viewer
from pbem.kit.folds import Part, fold_for_all, no_folds, pack_folds
from pbem.kit.plans import empty_line, go_on
from pbem.kit.replay import AnyEntry, entries_not_taken_back, fold_for_viewer, redact_entries
from pbem.kit.secrecy import agrees, redact
from pbem.models.accounts import PersonalToken
from pbem.models.tables import AskRow, Player
from pbem.services.access import access_tokens
from pbem.services.log import folds, outbox, store
from pbem.services.log.store import Table
from pbem.services.site import Cache
from pbem.services.views import menus, replays
from tests.api.surface import of_features
from tests.harness.applications import lend_application
from tests.harness.forms import same_each_time
from tests.harness.undrawn import frames_flat
from tests.table import FOUR, House, Outgoing, address_of, open_house, submit_answer

Received = dict[str, Any]
LENGTHS = (0, 2, 6, 14)
ONE_OF_EACH = {"allegeance": 14, "hagakure": 14}
"""The games that hide most beside Hogen, and how long their match is: a viewer has a blind move to play."""
EACH_KIND = 2


def seats_at(game: AnyGame, at: int) -> int:
    """Returns the two largest numbers of seats that the cast can fill, in turn."""
    return sorted(seats for seats in game.meta.seats if seats <= len(FOUR))[-2:][at % 2]


def tables_to_compare(left: Collection[int] = LENGTHS) -> list[Any]:
    """A table of each game at each length, compared for everybody; of two games one, for one of each kind.

    The service treats all who wait for the others alike, and all who are asked. Of tables of the lengths `left`, those
    compared for everybody are marked long.
    """
    cells = []
    for slug, game in sorted(all_games().items()):
        for at, length in enumerate(LENGTHS):
            cell = f"{slug}-{seats_at(game, at)}-{length}"
            cells.append(
                pytest.param(game, at, True, id=f"{cell}-everybody", marks=[pytest.mark.long] * (length in left))
            )
            if ONE_OF_EACH.get(slug) == length:
                cells.append(pytest.param(game, at, False, id=f"{cell}-one-of-each-kind"))
    return cells


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """Keeps folds every few entries, and nothing in a process; returns the parts of logs that were made from them."""
    made, part_of = list[Part](), Table.part_of

    def note(*asked: Any, **fades: Any) -> Part | None:
        part = part_of(*asked, **fades)
        made.extend([part] if part is not None else [])
        return part

    monkeypatch.setattr(folds, "EVERY", 12)
    monkeypatch.setattr(Cache, "find", lambda *_: None)
    monkeypatch.setattr(Table, "part_of", note)
    return made


def options_of(game: AnyGame, n: int) -> dict[str, Any]:
    """Returns the default options and the game's samples in turn, in the form of a match request."""
    varied = (game.meta.options(), *game.meta.samples)
    return cast(dict[str, Any], msgspec.to_builtins(varied[n % len(varied)]))


def a_match_with_other_worlds(
    house: House, game: AnyGame, at: int, everybody: bool
) -> tuple[str, list[tuple[Viewer, list[AnyEntry]]]]:
    """Returns a match after this many random moves, and another world for each viewer, or for one of each kind.

    Late in a match the history may leave only one possible world; then another match is tried.
    """
    seats, options = seats_at(game, at), options_of(game, at)
    for luck in range(20):
        match_id = house.begin(seats, game.meta.slug, options=options)
        play_randomly(house, match_id, LENGTHS[at], luck)
        entries = full_log(house, match_id)
        found = ((viewer, worlds_of(game.meta.slug).worlds(entries, viewer, 1)) for viewer in (None, *range(seats)))
        pairs = [(viewer, other) for viewer, others in found for other in others]
        if pairs:
            return match_id, pairs if everybody else one_of_each_kind(house, match_id, pairs)
        if redact_entries(entries, None) == entries:
            pytest.skip("nothing is hidden yet")
        house.drain()
    raise AssertionError(f"after {LENGTHS[at]} moves nobody is in doubt about anything")


def one_of_each_kind(
    house: House, match_id: str, pairs: list[tuple[Viewer, list[AnyEntry]]]
) -> list[tuple[Viewer, list[AnyEntry]]]:
    """Returns the spectator, the first seat that is asked and the first that is not."""
    asked = {ask.seat for ask in house.asks(match_id)}
    return list({(pair[0] is None, pair[0] in asked): pair for pair in reversed(pairs)}.values())


def worlds_of(slug: str) -> Any:
    """Returns the game's module of worlds: `worlds(entries, viewer, limit)`, `BLIND_MOVES` and `TRIES`."""
    return importlib.import_module(f"tests.games.{slug.replace('-', '_')}.worlds")


def play_randomly(house: House, match_id: str, length: int, number: int) -> None:
    """Plays this many random moves, or until the match is over."""
    for at in range(length):
        asks = house.asks(match_id)
        if not asks:
            return
        luck = SeedChance(bytes(30) + bytes([number, length]), at, "bot")
        ask = luck.pick(asks)
        view = house.view(match_id, ask.seat)
        weights = {**view.game.meta.weights, **getattr(worlds_of(view.game.meta.slug), "WEIGHTS", {})}
        submit_answer(house.site, match_id, ask.seat, ask.key, draw_random_move(view.legal(), weights, luck), "api")


def full_log(house: House, match_id: str) -> list[AnyEntry]:
    """The log with nothing hidden."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        return store.load_entries(session, match_id, store.game_by_slug(match.game))


def copy_with(house: House, match_id: str, entries: Sequence[AnyEntry], folder: Path) -> House:
    """Yields a copy of the house in which the match has this log."""
    folder.mkdir(exist_ok=True)
    path = folder / "pbem.db"
    with house.site.engine.connect() as connection:
        path.unlink(missing_ok=True)
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql(f"VACUUM INTO '{path}'")
        connection.exec_driver_sql("BEGIN")
    other = next(open_house(f"sqlite:///{path}", folder))
    other.clock.at = house.clock.at
    with other.site.engine.begin() as connection:
        for entry in entries:
            connection.execute(
                text("UPDATE entries SET event = :event WHERE match_id = :match AND n = :n"),
                {"event": encode(entry.event).decode(), "match": match_id, "n": entry.n},
            )
        for key, seat, answer in answers_there(other, match_id, entries):
            connection.execute(
                text("UPDATE asks SET answer = :answer WHERE match_id = :match AND key = :key AND seat = :seat"),
                {"answer": answer, "match": match_id, "key": key, "seat": seat},
            )
        _keep_folds(other, connection, match_id, entries)
    return other


def _keep_folds(house: House, connection: Connection, match_id: str, entries: Sequence[AnyEntry]) -> None:
    """Puts the folds of these entries in place of those that are kept."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game, seats = store.game_by_slug(match.game), len(store.seats_of(session, match_id))
    these = {"match": match_id}
    for (n,) in connection.execute(text("SELECT n FROM folds WHERE match_id = :match"), these).all():
        packed = pack_folds(game, fold_for_all(game, no_folds(seats), entries_not_taken_back(entries[:n])))
        body = text("UPDATE folds SET body = :body WHERE match_id = :match AND n = :n")
        connection.execute(body, {"body": packed, "n": n, **these})


def answers_of(house: House, match_id: str) -> dict[tuple[str, int], str]:
    """The stored answers, by key and seat."""
    with house.site.reading() as session:
        answered = select(AskRow).where(AskRow.match_id == match_id, col(AskRow.answer).is_not(None))
        return {(ask.key, ask.seat): ask.answer or "" for ask in session.exec(answered)}


def answers_there(house: House, match_id: str, entries: Sequence[AnyEntry]) -> Iterator[tuple[str, int, str]]:
    """Returns the answers that led to these entries: the true one if possible, else the move that foresees them."""
    with house.site.reading() as session:
        game = store.game_by_slug(store.get_match(session, match_id).game)
    true = answers_of(house, match_id)
    at = 0
    while at < len(entries):
        key, seat = entries[at].key, entries[at].seat_answered_for
        group = [entry.event for entry in entries[at:] if (entry.key, entry.by) == (key, entries[at].by)]
        if key is not None and seat is not None:
            own = fold_for_viewer(game, entries[:at], seat)
            said = codec_for(game).move(true[key, seat])
            legal = game.legal(own, seat)
            moves = itertools.chain([said] if said in legal else [], legal)
            move = next(move for move in moves if _leads_to(game.preview(own, seat, move), group, seat))
            yield key, seat, encode(move).decode()
        at += len(group)


def _leads_to(foreseen: Sequence[Event], events: Sequence[Event], seat: int) -> bool:
    """True if these events begin with the foreseen ones, as far as the seat may see."""
    return all(
        agrees(redact(event, seat), redact(expected, seat)) for event, expected in zip(events, foreseen, strict=False)
    )


def reopen_mail(house: House, viewer: Viewer) -> None:
    """Makes the viewer's newest turn or end mail due again, and nothing else."""
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = created_at, result = 'sent'"))
        newest = "SELECT max(id) FROM outbox WHERE seat = :seat AND kind IN ('turn', 'over')"
        again = f"UPDATE outbox SET done_at = NULL, result = NULL, claimed_until = NULL WHERE id = ({newest})"
        connection.execute(text(again), {"seat": -1 if viewer is None else viewer})


def client_of(house: House) -> FlaskClient:
    """Returns a client of the house without cookies; its application is made once."""
    if house.app is None:
        house.app = lend_application(house.site)
    return house.app.test_client(use_cookies=False)


def what_is_received(house: House, match_id: str, viewer: Viewer, all_refusals: bool = False) -> Received:
    """Returns everything that the viewer can get without changing the match."""
    client = client_of(house)
    out: Received = {}
    for path in [*api_paths(match_id), *page_paths(house, match_id, viewer)]:
        out[path] = comparable_answer(
            client, path, authorization_header(house, match_id, viewer) if "/api/" in path else {}
        )
    if viewer is not None:
        token = personal_bearer(house, viewer)
        for path in api_paths(match_id):
            assert comparable_answer(client, path, token) == out[path], (
                f"a personal token is told something else: {path}"
            )
    page = page_paths(house, match_id, viewer)[0]
    out["again"] = comparable_answer(client, page, {"If-None-Match": client.get(page).headers["ETag"]})
    assert out["again"][0] == 304
    for name, body in bodies_refused(house, match_id, viewer, all_refusals):
        response = client.post(
            f"/api/v1/matches/{match_id}/moves", json=body, headers=authorization_header(house, match_id, viewer)
        )
        out[name] = (response.status_code, response.data)
        assert response.status_code >= 400, name
    out["mail"] = mail_to(house, viewer)
    for kind in ("gif", "png"):
        out[f"{kind} of the replay"] = picture_drawn_now(house, match_id, viewer, kind)
    for kind in ("started", "reminder", "digest"):
        out[f"{kind} mail"] = mail_made_now(house, match_id, viewer, kind)
    out["my matches"] = my_matches(house, viewer)
    out["pbem match show"] = output_for_the_host(house, match_id)
    return out


def picture_drawn_now(house: House, match_id: str, viewer: Viewer, kind: str) -> tuple[str, bytes]:
    """Returns a picture of the replay's last steps: the page that leads to it, and its bytes.

    Its frames have one colour each, which depends on all that would be drawn.
    """
    client = client_of(house)
    replay = f"/replay/{match_id}" if viewer is None else f"/play/{house.token('play', match_id, viewer)}/replay"
    last = len(replays.read_replay(house.site, match_id, viewer, "en").steps)
    form = {"kind": kind, "pace": "fast", "theme": "light", "step": last, "first": max(1, last - 3), "last": last}
    path = client.post(f"{replay}/pictures", data=form).headers["Location"]
    with frames_flat():
        while drawing.draw_frames_of_next_picture(house.site):
            pass
    page, file = client.get(path), client.get(f"{path}/file")
    assert (page.status_code, file.status_code) == (200, 200)
    with house.site.engine.begin() as connection:
        connection.execute(text("DELETE FROM replay_pictures"))  # a copy counts its ids from 1 again
    return page.text.replace(path, ""), file.data


def my_matches(house: House, viewer: Viewer) -> tuple[int, bytes] | None:
    """Returns the player's own page, opened by the link in a mail; the secret of its forms is new each time."""
    if viewer is None:
        return None
    client_of(house)
    assert house.app is not None
    client = house.app.test_client()
    with house.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(FOUR[viewer]))).one()
        assert player.id is not None
        link = house.site.tokens.for_account(player.id, player.epoch, house.site.now())
    assert client.post(f"/account/{link}").status_code == 303
    page = client.get("/")
    assert page.status_code == 200
    return page.status_code, same_each_time(page.data)


def output_for_the_host(house: House, match_id: str) -> str:
    """Returns the output of `pbem match show`: the host sees no more than a spectator."""
    config = house.site.config
    environment = {"PBEM_MODE": "embedded", "PBEM_SECRET": config.secret, "PBEM_DATA": str(config.data)}
    environment["DATABASE_URL"] = config.database_url
    with time_machine.travel(house.clock.at, tick=False):
        result = CliRunner().invoke(main, ["match", "show", match_id, "--last", "500"], env=environment)
    assert result.exit_code == 0, result.output
    assert match_id in result.stdout
    return result.stdout


def api_paths(match_id: str) -> list[str]:
    """Returns the answer of every API address that shows something of a match."""
    match = f"/api/v1/matches/{match_id}"
    parts = ("state", "events", "events?after=2", "ask", "ask?limit=500", "story", "story?lang=en", "log")
    promised = [path for one in of_features().values() for path, methods in one.STABLE.items() if "get" in methods]
    theirs = [path.format(match_id=match_id) for path in promised if path.startswith("/api/v1/matches/{match_id}/")]
    return [match, *(f"{match}/{part}" for part in parts), *theirs]


def page_paths(house: House, match_id: str, viewer: Viewer) -> list[str]:
    """Returns every page that shows something of a match, with every first choice made."""
    if viewer is None:
        pictures = [f"/match/{match_id}/picture.png", f"/replay/{match_id}/picture.png?step=2"]
        return [f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json", *pictures]
    play = f"/play/{house.token('play', match_id, viewer)}"
    view = house.view(match_id, viewer)
    key = view.ask.key if view.ask else ""
    paths = [play, f"{play}?lang=en", f"{play}/replay", f"{play}/replay/frames.json", f"{play}?ask=t0.old"]
    paths += [f"{play}/talk", f"{play}/away", f"{play}?news=message"]
    if view.ask is not None:
        legal, named = view.legal(), view.game.candidates(view.ask.ask, view.fold, "en")
        refused = [view.game.format(one.move) for one in named if one.move not in legal]
        paths += [f"{play}?lang=en&ask={key}&no={quote(text)}" for text in refused]
    for lang in ("fr", "en"):
        for option in menus.menu_after_picks(view, lang, ()).options[:6]:
            paths.append(f"{play}?lang={lang}&ask={key}&pick={','.join(option.picks)}")
    return [*paths, *plan_paths(house, match_id, viewer, play), *(f"{play}/replay?step={n}" for n in (1, 3, 6))]


def plan_paths(house: House, match_id: str, viewer: int, play: str) -> Iterator[str]:
    """Yields the planning board after each ply of a line that goes on with the last thing that could come."""
    yield f"{play}/plan"
    view, query = house.view(match_id, viewer), ""
    if view.sheet.status != "running":
        return
    line, version = empty_line(view.game, view.fold, viewer), view.sheet.version
    while len(line.plies) < 4 and line.coming.kind in ("own", "other", "fact"):
        facts, moves = line.coming.facts, line.coming.moves
        said = f"~{len(facts) - 1}" if facts else view.game.format(moves[len(moves) - 1])
        line, query = go_on(view.game, line, said), f"{query}&{urlencode({'step': said})}"
        yield f"{play}/plan?at={version}{query}"


def bodies_refused(
    house: House, match_id: str, viewer: Viewer, all_of_them: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Returns the answers to moves that the viewer may not make: none of them may reveal anything to them.

    In the short run some of each kind: tests/games/test_secrecy.py compares the rules' answers to all of them.
    """
    view = house.view(match_id, viewer)
    key = view.ask.key if view.ask else "t0.none"
    tries = worlds_of(view.game.meta.slug).TRIES
    for kind in kinds_of([move for move in tries if move not in view.legal()]).values():
        for move in kind if all_of_them else kind[:EACH_KIND]:
            yield f"illegal {move}", {"key": key, "text": view.game.format(move)}
    for move in tries[::12]:
        yield f"stale {move}", {"key": "t0.none", "text": view.game.format(move)}


def authorization_header(house: House, match_id: str, viewer: Viewer) -> dict[str, str]:
    """Returns the header that names the caller."""
    return {} if viewer is None else {"Authorization": f"Bearer {house.token('play', match_id, viewer)}"}


def personal_bearer(house: House, viewer: int) -> dict[str, str]:
    """Returns the header of a program with a personal token of the viewer's."""
    token = access_tokens.PREFIX + secrets.token_urlsafe(access_tokens.BYTES)
    with house.site.writing() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(FOUR[viewer]))).one()
        assert player.id is not None
        digest = access_tokens.token_digest(token)
        made: dict[str, Any] = {"player_id": player.id, "name": digest[:8], "hint": token[-4:], "scopes": "read"}
        session.add(PersonalToken(**made, digest=digest, created_at=house.site.now()))
    return {"Authorization": f"Bearer {token}"}


def comparable_answer(
    client: FlaskClient, path: str, headers: dict[str, str]
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Returns status, headers and body without what is new each time and reveals nothing: the request id, the server's
    date, and what tells one press of a form's button from another."""
    response = client.get(path, headers=headers)
    assert response.status_code < 500, path
    headers_kept = [h for h in response.headers if h[0] not in ("X-Request-ID", "Date")]
    kept = [(name, re.sub(r"Expires=[^;]+;", "", value)) for name, value in headers_kept]
    return response.status_code, kept, same_each_time(response.data)


def mail_to(house: House, viewer: Viewer) -> list[bytes]:
    """Returns the mails that the viewer gets now, with their pictures."""
    post = Outgoing()
    house.mail = post
    house.drain()
    if viewer is None:
        assert not post.all_sent
        return []
    return [bytes(message) for message in post.to(address_of(FOUR[viewer]))]


def mail_made_now(house: House, match_id: str, viewer: Viewer, kind: str) -> list[bytes]:
    """Returns the mail of this kind that the viewer would get if it were due now; none if it has no content."""
    if viewer is None:
        return []
    view, seat, now = house.view(match_id, viewer), viewer, house.clock.at
    key = view.ask.origin if view.ask else "t0.none"
    dedupe = f"{kind}:{view.sheet.version}:{viewer}"
    with house.site.writing() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(FOUR[seat]))).one()
        if kind == "digest":
            player.digest_hour = 3
            session.execute(  # as if the end of the match had been left to it
                text("UPDATE outbox SET result = 'digest' WHERE kind = 'over' AND match_id = :match AND seat = :seat"),
                {"match": match_id, "seat": seat},
            )
            outbox.enqueue(session, dedupe, kind, now, player_id=player.id, key="2026-03-12")
        else:
            outbox.enqueue(session, dedupe, kind, now, match_id=match_id, seat=seat, key=key)
    sent = mail_to(house, viewer)
    asked, running = view.ask is not None and view.ask.sealed is None, view.sheet.status == "running"
    due = {"started": running and not view.ask, "reminder": running and asked, "digest": asked or view.sheet.over}
    assert bool(sent) is due[kind], kind
    with house.site.writing() as session:
        session.exec(select(Player).where(Player.canonical == address_of(FOUR[seat]))).one().digest_hour = None
    return sent


def compare_received(here: Received, there: Received) -> None:
    """Fails, with the place, if the two worlds differ."""
    assert here.keys() == there.keys(), "two worlds differ in what there is to see"
    for place in here:
        assert here[place] == there[place], f"two worlds differ in {place}"
