"""Seats for anybody with a link, lucky words, and the mails that are sent once more."""

from __future__ import annotations

from typing import Any

from pbem.kit.logs.chain import word_from_seed
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import joining, lucky_words, matches, offers, reminding, seating
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.lobby.seating import SeatSeen
from pbem.services.log import store
from pbem.services.tokens import ERA, OpeningClaim, SentClaim
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import (
    LONDON,
    PARIS,
    change_rows,
    invitee,
    invitees,
    seconds_refused_for,
    send_all_mails,
)
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House, address_of

LINKS = 600
"""Seconds; at most one mail with all links in this many."""


def _opening(match_id: str, seat: int, era: int = 1) -> OpeningClaim:
    return OpeningClaim(match_id, seat, era)


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("an open seat")
    wanted: list[Any] = [invitee("Alice"), OpenSeat(), BotSeat("random"), invitee("Bob")]
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", wanted))
    told.skip()
    link = _opening(match_id, 1)

    def see(title: str, claim: OpeningClaim = link) -> None:
        told.do(title, lambda: _what_is_seen(joining.read_open_seat(site, claim)))

    def join(title: str, name: str, **how: Any) -> None:
        address, claim, lang = how.get("address") or address_of(name), how.get("claim", link), how.get("lang", LONDON)
        told.do(title, lambda: joining.claim_seat(site, claim, Invitee(name, address), *lang))

    see("before Alice has confirmed")
    join("Carol asks too early", "Carol")
    told.do("its links", lambda: joining.join_tokens_for_organiser(site, match_id, 0))
    matches.confirm_match(site, house.claim("confirm", match_id, 0), *PARIS)
    send_all_mails(house, told)
    see("once they have")
    see("there is no such match", _opening("ff", 1))
    see("there is no such seat", _opening(match_id, 4))
    see("a link that never was", _opening(match_id, 1, 3))
    see("another", _opening(match_id, 1, 0))
    told.do("the word that it proposes", lambda: lucky_words.read_proposed_word(site, link))
    told.do("Alice's links", lambda: sorted(joining.join_tokens_for_organiser(site, match_id, 0)))
    told.do("Bob's", lambda: joining.join_tokens_for_organiser(site, match_id, 3))
    told.do("a stranger's", lambda: joining.join_tokens_for_organiser(site, match_id, None))

    join("no name", "", address=address_of("Carol"))
    join("no address", "Carol", address="carol")
    join("no language", "Carol", lang=("la", "Europe/London"))
    join("no zone", "Carol", lang=("en", "Nowhere"))
    join("a link that never was", "Carol", claim=_opening(match_id, 1, 3))
    join("there is no such match", "Carol", claim=_opening("ff", 1))
    join("a name at the table", "bob", address=address_of("Carol"))
    join("one like it", "B0b", address=address_of("Carol"))
    join("a bot's, which gets another", "Akemi", address=address_of("Carol"))
    join("the same again by the right name", "Carol")
    join("Dave, too", "Dave")
    join("Carol again", "Carol")
    told.do(
        "Dave declines the former claim",
        lambda: matches.decline_invitation(site, _link_of_invited(house, match_id, 1, 2)),
    )
    join("Bob, who has a seat", "Rob", address=address_of("Bob"))
    house.clock.forward(seconds=LINKS + 1)
    join("Alice", "Alicia", address=address_of("Alice"))
    told.do(
        "Alice has a seat", lambda: matches.accept_invitation(site, _link_of_invited(house, match_id, 1, 5), *LONDON)
    )
    told.do("its word", lambda: lucky_words.read_proposed_word(site, _link_of_invited(house, match_id, 1, 1)))
    told.do("Carol, first come", lambda: _accept(house, match_id, 1, 1, word="Heron"))
    told.do("again", lambda: _accept(house, match_id, 1, 1, word="owl"))
    told.do("its word once it is taken", lambda: lucky_words.read_proposed_word(site, link))
    told.do("Dave, too late", lambda: _accept(house, match_id, 1, 2))
    see("the seat is taken")
    join("who asks now", "Fanny")
    told.do(
        "Carol's own word", lambda: lucky_words.read_typed_lucky_word(site, house.claim("play", match_id, 1, ERA + 6))
    )
    told.do("by an old link", lambda: lucky_words.read_typed_lucky_word(site, house.claim("play", match_id, 1, ERA)))
    told.do("Bob's word", lambda: lucky_words.read_typed_lucky_word(site, house.claim("invitation", match_id, 3)))
    _tell_sitting(house, told)
    _tell_organising(house, told)
    _tell_ending(house, told)
    _tell_repeats(house, told)


def _link_of_invited(house: House, match_id: str, seat: int, nth: int) -> Any:
    """The link of the nth who has asked for an open seat."""
    return house.claim("invitation", match_id, seat, ERA + nth)


def _accept(house: House, match_id: str, seat: int, nth: int, **more: Any) -> Any:
    return matches.accept_invitation(house.site, _link_of_invited(house, match_id, seat, nth), *LONDON, **more)


def _what_is_seen(vacancy: offers.Vacancy) -> Any:
    """What is shown of a seat, its table by the names alone."""
    shown = {name: getattr(vacancy, name) for name in vars(vacancy) if name not in ("sheet", "view")}
    return shown | {"names": vacancy.sheet.names, "view": vacancy.view, "viewer": vacancy.sheet.status}


def _tell_sitting(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("who is signed in")
    alice, bob, carol, dave = (id_of(house, name) for name in ("Alice", "Bob", "Carol", "Dave"))
    wanted: list[Any] = [invitee("Alice"), OpenSeat(), OpenSeat()]
    match_id = matches.create_match(site, alice, NewMatch("hogen", wanted, language="en"))
    one, two = _opening(match_id, 1), _opening(match_id, 2)
    joining.claim_seat(site, one, invitee("Dave"), *LONDON)
    joining.claim_seat(site, one, invitee("Bob"), *LONDON)
    send_all_mails(house, told)

    def sit(title: str, claim: OpeningClaim, player: int, name: str, **more: Any) -> None:
        told.do(title, lambda: joining.take_seat_at_once(site, claim, player, name, **more))

    sit("Alice on a second seat", one, alice, "Ann")
    sit("Carol without a name", one, carol, " ")
    sit("with Alice's name", one, carol, "ALICE")
    sit("with too long a word", one, carol, "Carol", word="x" * 41)
    sit("nobody", one, 99, "Carol")
    change_rows(house, told, "UPDATE seats SET muted = true WHERE match_id = :m AND seat = 1", m=match_id)
    sit("Carol, who is faster than Dave and Bob", one, carol, "Carol", word=" Crane ")
    sit("twice", one, carol, "Carla", word="owl")
    sit("on the other seat", two, carol, "Carla")
    sit("Dave, where Carol sits", one, dave, "Dave")
    sit("by a link that never was", _opening(match_id, 2, 3), dave, "Dave")
    sit("Dave on the last seat", two, dave, "Dave")
    sit("Bob when it has begun", two, bob, "Bob")
    told.do("a link to the match", lambda: joining.join_tokens_for_organiser(site, match_id, 0))
    told.do("Dave's words", lambda: lucky_words.read_typed_lucky_word(site, house.claim("play", match_id, 2, ERA + 1)))

    told.part("the word that follows from the seed")
    seed = bytes(range(32))
    proposed = [word_from_seed(seed, seat) for seat in range(3)]
    for title, word in (("none", None), ("blank", " "), ("its own", proposed[1].upper()), ("another", proposed[2])):
        told.do(title, lambda word=word: lucky_words.lucky_word_to_store(seed, 1, word, shared=False) or "nothing")  # type: ignore[misc]
        told.do(
            f"{title}, shared",
            lambda word=word: lucky_words.lucky_word_to_store(seed, 1, word, shared=True) or "nothing",  # type: ignore[misc]
        )


def _tell_organising(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("the organiser's seats")
    alice = id_of(house, "Alice")
    wanted: list[Any] = [invitee("Alice"), invitee("Bob"), OpenSeat(), BotSeat("random")]
    match_id = matches.create_match(site, alice, NewMatch("hogen", wanted, language="en"))
    own, bobs = house.claim("play", match_id, 0), house.claim("invitation", match_id, 1)
    send_all_mails(house, told)

    def opens(title: str, seat: int, *was: Any, claim: Any = own) -> None:
        told.do(title, lambda: joining.open_seat(site, claim, seat, *was))

    def fill(title: str, seat: int, bot: str = "greedy", *was: Any, claim: Any = own) -> None:
        told.do(title, lambda: joining.fill_with_bot(site, claim, seat, bot, *was))

    opens("with an old link", 1, claim=house.claim("play", match_id, 0, 1))
    opens("with another seat's", 1, claim=house.claim("play", match_id, 1))
    opens("no such seat", 4)
    opens("a bot's", 3)
    opens("one that has changed", 1, SeatSeen("Bob", "declined"))
    opens("Bob's", 1, SeatSeen("Bob", "invited"))
    told.do("Bob comes", lambda: matches.accept_invitation(site, bobs, *LONDON))
    joining.claim_seat(site, _opening(match_id, 1), invitee("Dave"), *LONDON)
    send_all_mails(house, told)
    opens("once more, where Dave has asked", 1)
    told.do("by the former link", lambda: joining.read_open_seat(site, _opening(match_id, 1)).how)
    told.do("by the new one", lambda: joining.read_open_seat(site, _opening(match_id, 1, 3)).how)
    told.do("its links", lambda: sorted(joining.join_tokens_for_organiser(site, match_id, 0)))
    joining.claim_seat(site, _opening(match_id, 1, 3), invitee("Carol"), *LONDON)
    send_all_mails(house, told)
    told.do("Carol by name, who has asked", lambda: matches.invite_to_untaken_seat(site, own, 1, invitee("Carol")))
    told.do("Maximilienne instead", lambda: matches.invite_to_untaken_seat(site, own, 1, invitee("Maximilienne")))
    fill("no such bot", 2, "nobody")
    fill("with another seat's link", 2, claim=house.claim("play", match_id, 1))
    fill("one that has changed", 2, "greedy", SeatSeen("Bob", "open"))
    fill("a bot on the open seat", 2, "greedy", SeatSeen("?", "open"))
    fill("once more", 2)
    joined = house.claim("invitation", match_id, 1, 4 * ERA)
    told.do("Maximilienne declines", lambda: matches.decline_invitation(site, joined))
    send_all_mails(house, told)
    fill("the last one, and it begins", 1)
    opens("too late", 1)


def _tell_ending(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("what ended")
    alice = id_of(house, "Alice")
    wanted: list[Any] = [invitee("Alice"), OpenSeat(), OpenSeat()]
    match_id = matches.create_match(site, alice, NewMatch("hogen", wanted, language="en"))
    one = _opening(match_id, 1)
    for name in ("Carol", "Dave"):
        joining.claim_seat(site, one, invitee(name), *LONDON)
    joining.open_seat(site, house.claim("play", match_id, 0), 2)
    told.skip()
    told.do(
        "Carol declines the claim", lambda: matches.decline_invitation(site, _link_of_invited(house, match_id, 1, 1))
    )
    told.do("twice", lambda: matches.decline_invitation(site, _link_of_invited(house, match_id, 1, 1)))
    told.do("Carol accepts", lambda: _accept(house, match_id, 1, 1))
    told.do(
        "Dave declines the last one", lambda: matches.decline_invitation(site, _link_of_invited(house, match_id, 1, 2))
    )
    joining.claim_seat(site, one, Invitee("Carol", address_of("Fanny")), *LONDON)
    joining.claim_seat(site, one, Invitee("Dave", address_of("Bob")), *LONDON)
    joining.claim_seat(site, _opening(match_id, 2, 3), invitee("Carol"), *LONDON)
    told.skip()
    told.do("Fanny, whose name another has meanwhile", lambda: _accept(house, match_id, 1, 3))
    told.do("replaced", lambda: joining.read_open_seat(site, _opening(match_id, 2)).how)
    matches.cancel_or_leave_match(site, house.claim("play", match_id, 0))
    told.skip()
    told.do("called off", lambda: joining.read_open_seat(site, _opening(match_id, 2)).how)
    told.do("by its last link", lambda: joining.read_open_seat(site, _opening(match_id, 2, 3)).how)
    told.do("a seat there", lambda: joining.take_seat_at_once(site, one, id_of(house, "Fanny"), "Fanny"))
    told.do("its links", lambda: joining.join_tokens_for_organiser(site, match_id, 0))
    told.do("its words", lambda: lucky_words.read_proposed_word(site, _opening(match_id, 2, 3)))
    begun = house.begin()
    change_rows(house, told, "UPDATE seats SET epoch = 200000 WHERE match_id = :m", m=begun)
    told.do("begun without it", lambda: joining.read_open_seat(site, _opening(begun, 1)).how)
    states = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")
    told.do("how late it is", lambda: {one: offers.free_or_why_too_late(one) for one in states})
    for why in offers.REFUSALS:
        told.do(why, lambda why=why: offers.check_seat_is_free(why))  # type: ignore[misc]


def _tell_repeats(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("the mail to confirm once more")
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", invitees("Alice", "Bob", "Carol")))
    told.skip()
    sent = SentClaim(match_id, house.tokens.address_digest(address_of("Alice")))
    wrong = SentClaim(match_id, house.tokens.address_digest(address_of("Bob")))
    nowhere = SentClaim("ff", sent.digest)
    confirm, alice = house.claim("confirm", match_id, 0), id_of(house, "Alice")

    def send(title: str, number: int, claim: SentClaim = sent, **more: Any) -> None:
        told.do(title, lambda: reminding.resend_confirmation(site, claim, number, **more))

    told.do("what the browser knows", lambda: reminding.read_sent_confirmation(site, sent))
    told.do("with another address", lambda: reminding.read_sent_confirmation(site, wrong))
    told.do("of another match", lambda: reminding.read_sent_confirmation(site, nowhere))
    send("to another address", 2, wrong)
    send("of another match", 2, nowhere)
    send("the first again", 1)
    send("at once", 2)
    told.do("how long that takes", lambda: seconds_refused_for(lambda: reminding.resend_confirmation(site, sent, 2)))
    house.clock.forward(seconds=299)
    told.do("is it due", lambda: reminding.read_sent_confirmation(site, sent).again.is_due(house.clock()))  # type: ignore[union-attr]
    send("a second too early", 2)
    told.do(
        "how long it still takes", lambda: seconds_refused_for(lambda: reminding.resend_confirmation(site, sent, 2))
    )
    house.clock.forward(seconds=1)
    told.do("is it due now", lambda: reminding.read_sent_confirmation(site, sent).again.is_due(house.clock()))  # type: ignore[union-attr]
    send("after five minutes", 2)
    send("twice", 2)
    told.do("was the mail sent", lambda: reminding.was_sent_first_mail(site, confirm))
    send_all_mails(house, told)
    told.do("now it was", lambda: reminding.was_sent_first_mail(site, confirm))
    told.do("what the browser knows", lambda: reminding.read_sent_confirmation(site, sent))
    house.clock.forward(seconds=300)
    send("the third, on Alice's browser", 3, browser=alice)
    house.clock.forward(days=1)
    told.do("no more", lambda: reminding.read_sent_confirmation(site, sent))
    told.do("it is not due", lambda: reminding.read_sent_confirmation(site, sent).again.is_due(house.clock()))  # type: ignore[union-attr]
    send("a fourth", 4)
    matches.confirm_match(site, confirm, *PARIS)
    told.skip()
    send("when it is confirmed", 4)
    told.do("what is known then", lambda: reminding.read_sent_confirmation(site, sent))

    told.part("an invitation once more")
    own, once = house.claim("play", match_id, 0), IdempotencyKey("seat", "key", "digest")

    def remind(title: str, seat: int, *number: int, **more: Any) -> None:
        claim = more.pop("claim", own)
        told.do(title, lambda: reminding.remind_invited_player(site, claim, seat, *number, **more))

    told.do("what may be sent", lambda: reminding.read_reminders(site, match_id))
    remind("a player", 2, claim=house.claim("play", match_id, 1))
    remind("no such seat", 3)
    remind("the organiser", 0)
    remind("the first again", 1, 1)
    remind("too early", 1, 2)
    told.do(
        "how long that takes", lambda: seconds_refused_for(lambda: reminding.remind_invited_player(site, own, 1, 2))
    )
    house.clock.forward(hours=23, minutes=59, seconds=59)
    remind("by a second", 1)
    house.clock.forward(seconds=1)
    remind("after a day", 1, 2, once=once)
    remind("twice", 1, 2)
    remind("by the same request", 1, once=once)
    remind("another request of its key", 1, once=IdempotencyKey("seat", "key", "other"))
    told.do("what may be sent now", lambda: reminding.read_reminders(site, match_id))
    bob = house.claim("invitation", match_id, 1)
    told.do("was Bob's sent", lambda: reminding.was_sent_first_mail(site, bob))
    send_all_mails(house, told)
    told.do("now it was", lambda: reminding.was_sent_first_mail(site, bob))
    told.do("not to who asks for another", lambda: reminding.was_sent_first_mail(site, house.claim("play", "ff", 1)))
    house.clock.forward(days=1)
    remind("a third", 1)
    house.clock.forward(days=1)
    remind("a fourth", 1)
    matches.decline_invitation(site, bob)
    told.skip()
    remind("who has declined", 1)
    told.do("what may be sent at last", lambda: reminding.read_reminders(site, match_id))
    matches.cancel_or_leave_match(site, own)
    told.skip()
    remind("when it is called off", 2)
    send("when it is called off", 4)

    told.part("names that bots get")
    with site.reading() as session:
        match = store.get_match(session, match_id)
    ids = ("00000000ffff", "00000001", "0000000a", "00000011", "ffffffff")
    match_of = {one: type(match)(**match.model_dump() | {"id": one}) for one in ids}
    told.do("by the match", lambda: {one: seating.choose_bot_name(match_of[one], ()) for one in ids})
    own_names = [seating.choose_bot_name(match_of["00000000ffff"], (), name) for name in ("Daiki", "Nobody", "?")]
    told.do("by wish", lambda: own_names)
    names = store.game_by_slug(match.game).meta.bot_names
    told.do("where some are taken", lambda: seating.choose_bot_name(match, names[:2]))
    told.do("where all are", lambda: seating.choose_bot_name(match, names))
    told.do("twice", lambda: seating.choose_bot_name(match, [*names, f"{names[0]} 2"], names[1]))
    told.do("all of them twice", lambda: seating.choose_bot_name(match, [*names, *(f"{one} 2" for one in names)]))
