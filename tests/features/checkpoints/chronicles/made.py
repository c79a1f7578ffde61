"""Checkpoints: which logs are in them, what their notes say, and what other hosts cosign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Any
from unittest.mock import patch

from sqlmodel import update

from pbem.features.checkpoints import cosigning, days, making, notes, published
from pbem.features.checkpoints.days import Checkpoint, Day
from pbem.features.checkpoints.notes import Note, Signature
from pbem.features.checkpoints.tables import CheckpointRow
from pbem.models.tables import Match, table
from pbem.services.site import Site
from tests.features.checkpoints.played import add_entry, add_matches, next_midnight
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, result_in_a_line
from tests.table import House

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
LEAVES = [sha256(bytes([at])).digest() for at in range(9)]


def tell(house: House, told: Chronicle) -> None:
    told.part("trees")
    note_results_of_cases(told, "roots", lambda size: days.root_of_leaves(LEAVES[:size]).hex()[:16], range(10))
    for size in (1, 2, 5, 9):
        note_results_of_cases(
            told,
            f"proofs in a tree of {size}",
            lambda at, size=size: _proven(size, at),  # type: ignore[misc]
            range(size + 1),
        )
    told.part("notes")
    _tell_notes(told)
    told.part("days")
    _tell_days(told)
    told.part("making them")
    _tell_making(house, told)
    told.part("cosigning")
    _tell_cosigning(house, told)


def _proven(size: int, at: int) -> Any:
    proof = days.proof_of_leaf(LEAVES[:size], min(at, size - 1))
    root, leaf = days.root_of_leaves(LEAVES[:size]), LEAVES[min(at, size - 1)]
    tries: list[Callable[[], bytes]] = [
        lambda: days.root_from_proof(proof, leaf, at, size), lambda: days.root_from_proof(proof[:-1], leaf, at, size),
        lambda: days.root_from_proof([*proof, leaf], leaf, at, size), lambda: days.root_from_proof(proof, leaf, -1,
        size), lambda: days.root_from_proof(proof, LEAVES[(at + 1) % 9], at, size),
    ]  # fmt: skip

    def try_out(one: Callable[[], bytes]) -> str:
        try:
            return str(one() == root)
        except ValueError as wrong:
            return str(wrong)

    return [step.hex()[:4] for step in proof], [try_out(one) for one in tries]


def _tell_notes(told: Chronicle) -> None:
    signer = notes.Signer("a.org/pbem", notes.SIGNATURE, bytes(32))
    cosigner = notes.Signer("b.org/pbem", notes.COSIGNATURE, bytes([1]) * 32)
    note = Note("one\n\ntwo\n").with_signatures(
        signer.signature_of("one\n\ntwo\n", 7), cosigner.signature_of("one\n\ntwo\n", 7)
    )
    told.lines += [f"  {line}" for line in str(note).split("\n")]
    told.lines += [
        f"  {signer.key}",
        f"  {cosigner.key}",
        f"  {str(note.with_signatures(*note.signatures)) == str(note)}",
    ]
    key = str(signer.key)
    name, number, body = key.split("+", 2)
    note_results_of_cases(
        told,
        "keys",
        lambda text: notes.read_key(text).kind,
        (
            key,
            f" {key}\n",
            str(cosigner.key),
            "a+b",
            f"a b+{number}+{body}",
            f"+{number}+{body}",
            f"x+{number}+{body}",
            f"{name}+{number}+!",
            f"{name}+{number}+{body[:-4]}",
            f"{name}+00000000+{body}",
            f"{name}+{number}+Ag{body[2:]}",
        ),
    )
    line = str(note.signatures[0])
    texts: dict[str, str] = {
        "whole": str(note), "no break at the end": str(note)[:-1], "no signature": "one\n\n", "no text": f"\n\n{line}",
        "no empty line": f"one\n{line}", "a control character": f"o\te\n\n{line}", "no dash": f"one\n\n{line[2:]}",
        "no name": "one\n\n\N{EM DASH}  AAAAAAAA\n", "a plus": "one\n\n\N{EM DASH} a+b AAAAAAAA\n",
        "four bytes": "one\n\n\N{EM DASH} a AAAAAA==\n", "five": "one\n\n\N{EM DASH} a AAAAAAA=\n",
        "no base64": "one\n\n\N{EM DASH} a !\n", "a hundred": "one\n\n" + line * 100, "more": "one\n\n" + line * 101,
        "64 KiB": "x" * (65_536 - len(f"\n\n{line}".encode())) + f"\n\n{line}",
        "one more": "x" * (65_537 - len(f"\n\n{line}".encode())) + f"\n\n{line}",
    }  # fmt: skip
    note_results_of_cases(told, "texts", lambda name: len(notes.read_note(texts[name]).signatures), texts)
    later = cosigner.signature_of(note.text, 9)
    wrong = Signature(signer.name, signer.key.id, bytes(64))
    checks: dict[str, tuple[Note, notes.VerifierKey]] = {
        "signed": (note, signer.key),
        "cosigned": (note, cosigner.key),
        "cosigned twice": (note.with_signatures(later), cosigner.key),
        "by nobody": (Note(note.text), signer.key),
        "changed": (replace(note, text="x\n"), signer.key),
        "the time changed": (replace(note, text="x\n"), cosigner.key),
        "another": (note.with_signatures(wrong), signer.key),
        "another's key": (note, replace(signer.key, name="b.org/pbem")),
    }

    def check(name: str) -> Any:
        found = notes.check_signatures_of_one_key(*checks[name])
        return len(found.signatures), found.at

    note_results_of_cases(told, "checked", check, checks)


def _tell_days(told: Chronicle) -> None:
    root = "ab" * 32
    note_results_of_cases(told, "lines", days.read_day, (
        f"2026-11-25 3 {root}", f"2026-11-31 3 {root}", f"2026-11-25 03 {root}", f"2026-11-25 0 {root}",
        f"2026-11-25 {'9' * 15} {root}", f"2026-11-25 {'9' * 16} {root}", f"2026-11-25 3 {root[1:]}", "",
    ))  # fmt: skip
    lines = [f"2026-11-{day} 1 {root}\n" for day in (25, 26, 27)]
    note_results_of_cases(
        told, "lists", lambda text: len(days.read_days(text)), ("", "".join(lines), lines[0] * 2, lines[1] + lines[0])
    )
    with patch.object(days, "MOST_DAYS", 3):
        note_results_of_cases(told, "three at most", lambda count: len(days.read_days("".join(
            f"2026-11-{10 + at} 1 {root}\n" for at in range(count)))), (3, 4))  # fmt: skip
    day = Day(date(2026, 11, 25), 3, bytes(32))
    first = Checkpoint("a.org/pbem", 1, bytes(32), day, None)
    texts = {
        "first": first.text, "second": replace(first, number=2, previous="ab" * 32).text,
        "zero": replace(first, number=0).text, "second without one before": replace(first, number=2).text,
        "first with one before": replace(first, previous="ab" * 32).text, "none": "x\n", "more": first.text + "x\n",
    }  # fmt: skip
    note_results_of_cases(told, "texts", lambda name: days.parse_checkpoint(texts[name]).number, texts)
    later = replace(
        first, number=2, previous=days.hash_of_checkpoint_text(first.text), day=replace(day, day=date(2026, 11, 26))
    )
    pairs = {
        "next": (later, first), "same": (first, first), "two later": (replace(later, number=3), first),
        "another site": (replace(later, origin="b"), first), "another text": (replace(later, previous="x"), first),
        "the same day": (replace(later, day=day), first), "before": (first, later),
    }  # fmt: skip
    note_results_of_cases(told, "one follows the other", lambda name: days.is_next_checkpoint(*pairs[name]), pairs)
    listed = [day, replace(day, day=date(2026, 11, 26))]
    good = replace(later, root=days.root_of_days(listed), day=listed[1])
    checks = {
        "whole": (listed, good),
        "longer": ([*listed, replace(day, day=date(2026, 11, 27))], good),
        "shorter": (listed[:1], good),
        "another root": (listed, later),
        "another last day": (listed, replace(good, day=day)),
        "another first day": ([replace(day, size=4), listed[1]], good),
    }
    note_results_of_cases(
        told, "a list leads to the root", lambda name: days.check_days_lead_to_root(*checks[name]), checks
    )
    told.lines += [f"  {days.leaf_hash_of_match('c', 1, 'h').hex()}", f"  {day.leaf_hash.hex()}"]


def _tell_making(house: House, told: Chronicle) -> None:
    site = house.site
    told.do("none yet", lambda: published.read_note(site))
    told.do("a list of none", lambda: published.read_list_of_days(site))
    now = house.clock()
    add_matches(site, ["a1", "a3", "a5"])
    add_matches(site, ["a2"], "paused")
    add_matches(site, ["a4", "a0"], "over", ended_at=now)
    add_matches(site, ["b0"], "over", ended_at=now - SECOND)
    add_matches(site, ["b1"], "cancelled", ended_at=now - DAY)
    add_matches(site, ["b2"], "unconfirmed", version=0)
    m = table(Match)
    with site.writing() as work:
        work.execute(update(m).where(m.c.id == "a5").values(head=None))
    told.skip()
    with patch.object(making, "CHUNK", 2), patch.object(days, "CHUNK", 2):
        told.do("the first", lambda: making.make_checkpoint_of_today(site))
        told.do("once more", lambda: making.make_checkpoint_of_today(site))
        told.do("where a2 stands", lambda: published.read_place_of_match(site, "a2", None))
        told.do("and b1", lambda: published.read_place_of_match(site, "b1", None).leaf)
        told.do("what is in none", lambda: published.read_place_of_match(site, "a5", None))
        told.do("what is no match", lambda: published.read_place_of_match(site, "zz", None))
        house.clock.at = next_midnight(now) - SECOND
        told.do("before midnight", lambda: making.make_checkpoint_of_today(site))
        add_entry(site, "a1", 2)
        add_entry(site, "a4", 2)
        add_matches(site, ["c1"], "over", ended_at=now - making.MARGIN)
        add_matches(site, ["c0"], "over", ended_at=now - making.MARGIN - SECOND)
        told.skip()
        house.clock.at = next_midnight(now)
        told.do("the second", lambda: making.make_checkpoint_of_today(site))
        house.clock.at = now
        told.do("the clock is behind", lambda: making.make_checkpoint_of_today(site))
        house.clock.at = next_midnight(next_midnight(now))
        told.do("nothing has changed", lambda: making.make_checkpoint_of_today(site))
        with site.writing() as work:
            t = table(CheckpointRow)
            work.execute(update(t).where(t.c.number == 3).values(begun_at=now - 2 * DAY, day=date(2026, 4, 1)))
        told.skip()
        told.do("after a clock was ahead", lambda: making.make_checkpoint_of_today(site))
    for title, read in (("the latest", published.read_note), ("all", published.read_list_of_days)):
        told.lines += ["", f"## {title}", *(f"  {line}" for line in read(site).split("\n"))]
    told.do("that of a day", lambda: published.read_note(site, date(2026, 3, 13)))
    told.do("of another", lambda: published.read_note(site, date(2026, 3, 11)))
    with site.writing() as work:
        work.execute(update(table(CheckpointRow)).where(table(CheckpointRow).c.number == 1).values(note=None))
    told.skip()
    told.do("while it is being made", lambda: published.read_place_of_match(site, "a2", None))
    told.lines.append(f"  {result_in_a_line(lambda: published.read_place_of_match(site, 'a2', None))}")
    with site.reading() as session:
        note_results_of_cases(
            told, "days until", lambda number: len(published.days_up_to_checkpoint(session, number)), (None, 0, 1, 3)
        )
    for url in ("https://example.org", "https://example.org:8443/games/", "http://a+b/x+y"):
        told.lines.append(f"  {url}: {notes.site_name_in_notes(replace(site.config, url=url))}")


def _tell_cosigning(house: House, told: Chronicle) -> None:
    """Another site cosigns what this one has signed. Both are on the same database: only what is cosigned counts."""
    site = house.site
    config = replace(site.config, url="https://other.example.org", secret="another secret of more than 32 letters")
    other: Site = replace(site, config=config)
    key, mine = notes.signer_of_own_checkpoints(site.config).key, notes.cosigner_of_other_sites(config).key
    listed = [Day(date(2026, 5, at), at, bytes(32)) for at in (1, 2, 3, 4)]
    made: list[Note] = []
    for at in range(4):
        previous = days.hash_of_checkpoint_text(made[-1].text) if made else None
        root = days.root_of_days(listed[: at + 1])
        text = Checkpoint(key.name, at + 1, root, listed[at], previous).text
        made.append(Note(text).with_signatures(notes.signer_of_own_checkpoints(site.config).signature_of(text, 0)))
    two = replace(days.parse_checkpoint(made[1].text), previous="ab" * 32).text
    second = Note(two).with_signatures(notes.signer_of_own_checkpoints(site.config).signature_of(two, 0))
    foreign = replace(days.parse_checkpoint(made[1].text), origin="x.org/pbem").text
    of_another = Note(foreign).with_signatures(notes.signer_of_own_checkpoints(site.config).signature_of(foreign, 0))
    no_text = Note("x\n").with_signatures(notes.signer_of_own_checkpoints(site.config).signature_of("x\n", 0))

    def cosign(title: str, note: Note, by: Any = key, given: Any = None, **more: Any) -> None:
        def finish() -> str:
            try:
                cosigned = cosigning.cosign_note(other, note, by, given, **more)
            except ValueError as wrong:
                return f"wrong: {wrong}"
            return f"{len(cosigned.signatures)} signatures, {notes.check_signatures_of_one_key(cosigned, mine).at}"

        told.do(title, finish)

    cosign("signed by another", made[0], mine)
    cosign("the text is no checkpoint", no_text)
    cosign("of another site", of_another)
    cosign("with a wrong list", made[1], given=listed[:1])
    cosign("the second", made[1])
    house.clock.at += SECOND
    cosign("once more", made[1])
    cosign("the first, which came before", made[0], given=listed)
    cosign("another text of the second", second)
    cosign("the third without a list", made[2])
    cosign("the third", made[2], given=listed)
    cosign("the fourth, whose list leads elsewhere before",
           made[3], given=[replace(listed[0], size=9), *listed[1:]])  # fmt: skip
    cosign("the first, anew", made[0], anew=True)
    cosign("the fourth", made[3], given=listed)
    latest = notes.read_note(published.read_note(site))

    def add(title: str, note: Note, by: Any) -> None:
        def finish() -> str:
            try:
                return f"{len(notes.read_note(cosigning.publish_cosignatures(site, note, by)).signatures)} signatures"
            except ValueError as wrong:
                return f"wrong: {wrong}"

        told.do(title, finish)

    cosigned = latest.with_signatures(notes.cosigner_of_other_sites(config).signature_of(latest.text, 7))
    add("its cosignature is published", cosigned, mine)
    add("once more", cosigned, mine)
    add("not signed by them", latest, mine)
    add("of what is not this site's", made[3], key)
