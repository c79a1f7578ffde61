"""Who acts, where it is said by a constant: the organiser's seat, and callers that are neither a seat nor a player.

A caller who acts for a seat presents a `SeatClaim`, which is compared with the seat under the match's lock
(`seat_links.lock_seat`); a signed-in player is identified by their id. The clock and the bots have use cases of their
own, in `timeouts` and `bots`, that nobody can call for a seat.
"""

from enum import Enum
from typing import Final


class Host(Enum):
    """The person who runs the site, on its command line."""

    HOST = "host"


class Stranger(Enum):
    """Somebody who has not said who they are, and need not."""

    STRANGER = "stranger"


ORGANISER = 0
"""The seat of the player who starts a match."""
HOST: Final = Host.HOST
STRANGER: Final = Stranger.STRANGER

Owner = int | Host
"""The owner: a player id, or HOST."""
Caller = int | Stranger
"""The caller of something that needs no account: the id of a signed-in player, or a stranger."""
