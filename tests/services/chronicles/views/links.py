"""What the links of a seat open, and what those who wait for news learn."""

from __future__ import annotations

from typing import Any

from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import NewMatch, OpenSeat, Unnamed
from pbem.services.log import cancellation
from pbem.services.players.players import read_account
from pbem.services.tokens import ERA, OpeningClaim
from pbem.services.views import match_views, seats, waiting
from pbem.services.views.waiting import Known
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import LONDON, PARIS, change_rows, invitee
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House, address_of


def tell(house: House, told: Chronicle) -> None:
    _tell_seats(house, told)
    _tell_waiting(house, told)


def _what_is_seen(seated: seats.Seated) -> Any:
    """What is shown of a seat, its table by the names alone."""
    shown = {name: value for name, value in vars(seated).items() if name != "sheet" and value}
    mine = {"status": seated.status, "organiser": seated.organiser, "names": seated.sheet.names}
    return {**shown, **mine, "version": seated.sheet.version}


def _tell_seats(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("a seat")
    wanted: list[Any] = [invitee("Alice"), Unnamed(address_of("Bob")), OpenSeat()]
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", wanted, windows="at_once"))
    told.skip()

    def see(title: str, seat: int, epoch: int = 0, purpose: Any = "play") -> None:
        told.do(title, lambda: _what_is_seen(seats.read_seat(site, house.claim(purpose, match_id, seat, epoch))))

    see("Alice, before confirming", 0, purpose="confirm")
    matches.confirm_match(site, house.claim("confirm", match_id, 0), *PARIS)
    told.skip()
    see("Alice", 0)
    see("with an old link", 0, 1)
    see("Bob, who is asked for a name", 1, purpose="invitation")
    see("an open one", 2, ERA)
    told.do("no such match", lambda: seats.read_seat(site, house.claim("play", "ff", 0)))
    told.do("no such seat", lambda: seats.read_seat(site, house.claim("play", match_id, 3)))
    link = OpeningClaim(match_id, 2, 1)
    for name in ("Carol", "Dave"):
        joining.claim_seat(site, link, invitee(name), *LONDON)
    told.skip()
    see("Carol, where Dave has asked since", 2, ERA + 1, "invitation")
    see("Dave", 2, ERA + 2, "invitation")
    claims = [house.claim("mute", match_id, 2, ERA + one) for one in (1, 2)]
    for muted in (True, False):
        told.do(f"Carol, muted {muted}", lambda muted=muted: seats.mute(site, claims[0], muted))  # type: ignore[misc]
        told.do(f"Dave, muted {muted}", lambda muted=muted: seats.mute(site, claims[1], muted))  # type: ignore[misc]
    told.do("with another link", lambda: seats.mute(site, house.claim("play", match_id, 2, ERA + 2), True))
    told.do("whose language", lambda: seats.language_and_zone(site, house.claim("invitation", match_id, 2, ERA + 1)))
    told.do("Alice's", lambda: seats.language_and_zone(site, house.claim("play", match_id, 0)))
    told.do("nobody's", lambda: seats.language_and_zone(site, house.claim("play", match_id, 9)))
    told.do("a new link for Bob", lambda: seats.renew_link(site, house.claim("play", match_id, 1)))
    bob = id_of(house, "Bob")
    account = read_account(site, bob)
    told.do("Bob's seat", lambda: seats.own_seat(site, account, match_id))
    told.do("what Bob was called", lambda: seats.latest_name(site, account))
    matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON)
    told.skip()
    told.do("a letter is no name", lambda: seats.latest_name(site, account))
    told.do("Bob's seat now", lambda: seats.own_seat(site, account, match_id))
    house.clock.forward(hours=1)
    begun = house.begin(3)
    told.do("what Bob was called then", lambda: seats.latest_name(site, account))
    again = house.create(3)
    change_rows(house, told, "UPDATE seats SET name = '(B)' WHERE match_id = :m AND seat = 1", m=again)
    told.do(
        "which the invitation proposes", lambda: seats.read_seat(site, house.claim("invitation", again, 1)).latest_name
    )
    matches.decline_invitation(site, house.claim("invitation", match_id, 2, ERA + 2))
    told.skip()
    see("Dave, who has declined", 2, ERA + 2, "invitation")

    told.part("a seat in play")
    match_id = begun
    change_rows(house, told, "UPDATE seats SET stand_in = 'greedy' WHERE match_id = :m AND seat = 1", m=begun)
    orders = "INSERT INTO orders (match_id, seat, version, body, via, news) VALUES (:m, :s, 1, '[1]', 'page', '[2]')"
    for seat in (0, 1):
        change_rows(house, told, orders, m=begun, s=seat)
    see("Bob's", 1)
    see("for the orders", 1, 0, "orders")
    see("to mute it", 1, 0, "mute")
    for title, purpose, seat in (("its page", "play", 1), ("with another link", "mute", 1), ("Carol's", "play", 2)):
        claim = house.claim(purpose, begun, seat)  # type: ignore[arg-type]
        told.do(title, lambda claim=claim: _play(house, claim))  # type: ignore[misc]
    told.do("watched", lambda: _watch(house, begun))
    told.do("no such match", lambda: _watch(house, "ff"))
    told.do("play tokens", lambda: seats.play_token(site, begun, 1))
    change_rows(house, told, "UPDATE seats SET muted = true WHERE match_id = :m", m=begun)
    told.do("Bob's mails go on", lambda: seats.mute(site, house.claim("mute", begun, 1), False))
    told.do("how the question closed", lambda: seats.how_closed(site, begun, 1, "t0.ally1"))
    change_rows(house, told, "DELETE FROM orders")
    house.play(begun, 1)
    told.skip()
    told.do("and now", lambda: seats.how_closed(site, begun, 1, "t0.ally1"))
    told.do("no such question", lambda: seats.how_closed(site, begun, 1, "t9"))
    claim = house.claim("play", begun, 1)
    told.do("all links to Bob", lambda: seats.write_to_owner(site, claim))
    told.do("twice", lambda: seats.write_to_owner(site, claim))
    told.do("a new link", lambda: seats.renew_link(site, claim))
    told.do("with the old one", lambda: seats.renew_link(site, claim))
    newer = house.claim("play", begun, 1, 1)
    told.do("all links, by the old one", lambda: seats.write_to_owner(site, claim))
    change_rows(house, told, "UPDATE players SET bounced_at = '2026-03-12 12:04:00' WHERE id = :p", p=bob)
    told.do("a new link, where mails are refused", lambda: seats.renew_link(site, newer))
    change_rows(house, told, "UPDATE players SET bounced_at = NULL WHERE id = :p", p=bob)
    change_rows(house, told, "UPDATE seats SET player_id = NULL WHERE match_id = :m AND seat = 1", m=begun)
    told.do("when nobody has the seat", lambda: seats.renew_link(site, newer))
    told.do("all links, too", lambda: seats.write_to_owner(site, newer))
    see("whose it was", 1, 1)
    told.do("its token", lambda: seats.play_token(site, begun, 1))

    told.part("a guest's seat")
    guest = matches.start_match_against_bots(site, STRANGER, "hogen", "Fanny", *LONDON)
    told.skip()
    match_id = guest.match_id
    see("as they see it", 0)
    claim = house.claim("play", match_id, 0)
    told.do("a new link", lambda: seats.renew_link(site, claim))
    told.do("all links", lambda: seats.write_to_owner(site, claim))
    told.do("the token", lambda: seats.play_token(site, match_id, 0))
    told.do("their own", lambda: seats.own_seat(site, read_account(site, guest.player.player_id), match_id))


def _play(house: House, claim: Any) -> Any:
    seated, view = seats.read_play(house.site, claim)
    with house.site.reading() as session:
        *_, talk, match = seats.page_of(session, house.site, claim, match_views.glance)
    return [_what_is_seen(seated), view.viewer, type(view.fold).__name__, view.ask is not None, talk, match.id]


def _watch(house: House, match_id: str) -> Any:
    view = seats.watch(house.site, match_id, "en", 4)
    return view.viewer, type(view.fold).__name__, view.sheet.version


def _tell_waiting(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("waiting for news")
    running, ended, inviting, unconfirmed = house.begin(3), house.begin(3), house.create(3), house.create(3)
    matches.confirm_match(site, house.claim("confirm", inviting, 0), *PARIS)
    cancellation.cancel_match_for_host(site, ended)
    told.skip()
    afters = [(viewer, after) for viewer in (None, 0) for after in (0, 1, 2)]
    for title, status in (("running", "running"), ("paused", "paused"), ("over", "over")):
        change_rows(house, told, "UPDATE matches SET status = :s WHERE id = :m", s=status, m=running)
        told.do(title, lambda: [waiting.read_game_and_head_if_unchanged(site, running, *one) for one in afters])
    change_rows(house, told, "UPDATE matches SET status = 'running', spectators = false WHERE id = :m", m=running)
    told.do(
        "without spectators",
        lambda: [waiting.read_game_and_head_if_unchanged(site, running, viewer, 1) for viewer in (None, 0)],
    )
    change_rows(house, told, "UPDATE matches SET spectators = true, game = 'go' WHERE id = :m", m=running)
    told.do("of a game that is not here", lambda: waiting.read_game_and_head_if_unchanged(site, running, 0, 1))
    change_rows(house, told, "UPDATE matches SET game = 'hogen' WHERE id = :m", m=running)
    told.do("of none", lambda: waiting.read_game_and_head_if_unchanged(site, "f" * 24, 0, 1))
    told.do("no id", lambda: waiting.read_game_and_head_if_unchanged(site, "x", 0, 1))
    known = [
        Known(match_id, version, seat, epoch)
        for match_id in (running, ended, "f" * 24)
        for version in (0, 1, 2)
        for seat, epoch in ((None, None), (0, 0), (1, 1), (9, None))
    ]
    names = {running: "running", ended: "ended"}
    told.do(
        "news", lambda: [(names.get(one.match_id), *one[1:]) for one in waiting.find_outdated_among_known(site, known)]
    )
    alice, bob, fanny = id_of(house, "Alice"), id_of(house, "Bob"), 999
    told.do("places", lambda: waiting.read_places_of_players(site, [bob, fanny]))
    change_rows(house, told, "UPDATE matches SET status = 'paused' WHERE id = :m", m=running)
    change_rows(house, told, "UPDATE asks SET sealed_at = opened_at WHERE match_id = :m AND seat = 0", m=running)
    told.do("where an answer is sealed", lambda: waiting.read_places_of_players(site, [alice]))
    told.do(
        "what is unconfirmed is no place",
        lambda: unconfirmed in str(waiting.read_places_of_players(site, [alice, bob])),
    )
