"""Values for callers that are neither a seat nor a player.

Pages and API read a link to a claim (`tokens`) and pass on the claim, never the link. A `SeatClaim` says for which
purpose the link was signed; purpose and epoch are compared under the match's lock (`seat_links.seat_of`). A player who
is signed in is named by their id. The clock and the bots have use cases of their own, in `timeouts` and `bots`, that
nobody can call for a seat.
"""

from enum import Enum
from typing import Final


class Host(Enum):
    """Whoever runs the site, on its command line."""

    HOST = "host"


class Stranger(Enum):
    """Somebody who has not said who they are, and need not."""

    STRANGER = "stranger"


HOST: Final = Host.HOST
STRANGER: Final = Stranger.STRANGER

Owner = int | Host
"""The owner: a player id, or HOST."""
Caller = int | Stranger
"""Who asks for something that needs no account: a player who is signed in, by their id, or a stranger."""
