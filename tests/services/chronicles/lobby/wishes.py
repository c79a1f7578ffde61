"""What may be wished for a new match, and what is said to other wishes."""

from __future__ import annotations

from typing import Any

from pbem.games import find_game
from pbem.services.lobby import match_request, matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat, Unnamed
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import invitee, invitees
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, address_of

DAY = 86_400


def tell(house: House, told: Chronicle) -> None:
    three = invitees("Alice", "Bob", "Carol")

    def want(title: str, **wanted: Any) -> None:
        seats, game = wanted.pop("seats", three), wanted.pop("game", "hogen")
        told.do(title, lambda: matches.create_match(house.site, STRANGER, NewMatch(game, seats, **wanted)))

    told.part("terms")
    want("nothing")
    want(
        "everything",
        game="hagakure",
        options={"rounds": 1},
        turn_s=3600,
        window_s=60,
        late="vote",
        bank_s=7200,
        increment_s=7200,
        windows="at_once",
        spectators=False,
        language="en",
        word="  Crane Ø ",
        takebacks="free",
    )
    want("the other choices", late="fallback", windows="silent", takebacks="consent", turn_s=60, bank_s=60)
    want("the longest turn", turn_s=60 * DAY, window_s=60 * DAY, increment_s=0)

    told.part("times")
    want("too short a turn", turn_s=59)
    want("too long a turn", turn_s=60 * DAY + 1)
    want("too short a window", window_s=59)
    want("too long a window", window_s=60 * DAY + 1)
    want("too small a bank", bank_s=59)
    want("too large a bank", bank_s=60 * DAY + 1)
    want("an increment alone", increment_s=1)
    want("an increment beyond the bank", bank_s=60, increment_s=61)
    want("a negative increment", bank_s=60, increment_s=-1)

    told.part("other words")
    want("no such game", game="go" * 30)
    want("no such option", options={"rounds": "many"})
    want("no such lateness", late="later")
    want("no such windows", windows="open")
    want("no such takebacks", takebacks="always")
    want("no such language", language="la")
    want("a word of forty letters", word="x" * 40)
    want("one more", word="x" * 41)
    want("one of blanks", word=" " * 40)
    want("too many blanks", word=" " * 41)
    want("a word that grows", word="ﷺ" * 3)
    want("an invisible word", word="a\u200bb")

    told.part("seats")
    want("nobody", seats=[])
    want("too few", seats=three[:2])
    want("too many", seats=invitees("Alice", "Bob", "Carol", "Dave", "Fanny"))
    want("one, where two to five play", game="niigata", seats=three[:1])
    want("a bot first", seats=[BotSeat("random"), *three[1:]])
    want("an open seat first", seats=[OpenSeat(), *three[1:]])
    want("nobody's name first", seats=[Unnamed(address_of("Alice")), *three[1:]])
    want("no such bot", seats=[*three[:2], BotSeat("b" * 50)])
    want("an address twice", seats=[*three[:2], Invitee("Dave", "BOB@example.org ")])
    want("twice, without names", seats=[*three[:2], Unnamed("bob@example.org")])
    want("a mailbox twice", seats=[*three[:1], Invitee("Dave", "a.b@gmail.com"), Invitee("Fanny", "ab+x@gmail.com")])
    want("no address", seats=[*three[:2], Invitee("Dave", "dave")])
    want("a name twice", seats=[*three[:2], Invitee("BOB", address_of("Dave"))])
    want("names that look alike", seats=[*three[:2], Invitee("B0b", address_of("Dave"))])
    want("no name", seats=[*three[:2], Invitee("", address_of("Dave"))])
    want("bots, and open seats", seats=[invitee("Alice"), OpenSeat(), BotSeat("greedy"), BotSeat("greedy")])
    want("a person called like a bot", seats=[invitee("Alice"), Invitee("Akemi", address_of("Bob")), BotSeat("random")])

    told.part("what a match may be asked for")
    hogen = find_game("hogen")
    assert hogen is not None
    told.do(
        "the people", lambda: match_request.normalise_and_check_people([Invitee("  Bob ", "BOB@example.org"), three[0]])
    )
    told.do("five in Hogen", lambda: match_request.check_player_count(hogen, 5))
