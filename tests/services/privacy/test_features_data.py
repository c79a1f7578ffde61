"""What features keep of players goes with them: each is asked at its moment."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from sqlmodel import Session

from pbem.errors import Busy
from pbem.models.tables import Player, SeatRow
from pbem.services.hooks import Personal
from pbem.services.privacy import address_change, erasure
from pbem.services.privacy.fates import all_fates
from pbem.services.site import Site, Work
from pbem.services.tokens import ChangeClaim
from pbem.services.views import talk
from tests.services.letterbox import id_of
from tests.services.play.stage.substitutes import match_with_absent_bob, take_over
from tests.table import House


class Kept:
    """Answers for a feature, and notes what it is asked; it takes `busy` turns until the player has left."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: int = 0) -> None:
        self.heard: list[str] = []
        self.busy = busy
        personal = Personal(
            forget_seat=self.forget_seat, clear_seat=self.clear_seat, leave=self.leave, takes_part_in=self.takes_part,
            forget_player=self.forget_player, change_address=self.change_address,
            forget_addresses=self.forget_addresses, fates=all_fates(),
        )  # fmt: skip
        for room in (talk, erasure, address_change):
            monkeypatch.setattr(room, "all_personal", lambda: [personal])

    def forget_seat(self, _work: Work, seat: SeatRow) -> None:
        self.heard.append(f"the seat of {seat.name}")

    def clear_seat(self, _work: Work, seat: SeatRow) -> None:
        self.heard.append(f"what {seat.name} keeps")

    def forget_addresses(self, _site: Site, addresses: Collection[str]) -> None:
        self.heard.append(f"mails of {', '.join(addresses)}")

    def leave(self, _site: Site, player_id: int) -> None:
        self.heard.append(f"{player_id} leaves")

    def takes_part(self, _session: Session, _player_id: int) -> Sequence[str]:
        self.busy -= 1
        return () if self.busy < 0 else ("a circle",)

    def forget_player(self, work: Work, player_id: int) -> None:
        self.heard.append(f"the rest of {work.get_one(Player, player_id).address}")

    def change_address(self, _work: Work, player: Player) -> None:
        self.heard.append(f"now at {player.address}")


def test_erasure_calls_the_features_hooks_in_their_order(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.begin()
    bob, kept = id_of(house, "Bob"), Kept(monkeypatch)
    erasure.erase_player(house.site, bob)
    mails = "mails of bob@example.org, bob@example.org"
    assert kept.heard == [mails, "what Bob keeps", "the seat of Bob", f"{bob} leaves", "the rest of bob@example.org"]


def test_no_feature_deletes_data_until_all_have_let_the_player_leave(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin()
    bob, kept = id_of(house, "Bob"), Kept(monkeypatch, busy=2)
    erasure.erase_player(house.site, bob)
    assert kept.heard[3:] == [f"{bob} leaves"] * 3 + ["the rest of bob@example.org"]


def test_a_takeover_clears_the_data_features_keep_for_the_seat(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id, kept = match_with_absent_bob(house), Kept(monkeypatch)
    take_over(house, match_id)
    assert kept.heard == ["what Charlie keeps"]


def test_erasure_deletes_mails_naming_the_address_even_if_a_match_is_busy(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin()
    kept = Kept(monkeypatch)

    def busy(*_what: object) -> None:
        raise Busy("in use", retry_after=1)

    monkeypatch.setattr(erasure, "lock_table", busy)
    with pytest.raises(Busy):
        erasure.erase_player(house.site, id_of(house, "Bob"))
    assert kept.heard == ["mails of bob@example.org, bob@example.org"]


def test_erasure_is_busy_and_keeps_the_rest_while_a_feature_holds_them(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin()
    kept = Kept(monkeypatch, busy=erasure.ROUNDS)
    with pytest.raises(Busy):
        erasure.erase_player(house.site, id_of(house, "Bob"))
    assert "the rest of bob@example.org" not in kept.heard


def test_features_are_notified_of_a_change_of_address_once_done(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.begin()
    kept = Kept(monkeypatch)
    address_change.request_change(house.site, id_of(house, "Bob"), "robert@example.net")
    address_change.agree_to_change(house.site, ChangeClaim(1, "old"))
    assert kept.heard == []
    address_change.agree_to_change(house.site, ChangeClaim(1, "new"))
    assert kept.heard == ["now at robert@example.net"]
