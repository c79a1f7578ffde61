"""Rematches, and matches against bots that start at once."""

from __future__ import annotations

from typing import Any

from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import matches, rematches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.play import presence
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import LONDON, change_rows, invitee, send_all_mails
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House, address_of

SETTINGS = {"turn_s": 3600, "window_s": 7200}


def tell(house: House, told: Chronicle) -> None:
    _against_bots(house, told)
    _tell_repeats(house, told)
    _of_others(house, told)


def match_over(house: House, told: Chronicle, **terms: Any) -> str:
    """A match of three that is over, since Bob and Carol have resigned."""
    match_id = house.begin(3, **terms)
    for seat in (1, 2):
        presence.resign(house.site, house.claim("play", match_id, seat))
    send_all_mails(house, told)
    return match_id


def _of_others(house: House, told: Chronicle) -> None:
    """Who comes how."""
    site = house.site
    told.part("whose seats they are")
    names: list[Any] = [invitee("Alice"), Invitee("Alise", address_of("Bob")), BotSeat("greedy"), BotSeat("random")]
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", names, turn_s=60, bank_s=60, language="en"))
    matches.confirm_match(site, house.claim("confirm", match_id, 0), *LONDON)
    matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON)
    change_rows(house, told, "UPDATE seats SET name = 'A1ice' WHERE match_id = :m AND seat = 1", m=match_id)
    change_rows(house, told, "UPDATE seats SET name = '(C)' WHERE match_id = :m AND seat = 2", m=match_id)
    for seat in (1, 0):
        presence.resign(site, house.claim("play", match_id, seat))
    send_all_mails(house, told)
    alice, bob = id_of(house, "Alice"), id_of(house, "Bob")
    told.do("what there is", lambda: rematches.read_rematch_id(site, match_id))
    told.do("would Bob's word count", lambda: rematches.may_bring_word_to_rematch(site, match_id, bob, STRANGER))
    claims = [house.claim("play", match_id, seat) for seat in range(4)]
    told.do("a bot's", lambda: rematches.find_or_create_rematch(site, claims[2], STRANGER))
    told.do(
        "a stranger with Bob's link", lambda: rematches.find_or_create_rematch(site, claims[1], STRANGER, word="owl")
    )
    told.do("Alice with it", lambda: rematches.find_or_create_rematch(site, claims[1], alice))
    told.do("Alice on the page of Bob's seat", lambda: rematches.sit_down_in_rematch(site, claims[1], alice))
    again = rematches.read_rematch_id(site, match_id) or ""
    told.do("what there is then", lambda: again)
    told.do("would Bob's word count now", lambda: rematches.may_bring_word_to_rematch(site, match_id, bob, STRANGER))
    told.do("and Alice's", lambda: rematches.may_bring_word_to_rematch(site, match_id, alice, alice))
    told.do("who comes by the page", lambda: rematches.may_bring_word_to_rematch(site, match_id, alice, STRANGER))
    told.do("who comes as Bob", lambda: rematches.may_bring_word_to_rematch(site, match_id, alice, bob))
    told.do("Alice declines", lambda: matches.decline_invitation(site, house.claim("invitation", again, 3)))
    told.do("Alice asks again", lambda: rematches.find_or_create_rematch(site, claims[0], alice))
    told.do("and on the page", lambda: rematches.sit_down_in_rematch(site, claims[0], STRANGER))
    told.do("Bob withdraws", lambda: matches.cancel_or_leave_match(site, house.claim("play", again, 0)))
    told.do("what there is at last", lambda: rematches.read_rematch_id(site, match_id))
    erased = "UPDATE seats SET player_id = NULL WHERE match_id = :m AND seat = 1"
    change_rows(house, told, erased, m=match_id)
    told.do("Alice, when nobody knows Bob any more", lambda: rematches.find_or_create_rematch(site, claims[0], alice))
    told.do(
        "by an old link", lambda: rematches.find_or_create_rematch(site, house.claim("play", match_id, 0, 1), alice)
    )


def _tell_repeats(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("once more")
    terms: dict[str, Any] = {"options": {"rounds": 1}, "turn_s": 7200, "window_s": 60, "spectators": False}
    terms |= {"late": "vote", "bank_s": 86_400, "increment_s": 60, "takebacks": "free", "windows": "silent"}
    running = house.begin(3, "hagakure", **terms)
    told.skip()
    told.do("too early", lambda: rematches.find_or_create_rematch(site, house.claim("play", running, 0), STRANGER))
    for seat in (1, 2):
        presence.resign(site, house.claim("play", running, seat))
    send_all_mails(house, told)
    house.clock.forward(hours=1)
    alice, bob, carol = (id_of(house, name) for name in ("Alice", "Bob", "Carol"))
    claims = [house.claim("play", running, seat) for seat in range(3)]
    once = IdempotencyKey("seat", "key", "digest")

    def again(title: str, seat: int, player: Any, **more: Any) -> Any:
        return told.do(title, lambda: _way(rematches.find_or_create_rematch(site, claims[seat], player, **more)))

    told.do("too long a word", lambda: rematches.sit_down_in_rematch(site, claims[1], bob, word="x" * 41))
    again("too long a word", 1, bob, word="x" * 41)
    again("Bob first", 1, bob, word="  Owl ", once=once)
    again("Bob again", 1, bob, once=once)
    again("another request", 1, bob, once=IdempotencyKey("seat", "key", "other"))
    again("Carol, who is invited", 2, carol)
    again("Carol's link alone", 2, STRANGER)
    match_id = rematches.read_rematch_id(site, running) or ""
    told.do("does Carol's word count", lambda: rematches.may_bring_word_to_rematch(site, running, carol, carol))
    told.do("Carol sits down", lambda: _way(rematches.sit_down_in_rematch(site, claims[2], STRANGER, word=" Heron")))
    told.do("does it count still", lambda: rematches.may_bring_word_to_rematch(site, running, carol, carol))
    told.do("again", lambda: _way(rematches.sit_down_in_rematch(site, claims[2], carol, word="owl")))
    change_rows(house, told, "UPDATE seats SET epoch = 1 WHERE match_id = :m AND seat = 2", m=match_id)
    told.do("Alice, whose links there are new", lambda: _way(rematches.sit_down_in_rematch(site, claims[0], STRANGER)))
    told.do("signed in", lambda: _way(rematches.sit_down_in_rematch(site, claims[0], alice)))
    change_rows(house, told, "UPDATE seats SET epoch = 1 WHERE match_id = :m AND seat = 1", m=match_id)
    told.do("Carol, whose links are new, too", lambda: _way(rematches.sit_down_in_rematch(site, claims[2], STRANGER)))
    told.do("of no match", lambda: rematches.read_rematch_id(site, "ff"))


def _way(way: rematches.Way) -> Any:
    return (way.match_id, way.seat, way.token is not None, way.made, way.sat)


def _against_bots(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("at once")

    def play(title: str, game: str, caller: Any, name: str = "Alice", lang: Any = LONDON, **more: Any) -> Any:
        return told.do(title, lambda: matches.start_match_against_bots(site, caller, game, name, *lang, **more))

    greedy, one = BotSeat("greedy"), IdempotencyKey("browser", "key", "digest")
    play("no such game", "go", STRANGER)
    play("no name", "hogen", STRANGER, "")
    play("no language", "hogen", STRANGER, lang=("la", "Europe/London"))
    play("no zone", "hogen", STRANGER, lang=("en", "Nowhere"))
    play("too long a word", "hogen", STRANGER, word="x" * 41)
    play("too many bots", "hogen", STRANGER, bots=[greedy] * 5)
    play("no such bot", "hogen", STRANGER, bots=[BotSeat("nobody")] * 2)
    play("no such option", "hogen", STRANGER, options={"rounds": 1})
    play("nobody", "hogen", 99)
    begun = play("a stranger", "hogen", STRANGER, "Akemi", word=" Crane", once=one)
    play("twice", "hogen", STRANGER, "Akemi", word=" Crane", once=one)
    play("another request of its key", "hogen", STRANGER, once=IdempotencyKey("browser", "key", "other"))
    house.clock.forward(seconds=59)
    play("within a minute", "hogen", begun.player.player_id, "Akemi", once=one)
    house.clock.forward(seconds=1)
    play("after a minute", "hogen", begun.player.player_id, "Akemi", once=one)
    chosen: dict[str, Any] = {"bots": [greedy, BotSeat("random")], "options": {"rounds": 1}, "spectators": False}
    play("chosen bots", "hagakure", begun.player.player_id, lang=("fr", "Europe/Paris"), **chosen)
    named = "UPDATE players SET address = :a, canonical = :a, visited_at = NULL WHERE id = :p"
    change_rows(house, told, named, a=address_of("Fanny"), p=begun.player.player_id)
    play("once the guest has an address, by a stranger", "hogen", STRANGER, once=one)
    play("by them", "hogen", begun.player.player_id, once=one)
    change_rows(house, told, "UPDATE matches SET organiser_id = NULL")
    play("once they are gone", "hogen", STRANGER, once=one)
    fewest = play("two are enough elsewhere", "niigata", STRANGER)
    told.do("a guest's match is over", lambda: presence.resign(site, house.claim("play", fewest.match_id, 0)))
    guest = fewest.player.player_id
    claim = house.claim("play", fewest.match_id, 0)
    told.do("their rematch", lambda: rematches.find_or_create_rematch(site, claim, guest))
    told.do("with their link alone", lambda: rematches.find_or_create_rematch(site, claim, STRANGER))
