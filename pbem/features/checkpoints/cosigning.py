"""Two hosts look over each other's shoulder: one cosigns what the other has signed, who publishes the cosignature.

A cosignature says that of all checkpoints of that site which this one has cosigned, this is the latest, and continues
the others. So the last one is kept, and nothing is cosigned that contradicts it.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update

from pbem.features.checkpoints import days, notes
from pbem.features.checkpoints.days import Checkpoint, Day
from pbem.features.checkpoints.notes import BadNote, Note, VerifierKey, check_signatures_of_one_key, read_note
from pbem.features.checkpoints.tables import CheckpointRow, CosignedRow
from pbem.models.tables import table
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site

_checkpoints, _cosigned = table(CheckpointRow), table(CosignedRow)
_MEANWHILE = "meanwhile another process has changed the same: try again"


def cosign_note(site: Site, note: Note, key: VerifierKey, listed: Sequence[Day] | None, *, anew: bool = False) -> Note:
    """Returns another site's note with this site's cosignature, if its signature by `key` holds.

    `listed` is that site's list of days, needed unless this is the first of its checkpoints to be cosigned here. With
    `anew` nothing is compared with the one cosigned last. Raises BadNote if the note is wrong or contradicts that one.
    """
    checkpoint = days.read_signed_checkpoint(note, key)
    if listed is not None:
        days.check_days_lead_to_root(listed, checkpoint)
    now = site.now()
    row = {"origin": checkpoint.origin, "number": checkpoint.number, "text": note.text, "at": now}
    with site.writing() as work:
        last = work.execute(select(_cosigned).where(_cosigned.c.origin == checkpoint.origin)).one_or_none()
        if last is not None:
            if not anew:
                _check_continues_last(days.parse_checkpoint(last.text), checkpoint, listed)
            same = _cosigned.c.origin == checkpoint.origin, _cosigned.c.number == last.number
            done = work.connection().execute(update(_cosigned).where(*same).values(row)).rowcount == 1
        else:
            done = insert_row_unless_key_exists(work, CosignedRow, row)
        if not done:
            raise BadNote(_MEANWHILE)
    return note.with_signatures(
        notes.cosigner_of_other_sites(site.config).signature_of(note.text, int(now.timestamp()))
    )


def _check_continues_last(last: Checkpoint, checkpoint: Checkpoint, listed: Sequence[Day] | None) -> None:
    """Raises BadNote unless the checkpoint is the one cosigned last or continues it."""
    if checkpoint.number < last.number:
        raise BadNote(f"number {last.number} was cosigned already, and this is number {checkpoint.number}")
    if checkpoint.number == last.number:
        if checkpoint.text != last.text:
            raise BadNote(f"another text of number {last.number} was cosigned: that site has signed two")
        return
    if listed is None:
        raise BadNote(f"number {last.number} was cosigned last: the site's list of days is needed to compare them")
    days.check_days_lead_to_root(listed, last)
    days.is_next_checkpoint(checkpoint, last)


def publish_cosignatures(site: Site, note: Note, key: VerifierKey) -> str:
    """Publishes the signatures by this key of a note that another host has cosigned; returns the note as it is now.

    Raises BadNote if they do not hold, or if the note's text is not that of one of this site's own checkpoints.
    """
    added = check_signatures_of_one_key(note, key).signatures
    checkpoint = days.parse_checkpoint(note.text)
    with site.writing() as work:
        query = select(_checkpoints.c.note).where(_checkpoints.c.day == checkpoint.day.day)
        there: str | None = work.execute(query).scalar()
        own = read_note(there) if there is not None else None
        if own is None or own.text != note.text:
            raise BadNote("this site has no checkpoint with this text")
        cosigned = str(own.with_signatures(*added))
        read_note(cosigned)  # it may have too many by now
        same: Any = (_checkpoints.c.day == checkpoint.day.day, _checkpoints.c.note == there)
        if work.connection().execute(update(_checkpoints).where(*same).values(note=cosigned)).rowcount != 1:
            raise BadNote(_MEANWHILE)
    return cosigned
