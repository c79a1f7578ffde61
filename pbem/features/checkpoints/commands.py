"""`pbem checkpoint`: the notes that sites sign once a day; checks them, and cosigns those of another site."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO, TypeVar

import click

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import pluralize, printable
from pbem.features.checkpoints import cosigning, days, notes, published
from pbem.features.checkpoints.days import Checkpoint, Day
from pbem.features.checkpoints.notes import BadNote, Note, VerifierKey

T = TypeVar("T")
MOST = 16 * 1024 * 1024
"""A list of days is the longest thing that is read."""


class _Key(click.ParamType[VerifierKey]):
    name = "VKEY"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> VerifierKey:
        try:
            return value if isinstance(value, VerifierKey) else notes.read_key(value)
        except BadNote as error:
            self.fail(f"{error}.", param, ctx)


FILE = click.File("r", encoding="utf-8")
KEY = _Key()


@click.group()
def checkpoint() -> None:
    """Show, check and cosign the notes that sites sign each day."""


@contextmanager
def _bad_notes_as_complaints(file: TextIO | None = None) -> Iterator[None]:
    """Turns what is wrong with a note or a list into one sentence."""
    where = f"{file.name}: " if file is not None else ""
    try:
        yield
    except BadNote as error:
        raise click.ClickException(printable(f"{where}{error}.")) from None
    except UnicodeDecodeError:
        raise click.ClickException(f"{where}this is no text in UTF-8.") from None


def _parse_file(file: TextIO, read: Callable[[str], T]) -> T:
    """Returns what `read` makes of the file's text; BadNote becomes the command's complaint about this file."""
    with _bad_notes_as_complaints(file):
        text = file.read(MOST + 1)
        if len(text) > MOST:
            raise BadNote("this is too long")
        return read(text)


@checkpoint.command()
def key() -> None:
    """Print the keys of this site.

    Others check its signatures and cosignatures by them.
    """
    with open_site_from_environment() as site:
        click.echo(f"signatures    {notes.signer_of_own_checkpoints(site.config).key}")
        click.echo(f"cosignatures  {notes.cosigner_of_other_sites(site.config).key}")


@checkpoint.command()
@click.argument("day", type=click.DateTime(("%Y-%m-%d",)), required=False)
def show(day: datetime | None) -> None:
    """Print this site's note of a day.

    DAY is a day in UTC, such as 2026-11-25; without it, the latest note is printed.
    """
    with open_site_from_environment() as site:
        click.echo(published.read_note(site, day.date() if day is not None else None), nl=False)


@checkpoint.command()
@click.argument("note", type=FILE)
@click.option("--key", type=KEY, required=True, help="The site's key, from its /checkpoint/key.")
@click.option("--cosigner", type=KEY, multiple=True, help="The key of a host that has cosigned it; may be repeated.")
@click.option("--previous", type=FILE, help="A note of the same site from an earlier day.")
@click.option("--days", "listed", type=FILE, help="The site's list of days, from its /checkpoint/days.")
@click.option("--match", type=FILE, help="Where a match stands in it: the answer of /matches/<id>/checkpoint.")
def check(
    note: TextIO,
    key: VerifierKey,
    cosigner: tuple[VerifierKey, ...],
    previous: TextIO | None,
    listed: TextIO | None,
    match: TextIO | None,
) -> None:
    """Check a signed NOTE, a file or - for standard input. Needs no site and no network.

    The exit code is 1 if anything that was to be checked does not hold.
    """
    read = _parse_file(note, notes.read_note)
    with _bad_notes_as_complaints(note):
        said = days.read_signed_checkpoint(read, key)
    whole = _parse_file(listed, days.read_days) if listed is not None else None
    lines = [f"signature: {said.origin} has signed it"]
    with _bad_notes_as_complaints(note):
        lines += [_check_and_describe_cosignature(read, one) for one in cosigner]
        if whole is not None:
            days.check_days_lead_to_root(whole, said)
            lines.append(f"days: the list leads to the root, {pluralize(said.number, 'day', 'days')}")
        if previous is not None:
            former = _parse_file(previous, lambda text: days.read_signed_checkpoint(notes.read_note(text), key))
            lines.append(_check_and_describe_former(said, former, whole))
    if match is not None:
        lines.append(_parse_file(match, lambda text: _check_and_describe_match(text, said)))
    click.echo(f"Holds: checkpoint {said.number} of {printable(said.origin)}, {said.day.day}.")
    click.echo(f"{pluralize(said.day.size, 'match', 'matches')} went on since the one before. Checked:")
    for line in lines:
        click.echo(f"  * {printable(line)}")


def _check_and_describe_cosignature(note: Note, key: VerifierKey) -> str:
    at = notes.check_signatures_of_one_key(note, key).at
    try:
        when = "" if at is None else f" on {iso_format(datetime.fromtimestamp(at, UTC))}"
    except (ValueError, OverflowError, OSError):
        raise BadNote(f"the cosignature of {key.name} has a time that no calendar has") from None
    return f"cosignature: {key.name} has cosigned it{when}"


def _check_and_describe_former(said: Checkpoint, former: Checkpoint, listed: list[Day] | None) -> str:
    """Returns what was found about an earlier note. Raises BadNote if it does not belong to the same history."""
    if former.number >= said.number:
        raise BadNote(f"number {former.number} does not come before number {said.number}")
    if listed is not None:
        days.check_days_lead_to_root(listed, former)
    if not days.is_next_checkpoint(said, former) and listed is None:
        raise BadNote(f"between number {former.number} and {said.number} there are others: give the list with --days")
    return f"previous: it continues number {former.number}, {former.day.day}"


def _check_and_describe_match(text: str, said: Checkpoint) -> str:
    """Returns what was found about a match. Raises BadNote if it does not stand in the checkpoint."""
    try:
        place = json.loads(text)
        leaf = days.leaf_hash_of_match(place["commitment"], place["n"], place["head"])
        proof = [bytes.fromhex(step) for step in place["proof"]]
        day_proof = [bytes.fromhex(step) for step in place["day_proof"]]
        root = days.root_from_proof(proof, leaf, place["leaf"], said.day.size)
        whole = days.root_from_proof(day_proof, said.day.leaf_hash, said.number - 1, said.number)
    except days.BadProof as error:
        raise BadNote(f"the match does not stand in this checkpoint: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadNote("this is no answer of /matches/<id>/checkpoint") from None
    if root != said.day.root or whole != said.root:
        raise BadNote("the match does not stand in this checkpoint as it says")
    return f"match: its log stands in it up to entry {place['n']}, head {place['head']}"


@checkpoint.command()
@click.argument("note", type=FILE)
@click.option("--key", type=KEY, required=True, help="The other site's key, from its /checkpoint/key.")
@click.option("--days", "listed", type=FILE, help="The other site's list of days, from its /checkpoint/days.")
@click.option("--anew", is_flag=True, help="Forget what was cosigned of this site: its host has told you why.")
def cosign(note: TextIO, key: VerifierKey, listed: TextIO | None, anew: bool) -> None:
    """Print another site's NOTE, cosigned.

    This site's cosignature stands below it. The other site's signature must hold. The first note of a site is cosigned
    as it is; later ones only if the list of days shows that they continue the last one cosigned here.
    """
    read = _parse_file(note, notes.read_note)
    whole = _parse_file(listed, days.read_days) if listed is not None else None
    with open_site_from_environment() as site, _bad_notes_as_complaints(note):
        cosigned = cosigning.cosign_note(site, read, key, whole, anew=anew)
    click.echo(str(cosigned), nl=False)


@checkpoint.command("add-signature")
@click.argument("note", type=FILE)
@click.option("--key", type=KEY, required=True, help="The cosigner's key, from its /checkpoint/cosigner-key.")
def add_signature(note: TextIO, key: VerifierKey) -> None:
    """Publish a cosignature below NOTE.

    NOTE is one of this site's own, which another host has cosigned.
    """
    read = _parse_file(note, notes.read_note)
    with open_site_from_environment() as site, _bad_notes_as_complaints(note):
        published_note = cosigning.publish_cosignatures(site, read, key)
    click.echo(published_note, nl=False)


COMMANDS = (checkpoint,)
