"""Writes the test vectors of words, luck, seals and chain, by which any other program can be tested, too.

python -m tests.kit.proof.write_vectors        writes tests/kit/proof/vectors.json
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pbem.kit.chance import Chance, KeyLuck
from pbem.kit.codec import encode
from pbem.kit.contract import Event, Seat, Viewer
from pbem.kit.logs import chain
from pbem.kit.logs.chain import commit, hash_word, key_of_luck, mark_of, normalize_word, word_from_seed
from pbem.kit.logs.entries import SealedEntry
from pbem.kit.logs.logfile import FORMAT
from pbem.kit.replay import AnyEntry, By, Entry, Resigned, Undone, redact_entries
from pbem.kit.secrecy import each, nobody, to

FILE = Path(__file__).with_name("vectors.json")

ZEROS, COUNTING = bytes(32), bytes(range(32))
DEAL = "5f0c2a7e91b34d68a1c0ffee"
TIME = "2026-02-03T04:05:06Z"


class Shuffled(Event, frozen=True):
    """A toy's deal: piles of cards to their seats, and some that nobody sees."""

    hands: Annotated[tuple[tuple[str | None, ...], ...], each()]
    rest: Annotated[tuple[str | None, ...], nobody()]
    none: Annotated[tuple[str | None, ...], nobody()]
    open: tuple[str, ...]


class Chosen(Event, frozen=True):
    """A toy's choice, which its seat alone sees until it is public."""

    seat: Seat
    card: Annotated[str | None, to("seat", unless="public")]
    public: bool = False


class Threw(Event, frozen=True):
    """A toy's die."""

    seat: Seat
    pips: int


BLANKS = (*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0x1680, 0x2028, 0x2029)
"""The white space of words, after NFKC."""
NFKC_BLANKS = (0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
"""What is U+0020 after NFKC."""
NO_BLANKS = (0x08, 0x1B, 0x7F, 0x180E, 0x200B, 0x2060, 0x2800, 0xFEFF)
"""What looks like white space, or is such elsewhere, and is none."""


def vectors_of_words() -> dict[str, Any]:
    """Returns words as typed and as they count, and those that follow from a seed."""
    typed = ["Abricot", "  L’ÉTÉ\u00a0 \t indien ", "ﬁn de partie", "ΣΊΣΥΦΟΣ", "日本", "e\u0301te\u0301", "Straße №5"]
    typed += [f"{chr(one)}a{chr(one)}{chr(one)}b{chr(one)}" for one in (*BLANKS, *NFKC_BLANKS, *NO_BLANKS)]
    return {
        "typed": [{"typed": one, "counts": normalize_word(one), "hash": hash_word(one)} for one in typed],
        "derived": [
            {"seed": seed.hex(), "seat": seat, "word": word_from_seed(seed, seat)}
            for seed in (ZEROS, COUNTING)
            for seat in (0, 1, 5, 11)
        ],
    }


def vectors_of_keys() -> list[dict[str, Any]]:
    """Returns commitments and keys of matches of two and of five."""
    found = []
    for seed, deal, seats in ((ZEROS, "0", 2), (COUNTING, DEAL, 5)):
        hashes = [hash_word(word_from_seed(seed, seat)) for seat in range(seats)]
        found.append({
            "seed": seed.hex(), "deal": deal, "words": hashes, "commitment": commit(deal, seed, hashes[0]),
            "key": key_of_luck(deal, seed, hashes).hex(),
        })  # fmt: skip
    return found


DRAWS: Sequence[Sequence[tuple[str, int]]] = (
    [("below", 6)] * 12,
    [("below", n) for n in (1 << 32, 1, 3 << 30, 3 << 30, 3 << 30, (1 << 31) + 1)],
    [("shuffle", 52)],
    [("shuffle", 0), ("shuffle", 1), ("shuffle", 5), ("below", 10), ("shuffle", 3)],
)  # fmt: skip


def vectors_of_streams() -> list[dict[str, Any]]:
    """Returns draws of streams of each purpose; the draws of one follow each other."""
    found = []
    for key in (ZEROS, COUNTING):
        luck, back = KeyLuck(key), KeyLuck(key, 3)
        for drawn in DRAWS:
            for purpose, name, takebacks, chance in (
                ("decide", "deal:r1", 0, luck.rules(1).named("deal:r1")),
                ("decide", "die:s1:7", 3, back.rules(1).named("die:s1:7")),
                ("fallback", "t3.answer:s1", 0, luck.fallback(1, "t3.answer", 1)),
                ("bot", "r2.t5.call:s4", 3, back.bot(1, "r2.t5.call", 4)),
            ):
                stream = {"key": key.hex(), "purpose": purpose, "name": name, "takebacks": takebacks}
                found.append(stream | {"draws": [_draw(chance, kind, n) for kind, n in drawn]})
    return found


def _draw(chance: Chance, kind: str, n: int) -> dict[str, Any]:
    result = chance.below(n) if kind == "below" else [*chance.shuffled(range(n))]
    return {"kind": kind, "n": n, "result": result}


def vectors_of_seals() -> list[dict[str, Any]]:
    """Returns salts and seals of values of all forms."""
    values: list[tuple[int, str, Any]] = [
        (1, "event.hands.0", ["B4", "F4"]),
        (7, "event.card", "É“\\\n\u2028\x7f\x1f🂡"),
        (9, "by", {"seat": 2, "via": "web"}),
        (9, "at", TIME),
        (20_000, "event.count", 4_294_967_296),
        (12, "event.none", []),
        (13, "event.map", {"é": 1, "z": 2, "A": [None, True], "🂡": 3, "\ufb01": 4}),
    ]
    found = []
    for n, path, value in values:
        salt = chain.salt_of_value(COUNTING, n, path)
        found.append({
            "key": COUNTING.hex(), "n": n, "path": path, "salt": salt, "value": value,
            "canonical": encode(value).decode(), "seal": chain.seal_of_value(salt, value),
        })  # fmt: skip
    return found


def _entries() -> list[tuple[AnyEntry, bool]]:
    """Returns the entries of a toy's match, and whether each answers a question of a window."""
    one, two = By(seat=0, via="web"), By(bot=1, via="greedy", version=3)
    deal = Shuffled((("a", "b"), ("c", "d")), ("e", "f"), (), ("g",))
    facts: list[tuple[By, str | None, Event, bool]] = [
        (By(table=True), None, deal, False),
        (one, "t1.choose", Chosen(0, "a"), False),
        (two, "t1.answer", Chosen(1, "c"), True),
        (By(table=True), None, Undone(1), False),
        (one, "t1.choose~1", Chosen(0, "b", public=True), False),
        (By(clock=1), "t2.throw~1", Threw(1, 4), False),
        (By(table=True), None, Resigned(1), False),
    ]
    return [(Entry(n, TIME, by, key, event), w) for n, (by, key, event, w) in enumerate(facts, 1)]


def _draws(key: bytes) -> list[dict[str, Any]]:
    """Returns a list of what was drawn in the toy's match."""
    luck, back = KeyLuck(key), KeyLuck(key, 1)
    drawn = [
        (1, "deal:r1", "decide", 0, luck.rules(1).named("deal:r1"), [("shuffle", 7)]),
        (6, "t2.throw:s1", "fallback", 1, back.fallback(6, "t2.throw", 1), [("below", 1000)]),
        (6, "die:s1:1", "decide", 1, back.rules(6).named("die:s1:1"), [("below", 1000), ("below", 2000)]),
    ]
    return [
        {"entry": entry, "name": name, "purpose": purpose, "takebacks": takebacks} | _draw(chance, kind, n)
        for entry, name, purpose, takebacks, chance, draws in drawn
        for kind, n in draws
    ]


def vectors_of_logs() -> dict[str, Any]:
    """Returns a toy's match as a full log, as its seats and a spectator see it, with its heads and marks."""
    hashes = (hash_word("Abricot"), hash_word(word_from_seed(COUNTING, 1)))
    header: dict[str, Any] = {
        "commitment": commit(DEAL, COUNTING, hashes[0]), "deal": DEAL, "game": "toy",
        "options": {"long": True}, "seats": 2, "words": [*hashes],
    }  # fmt: skip
    key = key_of_luck(DEAL, COUNTING, hashes)
    entries, windows = zip(*_entries(), strict=True)
    sealed = [
        chain.seals_and_salts_of_entry(key, entry, window=w)[0] for entry, w in zip(entries, windows, strict=True)
    ]
    first = chain.first_head(
        commitment=header["commitment"], deal=DEAL, game="toy", options=header["options"], seats=2, words=hashes
    )
    heads = [first, *chain.heads(first, entries, sealed)]
    header |= {"format": FORMAT, "head": heads[-1]}
    viewers: tuple[Viewer, ...] = (0, 1, None)
    documents = [
        header | {"viewer": "all", "seed": COUNTING.hex(), "events": _document(entries, sealed, [{} for _ in entries])}
    ]
    for viewer in viewers:
        seen = [
            _without_hand(entry, viewer, w) for entry, w in zip(redact_entries(entries, viewer), windows, strict=True)
        ]
        salts = [chain.salts_shown_from_key(key, entry, seals) for entry, seals in zip(seen, sealed, strict=True)]
        documents.append(header | {"viewer": viewer, "events": _document(seen, sealed, salts)})
    return {"documents": documents, "heads": heads, "marks": [*map(mark_of, heads)], "draws": _draws(key)}


def _without_hand(entry: AnyEntry, viewer: Viewer, window: bool) -> AnyEntry:
    """Returns the entry without the name of who answered a question of a window, for all but them."""
    return msgspec.structs.replace(entry, by=By()) if window and entry.seat_answered_for != viewer else entry


def _document(entries: Sequence[AnyEntry], sealed: Sequence[chain.Seals], salts: Sequence[chain.Salts]) -> Any:
    values = zip(entries, sealed, salts, strict=True)
    return msgspec.to_builtins(
        [SealedEntry(one.n, one.at, one.by, one.key, one.event, dict(seals), dict(salt)) for one, seals, salt in values]
    )


def all_vectors() -> dict[str, Any]:
    """Returns all vectors, as JSON has them."""
    found: dict[str, Any] = {
        "words": vectors_of_words(),
        "keys": vectors_of_keys(),
        "streams": vectors_of_streams(),
        "seals": vectors_of_seals(),
        "logs": vectors_of_logs(),
    }
    assert all(one != other for one, other in pairwise(found["logs"]["heads"])), "each entry changes the head"
    return dict(json.loads(encode(found)))


if __name__ == "__main__":
    FILE.write_text(json.dumps(all_vectors(), ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
