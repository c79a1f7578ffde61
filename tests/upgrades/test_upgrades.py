"""Databases that earlier programs made upgrade, and everything in the mails of then still does what it did.

Their players have nothing but those mails. So the tests go where a player goes: links, the buttons behind them, answers
to mails, the API. `make.py` says how the databases are made.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from click.testing import CliRunner
from sqlalchemy import text

from pbem.cli import main
from pbem.features.webhooks import deliveries
from pbem.kit.codec import encode
from pbem.kit.replay import full_fold
from pbem.models.engine import VERSIONS, migrate
from pbem.models.schema.comparison import schema_differences
from pbem.services.log import rebuilding, store
from tests.features.webhooks.hook_receiver import run_receiver
from tests.harness.servers import PostgresServer, copy_sqlite
from tests.upgrades.keeping import (
    DATABASES,
    KEPT,
    NAMES,
    Kept,
    answers_by_mail,
    fields_of_play_form,
    links_with_answers,
    read_kept_file,
    restore_postgres,
)
from tests.upgrades.play import SAID, body_of

Upgraded = Callable[[str, str], str | Path]
OLDEST = "0019-b70c00fe"
EVERY_TIME = [(OLDEST, "sqlite"), (NAMES[-2], "postgresql")]
"""The oldest, and the latest that needs an upgrade; a test marked as a sample takes one of them each time."""
VARIANTS = [
    pytest.param(
        (name, database),
        id=f"{name}-{database}",
        marks=() if (name, database) in EVERY_TIME else pytest.mark.long,
    )
    for name in NAMES
    for database in DATABASES
]


@pytest.fixture(scope="session")
def upgrade_once(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Upgraded:
    """Returns a function that upgrades a kept database once; its result is to be copied, never opened."""

    @cache
    def upgrade(name: str, database: str) -> str | Path:
        if database == "postgresql":
            restored = restore_postgres(postgres, name)
            migrate(postgres.url(restored))
            postgres.freeze(restored)
            return restored
        file = tmp_path_factory.mktemp(name) / "pbem.db"
        file.write_bytes(read_kept_file(name, "sqlite.db"))
        migrate(f"sqlite:///{file}")
        return file

    return upgrade


@pytest.fixture(params=VARIANTS)
def own_database(
    request: pytest.FixtureRequest, upgrade_once: Upgraded, postgres: PostgresServer, tmp_path: Path
) -> Iterator[Kept]:
    """An upgraded database for this test alone."""
    name, database = request.param
    made, said = upgrade_once(name, database), msgspec.json.decode(read_kept_file(name, f"{database}.json"))
    if isinstance(made, Path):
        copy_sqlite(made, tmp_path / "pbem.db")
        url = f"sqlite:///{tmp_path / 'pbem.db'}"
    else:
        copied = postgres.create(made)
        url = postgres.url(copied)
    it = Kept(url, tmp_path / "data", said)
    it.data.mkdir()
    yield it
    it.site.engine.dispose()
    if not isinstance(made, Path):
        postgres.drop(copied)


def test_every_older_schema_has_stored_databases(tmp_path: Path) -> None:
    """A schema that has been on main has databases of players somewhere: `make.py` makes some of the newest."""
    schemas = {path.name.partition("_")[0] for path in VERSIONS.glob("[0-9]*_*.py")}
    assert {name.partition("-")[0] for name in NAMES} == schemas
    files = {f"{what}.xz" for what in ("sqlite.db", "sqlite.json", "postgresql.sql", "postgresql.json")}
    for name in NAMES:
        assert {path.name for path in (KEPT / name).iterdir()} == files, name
        (tmp_path / name).write_bytes(read_kept_file(name, "sqlite.db"))
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            (version,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        assert name.partition("-")[0] == version
        assert f"\n{version}\n" in read_kept_file(name, "postgresql.sql").decode(), "the dump is of this schema, too"


def test_an_upgraded_database_has_the_declared_tables(own_database: Kept) -> None:
    with own_database.site.engine.connect() as connection:
        assert schema_differences(connection) == []


def test_a_stored_database_has_a_running_ended_and_archived_match_per_game(own_database: Kept) -> None:
    games = {one["slug"] for one in own_database.api("GET", "/games").get_json()["games"]}
    for status, archived in (("running", False), ("over", False), ("over", True)):
        found = {
            one["game"]
            for one in own_database.said["matches"]
            if (one["status"], one["archived"]) == (status, archived)
        }
        assert found == games


@pytest.mark.sample(1)
def test_after_an_upgrade_every_match_replays_to_the_same_bytes(own_database: Kept) -> None:
    with own_database.site.reading() as session:
        if session.connection().dialect.name == "sqlite":
            assert session.execute(text("PRAGMA foreign_key_check")).all() == []
        assert list(rebuilding.matches_with_broken_chain(session)) == []
        assert list(rebuilding.differences_of_open_asks(session)) == []
        for match in own_database.said["matches"]:
            game = store.game_by_slug(store.get_match(session, match["id"]).game)
            entries = store.load_entries(session, match["id"], game)
            assert len(entries) == match["version"]
            assert _digest(_as_before(match["game"], encode(full_fold(game, entries)))) == match["full_fold"]
    for match in own_database.said["matches"]:
        for viewer, digests in match["said"].items():
            token = match["tokens"].get(viewer)
            for what in SAID:
                told = own_database.api("GET", f"/matches/{match['id']}/{what}", token)
                answer = told.data if what != "state" else _answer_as_before(match["game"], told.data)
                assert _digest(answer) == digests[what], (match["game"], match["status"], viewer, what)


ADDED = {"allegeance": ("ties",), "hagakure": ("exact", "among_leaders", "players"), "hexen-rennen": ("clans",)}
"""What states say since then of options which no match of then had; all else has its bytes of then."""


def _as_before(slug: str, state: bytes | msgspec.Raw) -> bytes:
    """Returns this state, in JSON, without what has been added since."""
    fields = msgspec.json.decode(state, type=dict[str, msgspec.Raw])
    for name in ADDED.get(slug, ()):
        del fields[name]
    return msgspec.json.encode(fields)


def _answer_as_before(slug: str, answer: bytes) -> bytes:
    fields = msgspec.json.decode(answer, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({**fields, "state": msgspec.Raw(_as_before(slug, fields["state"]))}) + b"\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.sample(1)
def test_after_an_upgrade_finished_matches_verify_against_their_mails(own_database: Kept, tmp_path: Path) -> None:
    for match in own_database.said["matches"]:
        if match["status"] != "over":
            continue
        (tmp_path / "log").write_bytes(own_database.api("GET", f"/matches/{match['id']}/log").data)
        mail = next(one for one in own_database.mails if one["X-PBEM-Head"] and match["id"] in body_of(one))
        given = ["--commitment", str(mail["X-PBEM-Commitment"]), "--mark", str(mail["X-PBEM-Head"])]
        verdict = CliRunner().invoke(main, ["verify", str(tmp_path / "log"), *given])
        assert verdict.exit_code == 0, verdict.output
        assert "the commitment and the head" in verdict.output


@pytest.mark.sample(1)
def test_every_link_of_an_old_mail_still_works_after_an_upgrade(own_database: Kept) -> None:
    for link, then in own_database.said["links"].items():
        page = own_database.get(link)
        assert page.status_code == then["status"], link
        for form in then["forms"]:
            stands = f'action="{form}' in page.text or own_database.stands_beside(link, form)
            assert stands or own_database.was_shown(form), (link, form)
    for match in own_database.said["matches"]:
        token = next(iter(match["tokens"].values()))
        assert own_database.get(f"/play/{token}").status_code == 200


def test_after_an_upgrade_running_matches_take_moves_from_old_mails(own_database: Kept) -> None:
    by_link = 0
    for match in own_database.in_play:
        token, question, mail = own_database.question(match)
        key = question["ask"]["key"]
        found = (fields_of_play_form(own_database.get(link).text) for link in links_with_answers(mail, token, key))
        chosen = next((one for one in found if one is not None), None)
        by_link += chosen is not None
        if chosen is None:  # a daily mail names no answers, and some are typed
            typed = own_database.post(f"/play/{token}", key=key, text=question["legal"][0]["text"])
            chosen = fields_of_play_form(
                typed.text if typed.status_code == 200 else own_database.get(typed.location).text
            )
        assert chosen is not None, match["game"]
        played = own_database.post(f"/play/{token}", **chosen)
        assert played.status_code in (200, 303)
        assert own_database.has_answered(match, token, key), match["game"]
    assert by_link >= 2


@pytest.mark.sample(1, 1)
def test_after_an_upgrade_an_old_seat_token_plays_through_the_api(own_database: Kept) -> None:
    for match in own_database.in_play:
        token, question, _ = own_database.question(match)
        answer = {"key": question["ask"]["key"], "text": question["legal"][0]["text"]}
        assert own_database.api("POST", f"/matches/{match['id']}/moves", token, **answer).status_code == 201


@pytest.mark.sample(1)
def test_a_reply_to_an_old_mail_is_played_after_an_upgrade(own_database: Kept) -> None:
    answered = 0
    for match in own_database.in_play:
        token, question, mail = own_database.question(match)
        key = question["ask"]["key"]
        words = [unquote(one) for one in answers_by_mail(mail)]
        if not words or not links_with_answers(mail, token, key):
            continue
        own_database.answer(mail, words[0])
        assert own_database.has_answered(match, token, key), (match["game"], words[0])
        answered += 1
    assert answered >= 2


def test_after_an_upgrade_a_reply_without_its_token_is_asked_back(own_database: Kept) -> None:
    _, _, mail = own_database.question(next(match for match in own_database.in_play if match["game"] != "hogen"))
    before = len(own_database.drain())
    own_database.answer(mail, "say hello", to="play@localhost")
    assert len(own_database.drain()) == before + 1


def test_after_an_upgrade_old_invitations_are_accepted_and_declined(own_database: Kept) -> None:
    for player, answer in (("Bob", "accept"), ("Carol", "decline")):
        token = own_database.token(player, "invitation")
        assert own_database.post(
            f"/invitation/{token}", answer=answer, language="en", zone="Europe/London"
        ).status_code in (
            200,
            303,
        )
        match_id = token.partition(".")[0]
        seats = own_database.api("GET", f"/matches/{match_id}", _seat_of(own_database, match_id)).get_json()["seats"]
        assert next(seat["status"] for seat in seats if seat["name"] == player) == f"{answer.removesuffix('e')}ed"


def _seat_of(kept: Kept, match_id: str) -> str | None:
    return next((one for one in kept.said["links"] if f"/play/{match_id}" in one), "").rpartition("/")[2] or None


def test_an_old_unconfirmed_match_can_be_confirmed_after_an_upgrade(own_database: Kept) -> None:
    tokens = (link.rpartition("/")[2] for link in own_database.said["links"] if "/confirm/" in link)
    for token in tokens:
        where = f"/matches/{token.partition('.')[0]}"
        if own_database.api("GET", where).get_json()["status"] == "unconfirmed":
            assert own_database.post(
                f"/confirm/{token}", answer="accept", language="en", zone="Europe/London"
            ).status_code in (
                200,
                303,
            )
            assert own_database.api("GET", where).get_json()["status"] == "inviting"
            return
    raise AssertionError("a mail asks to confirm a match")


def test_the_link_of_an_account_signs_in_for_half_an_hour(own_database: Kept) -> None:
    token = own_database.token("Alice", "account")
    own_database.at += timedelta(minutes=29)
    assert own_database.post(f"/account/{token}").status_code == 303
    assert "alice@example.org" in own_database.get("/me/address").text
    assert "My program" in own_database.get("/me/tokens").text
    own_database.at += timedelta(minutes=2)
    assert own_database.post(f"/account/{token}").status_code == 401


def test_an_old_personal_access_token_works_after_an_upgrade(own_database: Kept) -> None:
    token = own_database.said["access_token"]
    listed = own_database.api("GET", "/me/matches", token)
    assert {one["id"] for one in own_database.in_play} <= {one["id"] for one in listed.get_json()["matches"]}


def test_after_an_upgrade_each_way_to_unsubscribe_in_an_old_mail_works(own_database: Kept) -> None:
    match = next(one for one in own_database.in_play if one["game"] != "hogen")
    _, _, mail = own_database.question(match)
    click, _, by_mail = str(mail["List-Unsubscribe"]).partition(",")
    for muted in (True, False):
        if muted:
            assert own_database.post(click.strip(" <>"), **{"List-Unsubscribe": "One-Click"}).status_code == 200
        shown = own_database.get(click.strip(" <>")).text
        assert ('value="0"' in shown) == muted, "the button takes it back, or does it"
        own_database.post(click.strip(" <>"), muted="0")
    own_database.answer(mail, "unsubscribe", to=by_mail.strip(" <>").removeprefix("mailto:"))
    assert 'value="0"' in own_database.get(click.strip(" <>")).text
    for player, kind in (("Carol", "digest"), ("Bob", "never")):
        stop = f"/{kind}/{own_database.token(player, kind)}"
        before = own_database.get(stop).text
        assert own_database.post(stop, **{"List-Unsubscribe": "One-Click"}).status_code == 200
        assert own_database.get(stop).text != before, "it says that it is done"


@pytest.mark.sample(1, 1)
def test_an_old_webhook_is_called_after_an_upgrade(own_database: Kept) -> None:
    hook = own_database.said["webhook"]
    with run_receiver() as program:
        with own_database.site.writing() as session:
            session.execute(text("UPDATE webhooks SET url = :url"), {"url": program.url()})
        match = next(one for one in own_database.in_play if "Alice" in one["tokens"])
        token, question, _ = own_database.question(match)
        answer = {"key": question["ask"]["key"], "text": question["legal"][0]["text"]}
        assert own_database.api("POST", f"/matches/{match['id']}/moves", token, **answer).status_code == 201
        assert (
            own_database.api("POST", f"/me/webhooks/{hook['id']}/ping", own_database.said["access_token"]).status_code
            < 300
        )
        assert deliveries.deliver_due_calls(own_database.site) >= 1
        assert program.got, "it was called"
