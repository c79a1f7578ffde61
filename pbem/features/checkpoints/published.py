"""What is published of checkpoints: their notes, the list of days, and where a match stands in them."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import select
from sqlmodel import Session

from pbem.answers import about
from pbem.errors import N_, Busy, NotFound
from pbem.features.checkpoints import days
from pbem.features.checkpoints.days import Day
from pbem.features.checkpoints.tables import CheckpointRow, LeavesRow, PlaceRow
from pbem.kit.contract import Viewer
from pbem.models.tables import table
from pbem.services.log import proofs
from pbem.services.site import Site
from pbem.services.views import match_views

AGAIN_S = 10
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

_checkpoints, _leaves, _places = table(CheckpointRow), table(LeavesRow), table(PlaceRow)


def read_note(site: Site, day: date | None = None) -> str:
    """Returns the note of a day, or the latest one. Raises NotFound."""
    query = select(_checkpoints.c.note).where(_checkpoints.c.note.is_not(None))
    query = query.order_by(_checkpoints.c.number.desc()) if day is None else query.where(_checkpoints.c.day == day)
    with site.reading() as session:
        note: str | None = session.execute(query.limit(1)).scalar()
    if note is not None:
        return note
    if day is not None:
        raise NotFound(N_("There is no checkpoint of this day."))
    raise NotFound(N_("There is no checkpoint yet. The first one is made within minutes."))


def read_list_of_days(site: Site) -> str:
    """Returns the list of all days that have a checkpoint, a line for each: the leaves of the tree of the days."""
    with site.reading() as session:
        return "".join(f"{day}\n" for day in days_up_to_checkpoint(session))


def days_up_to_checkpoint(session: Session, number: int | None = None) -> list[Day]:
    """Returns the days of the checkpoints up to this number, in order; without a number, of all that are made."""
    query = select(_checkpoints.c.day, _checkpoints.c.size, _checkpoints.c.root).order_by(_checkpoints.c.number)
    if number is not None:
        query = query.where(_checkpoints.c.number <= number)
    return [Day(*row) for row in session.execute(query.where(_checkpoints.c.note.is_not(None)))]


class MatchCheckpoint(Struct, frozen=True):
    """The latest checkpoint that has the match, and the proof that it has."""

    day: Annotated[date, about("The day (UTC) of the checkpoint.")]
    commitment: Hash
    n: Annotated[int, about("The entry of the log up to which it goes.")]
    head: Annotated[Hash, about("The head of the log after that entry.")]
    leaf: Annotated[
        int,
        about(
            "The index of the match's leaf in the tree of its day (RFC 6962). The leaf's data is "
            "`pbem/2|checkpoint|<commitment>|<n>|<head>`."
        ),
    ]
    size: Annotated[int, about("The number of leaves of that tree.")]
    proof: Annotated[
        list[Hash], about("The hashes that lead from the leaf to the tree's root, which the note's day has.")
    ]
    number: Annotated[
        int,
        about(
            "The number of the checkpoint: the size of the tree of all days so far, whose last leaf "
            "has the note's day without the word `day ` as its data."
        ),
    ]
    day_proof: Annotated[list[Hash], about("The hashes that lead from that leaf to the root in the note's third line.")]
    note: Annotated[str, about("The signed note, as at `/checkpoint/<day>`.")]


def read_place_of_match(site: Site, match_id: str, viewer: Viewer) -> MatchCheckpoint:
    """Returns where the match stands.

    Raises NotFound, also if the match admits no spectators or no checkpoint has it yet, and Busy while the checkpoint
    that has it is being made.
    """
    with site.reading() as session:
        match = match_views.visible_match(session, match_id, viewer)
        place = session.execute(select(_places).where(_places.c.match_id == match.id)).one_or_none()
        if place is None:
            raise NotFound(N_("No checkpoint has this match yet. The next one is made after midnight (UTC)."))
        day = session.execute(select(_checkpoints).where(_checkpoints.c.day == place.day)).one()
        if day.note is None:
            raise Busy(N_("The checkpoint is being made. Please ask again in a moment."), retry_after=AGAIN_S)
        ((_, _, head),) = proofs.read_seals(session, match.id, place.n - 1, place.n)
        until = [one.leaf_hash for one in days_up_to_checkpoint(session, day.number)]
        return MatchCheckpoint(
            day.day, match.commitment, place.n, head, place.leaf, day.size,
            [one.hex() for one in _proof_of_leaf(session, day.day, place.leaf)], day.number,
            [one.hex() for one in days.proof_of_leaf(until, day.number - 1)], day.note,
        )  # fmt: skip


def _proof_of_leaf(session: Session, day: date, leaf: int) -> list[bytes]:
    """Returns the proof for a leaf of the day. Reads one chunk of leaves, and the roots of all."""
    query = select(_leaves.c.root).where(_leaves.c.day == day).order_by(_leaves.c.chunk)
    roots = [*session.execute(query).scalars()]
    chunk, index = divmod(leaf, days.CHUNK)
    wanted = select(_leaves.c.leaves).where(_leaves.c.day == day, _leaves.c.chunk == chunk)
    held: bytes = session.execute(wanted).scalar_one()
    hashes = [held[at : at + 32] for at in range(0, len(held), 32)]
    return [*days.proof_of_leaf(hashes, index), *days.proof_of_leaf(roots, chunk)]
