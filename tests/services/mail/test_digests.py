"""One mail a day: at the player's local hour, instead of turn mails, and never so that they miss a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import NoReturn
from zoneinfo import ZoneInfo

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from pbem.errors import Busy, GameUnavailable, Invalid, Unauthorized
from pbem.kit.assemble import AssembledGame
from pbem.mail import compose
from pbem.mail.send import RelayDown
from pbem.models.tables import Player
from pbem.services.log import store
from pbem.services.mail import digests
from pbem.services.mail.kinds import digest as digest_letter
from pbem.services.mail.kinds.turn import Answer, answers_for_mail
from pbem.services.mail.letter_context import LetterContext
from pbem.services.play import presence
from pbem.services.players import digest_day
from pbem.services.tokens import NeverClaim, StopClaim
from tests.harness.cases import cases
from tests.harness.sent import statements_to
from tests.mail import samples
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, player_of, text_of
from tests.services.mail.stage.digests import advance_clock_to, queue_and_send
from tests.table import House, claim_of

LONG = 60 * 86_400


@pytest.mark.long
def test_a_digest_replaces_turn_mails_and_comes_once_each_day(house: House) -> None:
    first = house.begin()
    house.begin(2, "niigata")
    once_a_day(house, "Alice", 18)
    queue_and_send(house)
    assert "turn" not in kinds_of_mails(house, "Alice")
    assert "turn" in kinds_of_mails(house, "Bob")
    advance_clock_to(house, 12, 16, 59)
    assert "digest" not in kinds_of_mails(house, "Alice")
    advance_clock_to(house, 12, 17, 0)
    assert kinds_of_mails(house, "Alice")[-1] == "digest"
    said = text_of(newest_mail(house, "Alice"))
    assert "\nHogen · Bob, Carol\n" in said
    assert "/play/" + house.token("play", first, 0) in said
    assert "Until Sunday 15 March, 18:00 (Paris time): 3\u00a0d left." in said
    advance_clock_to(house, 13, 16, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 1
    advance_clock_to(house, 13, 17, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 2, "he is still asked the next day"


def test_beside_a_few_boards_a_digest_has_some_links_and_counts_the_rest(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_letter, "MOST_TURNS", 1)
    monkeypatch.setattr(digest_letter, "MOST_FURTHER", 2)
    matches = [house.begin(2, "niigata") for _ in range(10)]
    asked = [match_id for match_id in matches if house.asks(match_id)[0].seat == 0]
    once_a_day(house, "Alice", 18)
    advance_clock_to(house, 12, 17, 0)
    said = text_of(newest_mail(house, "Alice"))
    assert [house.token("play", match_id, 0) in said for match_id in asked] == [True] * 3 + [False] * (len(asked) - 3)
    assert f"{len(asked) - 3} more match" in said


def test_each_match_of_a_digest_has_its_answers_as_far_as_there_is_room(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = [house.begin(turn_s=LONG - (3 - n) * 3600) for n in range(3)]
    offered = [len(answers_of(house, match_id, 1)) for match_id in begun]
    once_a_day(house, "Bob", 18, "UTC")
    links = [f"/play/{house.token('play', match_id, 1)}" for match_id in begun]
    for day, room, shown in ((12, compose.HTML_LIMIT, 3), (13, 20_000, 2)):
        monkeypatch.setattr(compose, "HTML_LIMIT", room)
        advance_clock_to(house, day, 18, 0)
        said = text_of(newest_mail(house, "Bob"))
        assert [said.count(f"{link}?ask=") for link in links] == offered[:shown] + [0] * (3 - shown)
        assert all(f"{link}\n" in said for link in links)
        assert "3 matches wait for you" in said


def test_a_digest_counts_as_told_only_the_order_news_it_had_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = samples.digest("en")
    turns = tuple(replace(letter.turns[0], match=match) for match in ("m0", "m5"))
    for room, told in ((compose.HTML_LIMIT, turns), (14_000, turns[:1])):
        monkeypatch.setattr(compose, "HTML_LIMIT", room)
        mail = compose.compose_mail(replace(letter, turns=turns, ended=()), samples.SECRET)
        assert [match for match, _, _ in mail.orders_told] == [turn.match for turn in told]


@contextmanager
def break_function(part: str, error: Exception) -> Iterator[None]:
    """Every call of this function of Hogen raises this meanwhile; other games are whole."""
    whole = getattr(AssembledGame, part)

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    def found(game: AssembledGame) -> object:
        return fail if game.meta.slug == "hogen" else whole.__get__(game)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AssembledGame, part, property(found))
        yield


@pytest.mark.long
@pytest.mark.parametrize("part", ["pad", "path", "describe"])
def test_a_game_that_fails_holds_up_no_other_match_of_a_digest(house: House, part: str) -> None:
    broken, whole = a_digest_of_two_games(house)
    with break_function(part, KeyError("carol@example.org")), capture_logs() as lines:
        advance_clock_to(house, 12, 18, 0)
    said = text_of(newest_mail(house, "Carol"))
    assert kinds_of_mails(house, "Carol")[-1] == "digest"
    assert f"/play/{house.token('play', whole, 2)}?ask=" in said
    assert f"/play/{house.token('play', broken, 2)}?ask=" not in said
    assert f"/play/{house.token('play', broken, 2)}\n" in said
    assert "2 matches wait for you" in said
    logged = [line for line in lines if line["event"] == "mail.match_untold"]
    assert [(line["match"], line["fault"].partition(" ")[0]) for line in logged] == [(broken, "KeyError")]
    assert "carol" not in str(logged).lower()


def test_no_digest_is_sent_while_the_database_is_away(house: House) -> None:
    a_digest_of_two_games(house)
    away = OperationalError("SELECT 1", {}, Exception("gone"))
    with break_function("path", away), capture_logs() as lines, suppress(OperationalError):
        advance_clock_to(house, 12, 18, 0)
    assert [line for line in lines if line["event"] == "mail.match_untold"] == []
    assert "digest" not in kinds_of_mails(house, "Carol")


def test_a_digest_links_its_only_match_though_the_game_fails(house: House) -> None:
    match_id = house.begin(turn_s=LONG)
    once_a_day(house, "Carol", 18, "UTC")
    with break_function("pad", KeyError("x")):
        advance_clock_to(house, 12, 18, 0)
    assert f"/play/{house.token('play', match_id, 2)}\n" in text_of(newest_mail(house, "Carol"))


def test_a_digest_counts_an_ended_match_whose_game_cannot_be_rendered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, _ = house.begin(turn_s=LONG), house.begin(3, "hagakure", turn_s=LONG)
    once_a_day(house, "Carol", 18, "UTC")
    house.play_out(ended)
    house.drain()
    monkeypatch.setattr(LetterContext, "ending_fields", lambda *_: next(iter(())))
    advance_clock_to(house, 12, 18, 0)
    assert kinds_of_mails(house, "Carol")[-1] == "digest"
    assert "… and 1 more: see " in text_of(newest_mail(house, "Carol"))


@pytest.mark.parametrize("error", [Busy("busy"), GameUnavailable("gone"), SoftTimeLimitExceeded()])
def test_an_error_that_is_not_a_games_delays_the_digest(house: House, error: Exception) -> None:
    a_digest_of_two_games(house)
    with break_function("pad", error), suppress(Busy, SoftTimeLimitExceeded):
        advance_clock_to(house, 12, 18, 0)
    assert "digest" not in kinds_of_mails(house, "Carol")


def a_digest_of_two_games(house: House) -> tuple[str, str]:
    """Carol gets a digest, about a match of Hogen and one of Hagakure."""
    begun = house.begin(turn_s=LONG - 3600), house.begin(3, "hagakure", turn_s=LONG)
    once_a_day(house, "Carol", 18, "UTC")
    house.drain()  # the others have their mails
    return begun


def answers_of(house: House, match_id: str, seat: int) -> tuple[Answer, ...]:
    """The answers that a mail offers to the seat."""
    return answers_for_mail(house.view(match_id, seat), "en", "").links


@pytest.mark.long
def test_no_digest_is_sent_on_a_day_without_news(house: House) -> None:
    match_id = house.begin(turn_s=LONG)
    house.drain()
    once_a_day(house, "Alice", 18)
    house.play(match_id, 0)
    advance_clock_to(house, 14, 18, 0)
    assert "digest" not in kinds_of_mails(house, "Alice")


@pytest.mark.long
def test_a_question_whose_time_is_up_before_the_digest_is_mailed_at_once(house: House) -> None:
    house.begin(turn_s=4 * 3600, window_s=3600)
    once_a_day(house, "Alice", 18)
    once_a_day(house, "Bob", 16)
    queue_and_send(house)
    assert kinds_of_mails(house, "Alice")[-1] == "turn", "13:04 + 4 h is before 18:00"
    assert "turn" not in kinds_of_mails(house, "Bob"), "and after 16:00"


@pytest.mark.long
@pytest.mark.parametrize(
    ("zone", "start"),
    [
        pytest.param("Europe/Paris", datetime(2026, 3, 27, tzinfo=UTC), marks=pytest.mark.on_postgresql),
        ("Europe/Paris", datetime(2026, 10, 23, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 10, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 3, tzinfo=UTC)),
        ("Pacific/Kiritimati", datetime(2026, 3, 27, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("hour", [2, *(pytest.param(hour, marks=pytest.mark.long) for hour in (0, 23))])
def test_a_day_has_exactly_one_digest_also_when_the_clocks_change(
    house: House, zone: str, start: datetime, hour: int
) -> None:
    house.clock.at = start
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", hour, zone)
    for _ in range(4 * 24 * 2 - 1):
        house.clock.forward(minutes=30)
        digests.queue_digests_and_reopen_mails(house.site)
    with house.site.engine.connect() as connection:
        query = "SELECT key, created_at FROM outbox WHERE kind = 'digest' AND done_at IS NULL"
        rows = [(key, moment_of(at)) for key, at in connection.execute(text(query))]
    days = [at.astimezone(ZoneInfo(zone)).date() for _, at in rows]
    assert [key for key, _ in rows] == [day.isoformat() for day in days]
    assert len(days) in (3, 4)
    assert days == [days[0] + timedelta(days=n) for n in range(len(days))]


def moment_of(stored: datetime | str) -> datetime:
    """Returns the value of a plain query as an aware moment."""
    found = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def test_an_hour_skipped_by_summer_time_means_the_moment_of_the_change(house: House) -> None:
    house.begin()
    once_a_day(house, "Alice", 2)
    alice = player_of(house, "Alice")
    assert digest_day.digest_due_at(alice, date(2026, 3, 29)) == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
    assert digest_day.digest_due_at(alice, date(2026, 10, 25)) == datetime(2026, 10, 25, 0, 0, tzinfo=UTC)


@pytest.mark.long
def test_a_service_that_slept_for_days_sends_one_digest(house: House) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 8)
    house.drain()
    house.clock.forward(days=4)  # it is 13:04 in Paris
    for _ in range(3):
        queue_and_send(house)
    assert kinds_of_mails(house, "Alice").count("digest") == 1


@pytest.mark.long
def test_turn_mails_replace_a_digest_that_is_half_a_day_late(house: House) -> None:
    house.begin(turn_s=86_400)
    once_a_day(house, "Alice", 14)
    house.drain()
    house.clock.forward(hours=14)  # 03:04, past 14:00 by 13 hours; the time is up at 13:04
    queue_and_send(house)
    assert "digest" not in kinds_of_mails(house, "Alice")
    assert kinds_of_mails(house, "Alice")[-1] == "turn"
    queue_and_send(house)
    assert kinds_of_mails(house, "Alice").count("turn") == 1


@pytest.mark.on_postgresql
def test_choosing_a_later_digest_hour_mails_turns_it_would_tell_too_late(house: House) -> None:
    house.begin(turn_s=8 * 3600)
    once_a_day(house, "Alice", 18)
    queue_and_send(house)
    assert "turn" not in kinds_of_mails(house, "Alice")
    once_a_day(house, "Alice", 22)
    queue_and_send(house)
    assert kinds_of_mails(house, "Alice")[-1] == "turn"


@pytest.mark.long
def test_leaving_the_digest_sends_the_turn_and_end_mails_held_back(house: House) -> None:
    match_id = house.begin()
    ended = house.begin()
    once_a_day(house, "Alice", 8)
    house.drain()
    house.play_out(ended)
    house.drain()
    assert not {"turn", "over"} & set(kinds_of_mails(house, "Alice"))
    once_a_day(house, "Alice", None)
    house.drain()
    assert sorted(kinds_of_mails(house, "Alice")[-2:]) == ["over", "turn"]
    assert house.token("play", match_id, 0) in text_of(newest_mail(house, "Alice")) + text_of(
        house.mail.to("alice@example.org")[-2]
    )


@pytest.mark.long
def test_questions_told_by_a_digest_get_no_turn_mail_after_switching_modes(house: House) -> None:
    house.begin()
    once_a_day(house, "Alice", 18)
    advance_clock_to(house, 12, 17, 0)
    assert kinds_of_mails(house, "Alice")[-1] == "digest"
    once_a_day(house, "Alice", None)
    queue_and_send(house)
    assert kinds_of_mails(house, "Alice")[-1] == "digest"


@pytest.mark.long
def test_a_match_that_has_ended_is_told_by_one_digest_with_its_replay(house: House) -> None:
    match_id = house.begin()
    once_a_day(house, "Alice", 18)
    house.play_out(match_id)
    house.drain()
    assert "over" not in kinds_of_mails(house, "Alice")
    assert kinds_of_mails(house, "Bob")[-1] == "over"
    advance_clock_to(house, 12, 17, 0)
    said = text_of(newest_mail(house, "Alice"))
    assert "Over since the last email" in said
    assert f"/replay/{match_id}" in said
    assert str(newest_mail(house, "Alice")["Subject"]).startswith("Your matches, ")
    advance_clock_to(house, 14, 18, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 1


@pytest.mark.long
def test_choosing_a_digest_hour_that_has_just_passed_sends_none_today(house: House) -> None:
    house.begin(turn_s=LONG)
    house.drain()
    once_a_day(house, "Alice", 12)
    queue_and_send(house)
    assert "digest" not in kinds_of_mails(house, "Alice")
    advance_clock_to(house, 13, 11, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 1


@pytest.mark.long
def test_changing_the_digest_hour_the_same_day_brings_no_second_digest(house: House) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 15)
    advance_clock_to(house, 12, 14, 30)
    once_a_day(house, "Alice", 20)
    advance_clock_to(house, 12, 22, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 1
    advance_clock_to(house, 13, 20, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 2


def test_of_two_digests_in_a_jammed_queue_only_the_newer_one_leaves(house: House) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 13)
    house.drain()
    for _ in range(2):
        house.clock.forward(days=1)
        digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    assert kinds_of_mails(house, "Alice").count("digest") == 1


@pytest.mark.on_postgresql
def test_a_match_without_its_game_delays_no_digest_and_is_in_a_later_one(house: House) -> None:
    lost, other = house.begin(), house.begin()
    once_a_day(house, "Alice", 18)
    queue_and_send(house)
    with house.site.writing() as session:
        session.execute(text("UPDATE matches SET game = 'forgotten' WHERE id = :id"), {"id": lost})
    advance_clock_to(house, 12, 17, 0)
    assert kinds_of_mails(house, "Alice")[-1] == "digest"
    said = text_of(newest_mail(house, "Alice"))
    assert ["/play/" + house.token("play", one, 0) in said for one in (lost, other)] == [False, True]
    with house.site.writing() as session:
        session.execute(text("UPDATE matches SET game = 'hogen'"))
    advance_clock_to(house, 13, 17, 0)
    said = text_of(newest_mail(house, "Alice"))
    assert ["/play/" + house.token("play", one, 0) in said for one in (lost, other)] == [True, True]


@pytest.mark.on_postgresql
def test_a_muted_match_is_left_out_of_the_digest(house: House) -> None:
    muted, other = house.begin(turn_s=LONG), house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 18)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET muted = true WHERE match_id = :id"), {"id": muted})
    advance_clock_to(house, 12, 17, 0)
    said = text_of(newest_mail(house, "Alice"))
    assert ["/play/" + house.token("play", one, 0) in said for one in (muted, other)] == [False, True]


@pytest.mark.on_postgresql
def test_the_digests_stop_link_mutes_all_unfinished_matches_until_undone(house: House) -> None:
    match_id = house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 18)
    alice = player_of(house, "Alice")
    assert alice.id is not None
    token = house.site.tokens.sign_for(StopClaim, alice.id, alice.canonical or "")
    assert digests.read_language_and_mute_of_stop_link(house.site, house.tokens.read(StopClaim, token))[1] is False
    digests.mute_all_matches(house.site, house.tokens.read(StopClaim, token), True)
    assert digests.read_language_and_mute_of_stop_link(house.site, house.tokens.read(StopClaim, token))[1] is True
    advance_clock_to(house, 13, 18, 0)
    assert "digest" not in kinds_of_mails(house, "Alice")
    digests.mute_all_matches(house.site, house.tokens.read(StopClaim, token), False)
    advance_clock_to(house, 14, 18, 0)
    assert kinds_of_mails(house, "Alice").count("digest") == 1
    assert kinds_of_mails(house, "Bob")[-1] == "turn"
    assert player_of(house, "Alice").digest_hour == 18
    for forged in (
        house.site.tokens.sign_for(NeverClaim, alice.id, alice.canonical or ""),
        house.token("mute", match_id, 0),
        "x",
    ):
        with pytest.raises(Unauthorized):
            digests.mute_all_matches(house.site, house.tokens.read(StopClaim, forged), True)


@cases("typed", ["24", "-1", "8:00", "x", "٣", "008"])
def test_an_invalid_digest_hour_is_refused(typed: str) -> None:
    with pytest.raises(Invalid):
        digests.check_digest_hour(typed)


def test_a_digest_hour_is_read_and_an_empty_one_means_a_mail_each_turn() -> None:
    assert [digests.check_digest_hour(typed) for typed in ("", "0", "8", "23")] == [None, 0, 8, 23]


@pytest.mark.long
def test_a_digest_delayed_by_the_relay_leaves_even_if_the_hour_changes(house: House) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 20)
    house.drain()
    house.mail.failing = RelayDown("no route")
    advance_clock_to(house, 13, 7, 30)
    once_a_day(house, "Alice", 8)  # the hour has passed in Paris: the next digest comes tomorrow
    house.mail.failing = None
    house.clock.forward(minutes=10)
    house.drain()
    assert kinds_of_mails(house, "Alice").count("digest") == 1


def test_a_digest_names_how_many_ended_matches_it_has_no_room_for(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_letter, "MOST_ENDED", 1)
    begun = [house.begin(2, "niigata") for _ in range(2)]
    once_a_day(house, "Alice", 18)
    for match_id in begun:
        presence.resign(house.site, claim_of(house.site, match_id, 1))
    advance_clock_to(house, 12, 17, 0)
    said = text_of(newest_mail(house, "Alice"))
    assert said.count("Replay the match") == 1
    assert "… and 1 more: see " + house.site.url("/") in said


@pytest.mark.long
def test_a_digest_counts_the_matches_it_leaves_out_and_starts_their_clocks(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_letter, "MOST_TURNS", 1)
    monkeypatch.setattr(digest_letter, "MOST_FURTHER", 1)
    begun = [house.begin(turn_s=LONG) for _ in range(4)]
    once_a_day(house, "Bob", 18, "UTC")
    advance_clock_to(house, 12, 18, 0)
    said = text_of(newest_mail(house, "Bob"))
    assert "4 matches wait for you" in said
    assert f"2 more matches wait for you.\n\nMy matches\n{house.site.url('/')}" in said
    with house.site.reading() as session:
        asked = [ask for match_id in begun for ask in store.open_asks(session, match_id) if ask.seat == 1]
    assert [ask.mailed_at for ask in asked] == [house.clock.at] * 4


def test_more_players_due_for_a_digest_cost_a_sweep_no_more_statements(house: House) -> None:
    counts = []
    for names in (("Alice",), ("Alice", "Bob", "Carol")):
        house.begin(turn_s=LONG)
        for name in names:
            once_a_day(house, name, 18, "UTC")
        house.drain()
        digests.queue_digests_and_reopen_mails(house.site)
        said: list[str] = []
        event.listen(house.site.engine, "before_cursor_execute", note := partial(_note, said))
        digests.queue_digests_and_reopen_mails(house.site)
        event.remove(house.site.engine, "before_cursor_execute", note)
        counts.append(len(said))
    assert counts[0] == counts[1] <= 8


def _note(said: list[str], _connection: object, _cursor: object, statement: str, *_: object) -> None:
    said.append(statement)


@pytest.mark.long
def test_sweeping_twice_queues_one_digest(house: House) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 18)
    house.clock.forward(hours=5)
    digests.queue_digests_and_reopen_mails(house.site)
    digests.queue_digests_and_reopen_mails(house.site)
    with house.site.engine.connect() as connection:
        rows = connection.execute(text("SELECT dedupe FROM outbox WHERE kind = 'digest' AND result IS NULL")).all()
    assert list(Counter(rows).values()) == [1]


@pytest.mark.on_postgresql
def test_players_not_due_for_a_digest_cost_a_sweep_no_statements(
    house: House,
) -> None:
    house.begin(turn_s=LONG)
    once_a_day(house, "Alice", 18)
    house.clock.forward(hours=5)
    crowd = [
        Player(address=f"{n}@example.org", canonical=f"{n}@example.org", digest_hour=n % 24, created_at=house.clock.at)
        for n in range(240)
    ]
    with house.site.writing() as work:
        work.add_all(crowd)
    assert digests.queue_digests_and_reopen_mails(house.site) > 100, "the hour of some was up to twelve hours ago"
    with statements_to(house.site.engine) as many:
        digests.queue_digests_and_reopen_mails(house.site)
    with house.site.writing() as work:
        for player in crowd[48:]:
            work.get_one(Player, player.id).digest_hour = None
    with statements_to(house.site.engine) as few:
        digests.queue_digests_and_reopen_mails(house.site)
    assert len(many) == len(few)
