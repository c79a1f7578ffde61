"""What a dishonest host could do to a log, and what two players hold against it.

The host knows everything, so each forgery puts seals, chain and header right again. A mailbox holds what the mails of a
match gave to one player: the commitment, and the head of the chain at some entries.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec

from pbem.features.lab.sealing import seal_log
from pbem.games import find_game
from pbem.kit.chance import KeyLuck
from pbem.kit.logs import chain
from pbem.kit.logs.chain import find_entry_with_mark, hash_word, mark_of
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log, log_to_bytes, read
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import Absent, AnyEntry, By, Entry, MatchEnded, Resigned, Returned, Undone, full_fold
from tests.transcripts import log_of

Forge = Callable[[Log, Random], Log]

TIME = "2026-02-03T04:05:06Z"


class Mailbox(NamedTuple):
    """What one player holds: a commitment, and heads by the number of the entry after which they were mailed."""

    commitment: str
    heads: Mapping[int, str]


def mailbox_of_player(log: Log, luck: Random, share: float = 0.2, *, end: bool = True) -> Mailbox:
    """Returns the mailbox of a player of this log: mails after such a share of its entries, and at its `end`."""
    heads = log.heads()
    mailed = [n for n in range(1, len(heads) - 1) if luck.random() < share]
    return Mailbox(log.commitment, {n: heads[n] for n in (*mailed, *([len(heads) - 1] if end else []))})


def agrees_with_itself(log: Log) -> bool:
    """True if somebody without any mail finds nothing wrong with the log."""
    try:
        return verify(read(log_to_bytes(log), find_game)).ok
    except BadLog:
        return False


def do_mails_differ(log: Log, box: Mailbox) -> bool:
    """True if the player's mails are not those of this log: they have another commitment, or other heads."""
    heads = log.heads()
    return log.commitment != box.commitment or any(
        find_entry_with_mark(heads, head) != n for n, head in box.heads.items()
    )


def does_player_detect(log: Log, box: Mailbox) -> bool:
    """True if the player finds that the log does not hold, from their mailbox alone."""
    return do_mails_differ(log, box) or not agrees_with_itself(log)


def with_entries(log: Log, entries: Iterable[AnyEntry], windows: Sequence[bool] | None = None) -> Log:
    """Returns the log with these entries, numbered afresh, as the host would seal and chain them.

    `windows` says which of them answer a question of a window; by default those that did in the log, whose number may
    change only if there were none.
    """
    assert log.proof is not None
    entries = list(entries)
    if windows is None:
        windows = [chain.BY in sealed for sealed in log.proof.sealed]
        windows = windows if any(windows) else [False] * len(entries)
    renumbered = [msgspec.structs.replace(entry, n=n) for n, entry in enumerate(entries, 1)]
    key = log.key()
    sealed = tuple(
        chain.seals_and_salts_of_entry(key, entry, window=w)[0] for entry, w in zip(renumbered, windows, strict=True)
    )
    proof = msgspec.structs.replace(log.proof, sealed=sealed, salts=({},) * len(sealed), head="")
    forged = msgspec.structs.replace(log, entries=tuple(renumbered), proof=proof)
    return msgspec.structs.replace(forged, proof=msgspec.structs.replace(proof, head=forged.heads()[-1]))


def _at_random(log: Log, luck: Random, fits: Callable[[AnyEntry], bool] = lambda entry: entry.key is not None) -> int:
    """Returns the place of an entry that fits."""
    return luck.choice([at for at, entry in enumerate(log.entries) if fits(entry)])


def _with_entry_changed(log: Log, place: int, **changes: Any) -> Log:
    entries = list(log.entries)
    entries[place] = msgspec.structs.replace(entries[place], **changes)
    return with_entries(log, entries)


def change_fact(log: Log, luck: Random) -> Log:
    """One event says something else: that of another entry of its type."""
    alike = [
        (at, other)
        for at, entry in enumerate(log.entries)
        for other in log.entries
        if type(other.event) is type(entry.event) and other.event != entry.event
    ]
    at, other = luck.choice(alike)
    return _with_entry_changed(log, at, event=other.event)


def exchange_secret(log: Log, luck: Random) -> Log:
    """One secret value, or one element of it, is another one of the same kind, with a seal that fits."""
    sealed = [(entry, name) for entry in log.entries for name in _secret_fields(entry)]
    entry, name = luck.choice(sealed)
    others = [v for e, n in sealed if n == name for v in [getattr(e.event, n)] if v != getattr(entry.event, name)]
    value = getattr(entry.event, name)
    other = luck.choice(others) if others else value[::-1]
    return _with_entry_changed(log, entry.n - 1, event=msgspec.structs.replace(entry.event, **{name: other}))


def drop_entry(log: Log, luck: Random) -> Log:
    """An entry is missing."""
    return _without(log, _at_random(log, luck))


def _without(log: Log, at: int) -> Log:
    assert log.proof is not None
    windows = [chain.BY in sealed for sealed in log.proof.sealed]
    return with_entries(log, [*log.entries[:at], *log.entries[at + 1 :]], windows[:at] + windows[at + 1 :])


def reorder(log: Log, luck: Random) -> Log:
    """Two entries have changed places."""
    entries = list(log.entries)
    at = luck.choice([i for i in range(1, len(entries) - 1) if entries[i].event != entries[i + 1].event])
    entries[at], entries[at + 1] = entries[at + 1], entries[at]
    return with_entries(log, entries)


def cut_off(log: Log, luck: Random) -> Log:
    """The end is missing."""
    assert log.proof is not None
    count = luck.randrange(1, len(log.entries))
    windows = [chain.BY in sealed for sealed in log.proof.sealed][:count]
    return with_entries(log, log.entries[:count], windows)


def draw_again(log: Log, luck: Random) -> Log:
    """Another match of the same people, from another seed, with a commitment of its own."""
    table = Table(log.game, log.seats, log.options, luck.randbytes(32))
    for _ in random_decisions(table):
        pass
    return log_of(table)


def exchange_seed(log: Log, luck: Random) -> Log:
    """Seed and commitment are exchanged together; the facts stay."""
    assert log.proof is not None
    return seal_log(log.game, log.options, log.seats, log.proof.deal, luck.randbytes(32), log.proof.words, log.entries)


def exchange_word(log: Log, luck: Random) -> Log:
    """A seat's word is another one."""
    assert log.proof is not None
    words = list(log.proof.words)
    words[luck.randrange(len(words))] = hash_word(str(luck.random()))
    assert log.seed is not None
    return seal_log(log.game, log.options, log.seats, log.proof.deal, log.seed, words, log.entries)


def exchange_word_and_play(log: Log, luck: Random) -> Log:
    """The host has put another word in place of the one that the last seat typed, before anything was drawn."""
    words = (*_words(log)[:-1], hash_word(str(luck.random())))
    table = Table(log.game, log.seats, log.options, log.seed or b"", words=words)
    for _ in random_decisions(table):
        pass
    return log_of(table)


def change_time(log: Log, luck: Random) -> Log:
    """An entry has another time."""
    return _with_entry_changed(log, _at_random(log, luck), at=TIME)


def change_way(log: Log, luck: Random) -> Log:
    """A move was entered in another way."""
    first = log.entries[_at_random(log, luck, lambda entry: entry.by.seat is not None)]
    by = By(seat=first.by.seat, via="api")
    return with_entries(
        log,
        (
            msgspec.structs.replace(entry, by=by) if (entry.key, entry.by) == (first.key, first.by) else entry
            for entry in log.entries
        ),
    )


def blame_a_bot(log: Log, luck: Random) -> Log:
    """All moves of a person are a bot's."""
    seat = luck.randrange(log.seats)
    by = By(bot=seat, via="greedy", version=log.game.meta.bot_version)
    entries = [msgspec.structs.replace(entry, by=by) if entry.by.seat == seat else entry for entry in log.entries]
    return with_entries(log, entries)


def insert_table_entries(log: Log, luck: Random) -> Log:
    """A seat was absent for a moment, which moved all later draws in the first format."""
    assert log.proof is not None
    at, seat = _at_random(log, luck), luck.randrange(log.seats)
    more = [Entry(0, TIME, By(table=True), None, event) for event in (Absent(seat), Returned(seat))]
    windows = [chain.BY in sealed for sealed in log.proof.sealed]
    entries = [*log.entries[:at], *more, *log.entries[at:]]
    return with_entries(log, entries, [*windows[:at], False, False, *windows[at:]])


def break_seal(log: Log, luck: Random) -> Log:
    """A seal is another one; the host did not care to put the header right."""
    assert log.proof is not None
    sealed = list(log.proof.sealed)
    at = luck.choice([i for i, one in enumerate(sealed) if one])
    path = luck.choice(sorted(sealed[at]))
    sealed[at] = {**sealed[at], path: luck.randbytes(32).hex()}
    return msgspec.structs.replace(log, proof=msgspec.structs.replace(log.proof, sealed=tuple(sealed)))


def seal_something_public(log: Log, luck: Random) -> Log:
    """What everybody may see has a seal, under which each viewer could be shown something else."""
    assert log.proof is not None
    at = _at_random(log, luck, lambda entry: bool(_public_fields(entry)))
    entry, key = log.entries[at], log.key()
    path = f"event.{luck.choice(_public_fields(entry))}"
    seal = chain.seal_of_value(chain.salt_of_value(key, entry.n, path), chain.value_at(entry, path))
    return with_sealed(log, at, {**log.proof.sealed[at], path: seal})


def _public_fields(entry: AnyEntry) -> list[str]:
    fields = type(entry.event).__struct_fields__
    return sorted({*fields} - {*_secret_fields(entry)})


def _secret_fields(entry: AnyEntry) -> list[str]:
    paths = chain.paths_with_seal(entry.event, window=False)
    return [*dict.fromkeys(path.split(".")[1] for path in paths)]


def leave_out_a_seal(log: Log, luck: Random) -> Log:
    """A secret has no seal: it stands in the chain for all to see."""
    assert log.proof is not None
    at = luck.choice([i for i, one in enumerate(log.proof.sealed) if one])
    gone = luck.choice(sorted(log.proof.sealed[at]))
    return with_sealed(log, at, {path: seal for path, seal in log.proof.sealed[at].items() if path != gone})


def with_sealed(log: Log, at: int, sealed: Mapping[str, str]) -> Log:
    """Returns the log with these seals of one entry, and the chain that follows from them."""
    assert log.proof is not None
    seals = (*log.proof.sealed[:at], sealed, *log.proof.sealed[at + 1 :])
    proof = msgspec.structs.replace(log.proof, sealed=seals)
    head = msgspec.structs.replace(log, proof=proof).heads()[-1]
    return msgspec.structs.replace(log, proof=msgspec.structs.replace(proof, head=head))


def end_by_the_table(log: Log, luck: Random) -> Log:
    """A player has won in the middle, because all others are said to have resigned."""
    assert log.proof is not None
    count = luck.choice([at for at in range(1, len(log.entries)) if log.entries[at].key != log.entries[at - 1].key])
    winner = luck.randrange(log.seats)
    told = [*(Resigned(seat) for seat in range(log.seats) if seat != winner), MatchEnded("last_seat", (winner,))]
    windows = [chain.BY in sealed for sealed in log.proof.sealed][:count] + [False] * len(told)
    more = [Entry(0, TIME, By(table=True), None, event) for event in told]
    return with_entries(log, [*log.entries[:count], *more], windows)


def end_without_people(log: Log, luck: Random) -> Log:
    """The match is said to have ended because only bots were left, although people had played."""
    assert log.proof is not None
    people = len(log.entries) - 1
    windows = [*[chain.BY in sealed for sealed in log.proof.sealed][:people], False]
    end = Entry(0, TIME, By(table=True), None, MatchEnded("no_people", tuple(range(log.seats))))
    return with_entries(log, [*log.entries[:people], end], windows)


def take_back(log: Log, luck: Random) -> Log:
    """Three decisions are taken back, and the match is played again with other luck."""
    entries = [entry for entry in log.entries if entry.key is None]
    start = len(entries)
    _play_random_decisions(log, entries, luck, 0, 3)
    entries.append(Entry(len(entries) + 1, TIME, By(table=True), None, Undone(start)))
    _play_random_decisions(log, entries, luck, 1)
    return seal_log(log.game, log.options, log.seats, _deal(log), log.seed or b"", _words(log), entries)


def _deal(log: Log) -> str:
    assert log.proof is not None
    return log.proof.deal


def _words(log: Log) -> Sequence[str]:
    assert log.proof is not None
    return log.proof.words


def _play_random_decisions(log: Log, entries: list[AnyEntry], luck: Random, takebacks: int, most: int = 10_000) -> None:
    """Plays at most this many decisions at random, after this many take-backs, and appends their entries."""
    state, mark = full_fold(log.game, entries), f"~{takebacks}" if takebacks else ""
    for _ in range(most):
        asks = log.game.pending(state)
        if not asks:
            return
        ask = luck.choice(asks)
        move = luck.choice(log.game.legal(state, ask.seat))
        for event in log.game.decide(state, ask.seat, move, KeyLuck(log.key(), takebacks).rules(0)):
            entries.append(Entry(len(entries) + 1, TIME, By(seat=ask.seat), ask.key + mark, event))
            state = log.game.evolve(state, event)


FORGERIES: tuple[Forge, ...] = (
    change_fact, exchange_secret, drop_entry, reorder, cut_off, draw_again, exchange_seed, exchange_word, change_time,
    change_way, blame_a_bot, insert_table_entries, break_seal, seal_something_public, leave_out_a_seal,
    end_by_the_table, end_without_people, take_back,
)  # fmt: skip
"""What can be done to a log after the mails have gone out."""

LIES: Mapping[str, tuple[Forge, ...]] = {
    "times": (change_time,), "via": (change_way,), "table": (insert_table_entries, end_by_the_table),
    "players": (draw_again,), "takebacks": (take_back,), "words": (exchange_word_and_play,),
}  # fmt: skip
"""What a host can write into the log from the start, so that all mails agree: by its name in `NOT_CHECKED`."""


def birthday_fork(log: Log) -> tuple[Log, Log]:
    """Returns two logs that differ in the time of their last entry and end in the same mark: a million tries or so."""
    assert log.proof is not None
    before, last, sealed = log.heads()[-2], log.entries[-1], log.proof.sealed[-1]
    assert chain.AT not in sealed
    known: dict[str, str] = {}
    for number in range(10_000_000):
        at = f"2026-02-03T04:{number // 60_000_000:02}:{number // 1_000_000 % 60:02}.{number % 1_000_000:06}Z"
        mark = mark_of(chain.next_head(before, msgspec.structs.replace(last, at=at), sealed))
        if mark in known:
            one, other = (_with_entry_changed(log, len(log.entries) - 1, at=time) for time in (known[mark], at))
            return one, other
        known[mark] = at
    raise AssertionError("ten million tries found no two of the same mark")
