"""Scenes in which a house writes all kinds of mails; `stories` holds what the letters said in each.

`python -m tests.services.mail.scenes` writes the stories again. Read the difference before you commit it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.features.circles import founding, joining, standing
from pbem.features.circles.occasions import run_standing_tables
from pbem.features.leagues import reading, weekly
from pbem.features.leagues.entry import entering
from pbem.features.webhooks.tables import Webhook
from pbem.models.engine import migrate
from pbem.models.tables import SeatRow
from pbem.services.clock import holidays
from pbem.services.lobby import joining as lobby
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.log import outbox
from pbem.services.mail import digests, reminders
from pbem.services.play import bots, ordering, presence, stand_ins, substitutes, timeouts, voting
from pbem.services.players import players
from pbem.services.privacy import address_change
from pbem.services.tokens import OpeningClaim, VacancyClaim
from pbem.services.views import match_views, talk
from pbem.services.who import STRANGER
from tests.features.circles import tables as circle_tables
from tests.features.circles.people import circle_of, invitation_link_claim, member_claim
from tests.features.inbox.replying import comes_in, mail_of_player, send_and_read, token_of
from tests.features.leagues.stage import (
    DAY,
    begin_season,
    end_season,
    enter_all,
    found_league,
    give_result,
    id_of_player,
    matches_of_season,
)
from tests.harness.undrawn import replace_pictures
from tests.services.letterbox import id_of, player_of
from tests.services.mail.built import Written
from tests.services.play.stage.presence import miss_turns
from tests.services.play.stage.substitutes import players_id
from tests.services.play.stage.substitutes import token_to_share as vacant
from tests.services.play.stage.takeback import first_seat_asked, take_back, version_of_match
from tests.table import CAST, FOUR, House, address_of, claim_of, open_house

STORIES = Path(__file__).parent / "stories"
READER = ("en", "Europe/London")


@dataclass(frozen=True)
class Scene:
    """What happens, and the settings of the house where it does."""

    play: Callable[[House, Written], None]
    settings: Mapping[str, Any]


def _who(name: str) -> Invitee:
    return Invitee(name, address_of(name))


def _lobby(house: House, written: Written) -> None:
    """Matches before they begin: confirmed, declined, given away, called off."""
    written.scene("Alice invites Bob, whom nobody knows, leaves a seat open and takes a bot")
    wanted: list[Any] = [_who("Alice"), _who("Bob"), OpenSeat(), BotSeat("random")]
    match_id = matches.create_match(
        house.site, STRANGER, NewMatch("hogen", wanted, word="crane", bank_s=864_000, increment_s=86_400)
    )
    written.send()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    written.send()
    written.scene("Carol and Dave ask for the open seat; Carol takes it, which leaves nobody but Bob to answer")
    house.clock.forward(hours=1)
    token = lobby.join_tokens_for_organiser(house.site, match_id, 0)[2]
    claims = {}
    for name in ("Carol", "Dave"):
        lobby.claim_seat(house.site, house.tokens.read(OpeningClaim, token), _who(name), *READER)
        claims[name] = house.claim("invitation", match_id, 2, _epoch(house, match_id, 2))
    written.send()
    matches.accept_invitation(house.site, claims["Carol"], *READER)
    written.send()
    written.scene("Alice asks for her links, then Bob declines, then Alice withdraws")
    with house.site.writing() as work:
        players.queue_links(house.site, work, players.find_or_add(work, address_of("Alice"), "fr", house.clock()))
    written.send()
    matches.decline_invitation(house.site, house.claim("invitation", match_id, 1))
    written.send()
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))
    written.send()
    written.scene("Alice starts a match against bots alone")
    matches.create_match(
        house.site, STRANGER, NewMatch("niigata", [_who("Alice"), BotSeat("random"), BotSeat("random")])
    )
    written.send()


def _epoch(house: House, match_id: str, seat: int) -> int:
    with house.site.reading() as session:
        return session.get_one(SeatRow, (match_id, seat)).epoch


def _table(house: House, written: Written) -> None:
    """A match of three and a bot from its first mail to its last, with all that may happen meanwhile."""
    written.scene("a match with a bot begins, while Carol is on holiday")
    match_id = matches.create_match(
        house.site, STRANGER, NewMatch("hogen", [_who(name) for name in CAST[:3]] + [BotSeat("random")], word="crane")
    )
    players_id(house, "Carol")
    holidays.add_holiday(house.site, id_of(house, "Carol"), date(2026, 3, 12), date(2026, 3, 20))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    for seat in (1, 2):
        matches.accept_invitation(house.site, house.claim("invitation", match_id, seat), *READER)
    written.send()
    written.scene("eight messages later somebody has played, and a reminder is due")
    for number in range(8):
        house.clock.forward(minutes=1)
        talk.post_message(house.site, claim_of(house.site, match_id, 2 * (number % 2)), f"message {number + 1}")
    for _ in range(3):
        house.play(match_id, house.asks(match_id)[0].seat)
        bots.play_quick_bots(house.site)
    written.send()
    house.clock.forward(days=2, hours=9)
    reminders.sweep_reminders(house.site)
    written.send()
    written.scene("Bob changes his address")
    address_change.request_change(house.site, id_of(house, "Bob"), "robert@example.net")
    written.send()
    written.scene("the match ends")
    house.play_out(match_id)
    written.send()


def _consent(house: House, written: Written) -> None:
    """Moves that are taken back, a vote, absence, a substitute, a pause."""
    written.scene("a match of Niigata begins; the second mails of others are no first mails")
    match_id = house.begin(4, "niigata", late="vote")
    written.send()
    mover, before = first_seat_asked(house, match_id), version_of_match(house, match_id)
    house.play(match_id, mover)
    written.send()
    written.scene("the move is taken back at once, or others are asked for their consent")
    if take_back(house, match_id, mover, before).done:
        written.send()
    house.play(match_id, mover)
    while first_seat_asked(house, match_id) == mover:
        house.play(match_id, mover)
    house.play(match_id, first_seat_asked(house, match_id))
    house.drain()
    take_back(house, match_id, mover)
    written.send()
    written.scene("somebody is late: the others vote")
    late = first_seat_asked(house, match_id)
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, (late + 1) % 4), late)
    written.send()
    written.scene("Bob is away, first without a bot; Charlie asks for the seat")
    match_id = house.begin(3)
    house.drain()
    miss_turns(house, match_id, 1)
    written.send()
    token = house.tokens.read(VacancyClaim, vacant(house, match_id))
    substitutes.ask_for_seat(house.site, token, _who("Charlie"), *READER)
    written.send()
    written.scene("Alice resigns, Carol leaves her seat to a bot, and is away: nobody is there")
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 2), "random")
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    written.send()


def _digest(house: House, written: Written) -> None:
    """One mail a day, with orders; a match that ends with a tie or scores; replies."""
    written.scene("Carol has orders, and what they answer stands in her next mail")
    match_id = house.begin(3, "hagakure", options={"rounds": 1}, spectators=False)
    house.drain()
    seat = (first_seat_asked(house, match_id) + 1) % 3
    now = house.view(match_id, seat).sheet.version
    said = ["always nobori: none for match"]
    ordering.save_orders(house.site, claim_of(house.site, match_id, seat), now, said, "web")
    while not any((ask.seat, ask.kind) == (seat, "card") for ask in house.asks(match_id)):
        house.play(match_id, first_seat_asked(house, match_id))
    written.send()
    written.scene("a reply asks for help, another one is not understood, a third one plays")
    plays = house.view(match_id, seat).game.format(_legal(house, match_id, seat))
    for number, text in enumerate(("help", "gibberish", plays)):
        raw = mail_of_player(
            house, CAST[seat], token_of(house, match_id, seat), text, message_id=f"<{number}@programs.example>"
        )
        send_and_read(house, raw)
        written.send()
    written.scene("all of them want one mail a day; one match is over, in others they are asked")
    for name in CAST[:3]:
        there = player_of(house, name)
        assert there.id is not None
        digests.set_preferences(house.site, there.id, there.language, there.zone, 18)
    other = house.begin(2, "allegeance")
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "a long message " * 20)
    house.play_out(other)
    house.begin(2, "niigata")
    house.clock.at = datetime(2026, 3, 12, 18, 0, tzinfo=UTC)
    house.drain()
    digests.queue_digests_and_reopen_mails(house.site)
    written.send()
    written.scene("Alice wants mails again, and all ends")
    digests.set_preferences(house.site, id_of(house, "Alice"), "fr", "Europe/Paris", None, pictures=False)
    house.play_out(match_id)
    written.send()


def _legal(house: House, match_id: str, seat: int) -> Any:
    return match_views.read_view(house.site, match_id, seat).legal()[0]


def _groups(house: House, written: Written) -> None:
    """Circles and their standing tables, leagues and their seasons, the weekly mail."""
    written.scene("a circle: an invitation, a request, a page that opens")
    circle_id = circle_of(house, *FOUR)
    joining.invite_address(house.site, member_claim(house, circle_id, "Bob"), "Charlie", address_of("Charlie"), "en")
    joining.send_join_link(house.site, invitation_link_claim(house, circle_id), _who("Fanny"), *READER)
    joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Bob"), listed=True)
    founding.change_circle(house.site, member_claim(house, circle_id, "Alice"), opened=True)
    written.send()
    written.scene("its table meets on Sunday: some say yes, and are too few")
    standing.set_up_table(
        house.site, member_claim(house, circle_id, "Alice"), NewMatch("hogen", ()), circle_tables.SUNDAY
    )
    run_standing_tables(house.site)
    circle_tables.answer_occasion(house, circle_id, "Dave")
    written.send()
    house.clock.at = circle_tables.FIRST
    run_standing_tables(house.site)
    written.send()
    written.scene("Alice leaves: the longest member is its founder")
    joining.leave_circle(house.site, member_claim(house, circle_id, "Alice"))
    written.send()

    written.scene("a league: somebody is invited, somebody asks, four enter")
    made = found_league(house, matches=2, seats=2, division_size=2, game="allegeance")
    entering.invite_to_season(house.site, id_of_player(house, "Alice"), made.season_id, [_who("Erin")], "fr")
    entering.send_entry_link(house.site, STRANGER, made.season_id, Invitee("Gus", address_of("Gus")), *READER)
    enter_all(house, made.season_id, *FOUR)
    written.send()
    written.scene("the week before it begins")
    house.clock.at = (house.clock.at + timedelta(days=7 - house.clock.at.weekday())).replace(hour=9)
    weekly.queue_weekly_mails(house.site)
    written.send()
    written.scene("it begins")
    begin_season(house, made.season_id)
    written.send()
    first_table, *_ = matches_of_season(house, made.season_id)
    give_result(house, first_table.match_id, 2, 1)
    written.scene("the week after that")
    house.clock.at = (house.clock.at + timedelta(days=7 - house.clock.at.weekday())).replace(hour=9)
    weekly.queue_weekly_mails(house.site)
    written.send()
    written.scene("it ends, and the next one is announced")
    end_season(house, made.season_id)
    written.send()
    second = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    enter_all(house, second.id, "Alice")
    begin_season(house, second.id)
    written.scene("too few enter that one, and those who played before are asked again")
    written.send()
    written.scene("Bob's webhook is disabled")
    with house.site.writing() as work:
        hook = Webhook(
            player_id=id_of(house, "Bob"), url="https://hooks.example.org/secret?key=1", kinds="over",
            created_at=house.clock(), failing_since=house.clock() - DAY, disabled_at=house.clock(), why="gone",
        )  # fmt: skip
        work.add(hook)
        work.flush()
        outbox.enqueue(work, "hook", "webhook", house.clock(), player_id=hook.player_id, key=str(hook.id))
    written.send()


SCENES = {
    "lobby": Scene(_lobby, comes_in("play@pbem.example")),
    "table": Scene(_table, {}),
    "consent": Scene(_consent, {}),
    "digest": Scene(_digest, comes_in()),
    "groups": Scene(_groups, {}),
}


def story_of_scene(house: House, scene: Scene) -> str:
    """Returns what the letters of the scene say."""
    written = Written(house)
    scene.play(house, written)
    return "\n".join(written.lines).strip() + "\n"


def main() -> None:
    """Writes the stories."""
    STORIES.mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/pbem.db"
            migrate(url)
            with pytest.MonkeyPatch.context() as patch:
                replace_pictures(patch)
                for house in open_house(url, Path(folder), **scene.settings):
                    (STORIES / f"{name}.txt").write_text(story_of_scene(house, scene), "utf-8")


if __name__ == "__main__":
    main()
