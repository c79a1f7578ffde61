"""Where a match stands in the site's checkpoints."""

from pbem.api.protocol.callers import ANYBODY, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.features.checkpoints import published
from pbem.features.checkpoints.published import MatchCheckpoint
from pbem.kit.contract import Viewer

blueprint = Endpoints("checkpoints", "Notes that the site signs once a day about the logs of all matches.")

PARTS = (blueprint,)
AFTER = "webhooks"


@blueprint.operation("getMatchCheckpoint", "GET /matches/<match_id>/checkpoint", who=ANYBODY, refuses=(503,))
def place(match_id: str, viewer: Viewer) -> MatchCheckpoint:
    """Returns where the match stands in the latest checkpoint that has it.

    With it anyone can show later that the site had this very log on that day. 404 before the first one.
    """
    return published.read_place_of_match(site(), match_id, viewer)
