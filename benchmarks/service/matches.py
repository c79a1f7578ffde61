"""Matches that are in the database before anything is measured, and scripts of the moves to play in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from benchmarks.service.endless import Ticked
from pbem.games import all_games, find_game
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask
from pbem.kit.logs.chain import commit
from pbem.kit.play import DEAL, Table, random_decisions, word_hashes_from_seed
from pbem.kit.replay import By
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.log import proofs
from pbem.services.log.table import Step, lock_table, table_of
from pbem.services.play.decisions import apply_move_without_sealing
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayClaim

DAY = 86_400


@dataclass(frozen=True)
class Answer:
    """One answer, as a client sends it."""

    seat: int
    key: str
    move: bytes
    mailed: bool = True
    """Whether a mail asks for it: not if it follows the same seat's answer in the same turn."""


@dataclass
class OpenMatch:
    """A match that has begun, and the answers to play in it."""

    id: str
    game: str
    tokens: list[str]
    script: list[Answer] = field(default_factory=list)


def random_script(game: AnyGame, seats: int, seed: bytes, most: int, deal: str = DEAL) -> list[Answer]:
    """Returns a match of random moves under this seed and deal id, as its players' answers."""
    table, out, mailed = Table(game, seats, game.meta.options(), seed, deal=deal), list[Answer](), dict[AskKey, bool]()
    before: Ask | None = None
    for ask, move in random_decisions(table):
        for asked in game.pending(table.state):
            mailed.setdefault((asked.seat, asked.key), not _goes_on_without_mail(game, before, asked))
        out.append(Answer(ask.seat, ask.key, encode(move), mailed[ask.seat, ask.key]))
        before = ask
        if len(out) == most:
            break
    return out


def script_of(game: AnyGame, seats: int, number: int, most: int) -> list[Answer]:
    """Returns the script of the match that `create_match` makes of this number."""
    return random_script(game, seats, number.to_bytes(32, "big"), most, f"{number:024x}")


AskKey = tuple[int, str]


def _goes_on_without_mail(game: AnyGame, answered: Ask | None, asked: Ask) -> bool:
    """Returns whether the question goes on with the turn of the answered one, so that no mail asks it."""
    if answered is None or (answered.seat, answered.turn) != (asked.seat, asked.turn):
        return False
    return game.meta.asks[answered.kind].window == game.meta.asks[asked.kind].window


def create_match(
    site: Site, slug: str, number: int, *, seats: int | None = None, most: int = 300, scripted: bool = True,
    ahead: int = 0, players: Mapping[int, int] | None = None, bots: Mapping[int, str] | None = None,
) -> OpenMatch:  # fmt: skip
    """Creates a match that has begun, with the first `ahead` answers of its script played.

    It has the fewest seats of its game unless told otherwise. `players` and `bots` sit on these seats, new players on
    all others.
    """
    game = find_game(slug)
    assert game is not None
    seats, seed, match_id = seats or game.meta.seats[0], number.to_bytes(32, "big"), f"{number:024x}"
    plan = script_of(game, seats, number, most + ahead) if scripted else []
    with site.writing() as session:
        match = _begin_match(site, session, game, seats, seed, match_id, players or {}, bots or {})
    created = OpenMatch(
        match, slug, [site.tokens.sign(PlayClaim(match, seat, 0)) for seat in range(seats)], plan[ahead:]
    )
    if ahead:
        play_ahead(site, game, created.id, plan[:ahead])
    return created


def _begin_match(
    site: Site, session: Work, game: AnyGame, seats: int, seed: bytes, match_id: str, players: Mapping[int, int],
    bots: Mapping[int, str],
) -> str:  # fmt: skip
    now, options = site.now(), game.meta.options()
    match = Match(
        id=match_id, game=game.meta.slug, options=encode(options).decode(), status="running", seed=seed,
        commitment=commit(match_id, seed, word_hashes_from_seed(seed, seats)[0]), turn_s=3 * DAY, window_s=DAY,
        created_at=now, started_at=now,
    )  # fmt: skip
    people = {
        i: Player(address=f"{match_id}.{i}@example.org", canonical=f"{match_id}.{i}@example.org", language="en",
               verified_at=now, created_at=now - timedelta(days=1))
        for i in range(seats) if i not in players and i not in bots
    }  # fmt: skip
    session.add_all([match, *people.values()])
    session.flush()
    known = {i: person.id for i, person in people.items()} | dict(players)
    names = ("Alice", "Bob", "Carol", "Dave", "Erin", "Frank")
    sitting = [
        SeatRow(match_id=match_id, seat=i, player_id=known.get(i), bot=bots.get(i), name=names[i], status="accepted")
        for i in range(seats)
    ]
    session.add_all(sitting)
    proofs.store_word_hashes(match, sitting)
    session.flush()
    table_of(session, match, now).append(
        Step(game.setup(seats, options, proofs.luck_of(match).rules(1)), By(table=True))
    )
    return match_id


def play_ahead(site: Site, game: AnyGame, match_id: str, answers: list[Answer]) -> None:
    """Plays these answers in one transaction. Each player has read what happened up to their own last answer."""
    with site.writing() as session:
        table, read = lock_table(session, match_id), dict[int, int]()
        for said in answers:
            read[said.seat] = table.match.version
            move = codec_for(game).move(said.move)
            ask = table.ask(said.key, said.seat)
            assert ask is not None, "it is a question of the script"
            apply_move_without_sealing(table, ask, move, By(seat=said.seat, via="api"), "seat")
        for seat, upto in read.items():
            row = session.get_one(SeatRow, (match_id, seat))
            row.seen = upto


def advance_endless_match(site: Site, match_id: str, ticks: int) -> None:
    """Advances an endless match by this many events, in one step."""
    with site.writing() as session:
        lock_table(session, match_id).append(Step([Ticked()] * ticks, By(table=True)))


def create_matches(site: Site, answers: int, first: int = 1) -> list[OpenMatch]:
    """Creates matches of all games in turn, with this many answers left to play in all, numbered from `first`."""
    slugs = [slug for slug in all_games() if slug != "endless"]

    def create() -> Iterator[OpenMatch]:
        left, number = answers, first
        while left > 0:
            match = create_match(site, slugs[number % len(slugs)], number)
            left -= len(match.script)
            number += 1
            yield match

    return list(create())
