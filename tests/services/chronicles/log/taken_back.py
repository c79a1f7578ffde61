"""What is taken back, and what becomes of it in the log and in everything derived from it."""

from __future__ import annotations

from functools import partial
from typing import Any

from pbem.kit.replay import entries_not_taken_back
from pbem.services.log import consent, proofs, store
from pbem.services.play import presence, takeback
from tests.services.chronicles.cast import change_rows
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, claim_of

DAY = 86_400


def tell(house: House, told: Chronicle) -> None:
    _tell_lone_players(house, told)
    _with_consent(house, told)
    _without_clocks(house, told)


def _to(house: House, match_id: str, seat: int) -> int:
    found = takeback.read_takeback(house.site, claim_of(house.site, match_id, seat)).reversible
    return found.to or 0


def _tell_taking_back(house: House, told: Chronicle, title: str, match_id: str, seat: int) -> None:
    to = _to(house, match_id, seat)
    claim = claim_of(house.site, match_id, seat)
    told.do(title, lambda: takeback.take_back(house.site, claim, to).done)


def _agree(house: House, claim: Any, to: int) -> bool:
    return takeback.answer_takeback_request(house.site, claim, to, agree=True).done


def _tell_mail(house: House, told: Chronicle) -> None:
    """The clocks of all questions run."""
    change_rows(house, told, "UPDATE asks SET mailed_at = opened_at, acts_at = deadline WHERE mailed_at IS NULL")


def _tell_lone_players(house: House, told: Chronicle) -> None:
    told.part("what nobody has seen")
    match_id = house.begin(3, bank_s=5 * DAY, increment_s=DAY)
    _tell_mail(house, told)
    change_rows(house, told, "UPDATE seats SET bank_s = 400000 WHERE match_id = :m", m=match_id)
    house.clock.forward(hours=1)
    house.play(match_id, 1)
    house.clock.forward(hours=1)
    house.play(match_id, 0)
    told.skip()
    house.clock.forward(hours=1)
    _tell_taking_back(house, told, "the first seat's ally", match_id, 0)
    house.clock.forward(hours=1)
    told.do("another", lambda: house.play(match_id, 0, 1).version)
    _tell_taking_back(house, told, "once more", match_id, 0)
    told.do("the same", lambda: house.play(match_id, 0, 1).version)
    told.do("and the last one's", lambda: house.play(match_id, 2).version)
    _tell_mail(house, told)
    first = house.asks(match_id)[0].seat
    told.do("a call", lambda: house.play(match_id, first).version)
    _tell_taking_back(house, told, "taken back", match_id, first)
    with house.site.reading() as session:
        game = store.game_by_slug("hogen")
        match = store.get_match(session, match_id)
        told.do(
            "the log", lambda: [one.n for one in entries_not_taken_back(store.load_entries(session, match_id, game))]
        )
        told.do("its luck", lambda: proofs.luck_of(match))


def _with_consent(house: House, told: Chronicle) -> None:
    told.part("what others have seen")
    match_id = house.begin(3, "niigata", bank_s=5 * DAY, increment_s=60)
    told.skip()
    for _ in range(3):
        _tell_mail(house, told)
        house.clock.forward(hours=1)
        house.play(match_id, house.asks(match_id)[0].seat)
    told.skip()
    version = house.view(match_id, None).sheet.version
    asking = next(seat for seat in range(3) if _to(house, match_id, seat))
    _tell_taking_back(house, told, "somebody asks", match_id, asking)
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        told.do("the request", lambda: consent.find_takeback_request(match))
        seats = store.seats_of(session, match_id)
        told.do("who must agree", lambda: consent.seats_to_agree_to_takeback(seats, asking))
        seats[0].absent, seats[1].resigned = True, True
        told.do("not those who have left", lambda: consent.seats_to_agree_to_takeback(seats, 2))
        consent.drop_takeback_request_of_seat(match, asking + 1)
        told.do("another leaves", lambda: match.undoing)
        consent.drop_takeback_request_of_seat(match, asking)
        told.do("the asker does", lambda: match.undoing)
        consent.drop_takeback_request_of_seat(match, asking)
        session.rollback()
    to = _to(house, match_id, asking)
    for seat in range(3):
        if seat != asking:
            claim = claim_of(house.site, match_id, seat)
            told.do(f"seat {seat} agrees", partial(_agree, house, claim, to))
    told.do("where it was", lambda: version)
    for _ in range(3):
        _tell_mail(house, told)
        asked = house.asks(match_id)[0].seat
        told.do("it goes on", lambda asked=asked: house.play(match_id, asked, 1).version)  # type: ignore[misc]
    asking = next(seat for seat in range(3) if _to(house, match_id, seat))
    _tell_taking_back(house, told, "somebody asks again", match_id, asking)
    told.do("and leaves", lambda: presence.resign(house.site, house.claim("play", match_id, asking)))


def _without_clocks(house: House, told: Chronicle) -> None:
    told.part("after kept folds, and without clocks")
    match_id: Any = house.begin(3)
    change_rows(house, told, "UPDATE matches SET untimed = true WHERE id = :m", m=match_id)
    change_rows(
        house, told, "UPDATE asks SET deadline = NULL, acts_at = NULL, allowed_s = 0 WHERE match_id = :m", m=match_id
    )
    house.play(match_id, 0)
    change_rows(house, told, "INSERT INTO folds (match_id, n, body) VALUES (:m, 2, X'7B')", m=match_id)
    _tell_taking_back(house, told, "past it", match_id, 0)
    house.play(match_id, 0)
    change_rows(house, told, "INSERT INTO folds (match_id, n, body) VALUES (:m, 1, X'7B')", m=match_id)
    _tell_taking_back(house, told, "up to it", match_id, 0)
