"""Where a match stands in the site's checkpoints."""

from typing import Any

from marshmallow import fields

from pbem.api.protocol.bodies import ResponseSchema
from pbem.api.protocol.callers import ANYBODY, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.features.checkpoints import published

blueprint = Endpoints("checkpoints", "Notes that the site signs once a day about the logs of all matches.")

PARTS = (blueprint,)
AFTER = "webhooks"

_HASH = {"pattern": "^[0-9a-f]{64}$"}


class MatchCheckpoint(ResponseSchema):
    """The latest checkpoint that has the match, and the proof that it has."""

    day = fields.Date(required=True, metadata={"description": "The day (UTC) of the checkpoint."})
    commitment = fields.String(required=True, metadata=_HASH)
    n = fields.Integer(required=True, metadata={"description": "The entry of the log up to which it goes."})
    head = fields.String(required=True, metadata=_HASH | {"description": "The head of the log after that entry."})
    leaf = fields.Integer(
        required=True,
        metadata={
            "description": "The index of the match's leaf in the tree of its day (RFC 6962). The leaf's data is "
            "`pbem/2|checkpoint|<commitment>|<n>|<head>`."
        },
    )
    size = fields.Integer(required=True, metadata={"description": "The number of leaves of that tree."})
    proof = fields.List(
        fields.String(metadata=_HASH),
        required=True,
        metadata={"description": "The hashes that lead from the leaf to the tree's root, which the note's day has."},
    )
    number = fields.Integer(
        required=True,
        metadata={
            "description": "The number of the checkpoint: the size of the tree of all days so far, whose last leaf "
            "has the note's day without the word `day ` as its data."
        },
    )
    day_proof = fields.List(
        fields.String(metadata=_HASH),
        required=True,
        metadata={"description": "The hashes that lead from that leaf to the root in the note's third line."},
    )
    note = fields.String(required=True, metadata={"description": "The signed note, as at `/checkpoint/<day>`."})


@blueprint.operation(
    "getMatchCheckpoint", "GET /matches/<match_id>/checkpoint", who=ANYBODY, gives=MatchCheckpoint, refuses=(503,)
)
def place(match_id: str) -> dict[str, Any]:
    """Returns where the match stands in the latest checkpoint that has it.

    With it anyone can show later that the site had this very log on that day. 404 before the first one.
    """
    found = published.read_place(site(), match_id, viewer())
    return {
        "day": found.day, "commitment": found.commitment, "n": found.n, "head": found.head, "leaf": found.leaf,
        "size": found.size, "proof": [one.hex() for one in found.proof], "number": found.number,
        "day_proof": [one.hex() for one in found.day_proof], "note": found.note,
    }  # fmt: skip
