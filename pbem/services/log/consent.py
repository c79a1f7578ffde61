"""The open request to take something back, and who must agree to it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pbem.kit.contract import Seat
from pbem.models.tables import Match

CONSENT, FREE = "consent", "free"
"""What a table takes back: also what others have seen, if they agree; or only what nobody has."""


class Request(msgspec.Struct, frozen=True):
    """An open request to take back what was played after entry `to`; `agreed` are the seats that have agreed."""

    seat: Seat
    to: int
    agreed: tuple[Seat, ...] = ()


class Sitting(Protocol):
    """A seat: its row, or what everybody may see of it."""

    @property
    def seat(self) -> int: ...
    @property
    def bot(self) -> str | None: ...
    @property
    def absent(self) -> bool: ...
    @property
    def resigned(self) -> bool: ...


def open_request(match: Match) -> Request | None:
    """Returns the open request to take something back; None if there is none."""
    return msgspec.json.decode(match.undoing, type=Request) if match.undoing is not None else None


def needed_consent(seats: Sequence[Sitting], asker: int) -> tuple[int, ...]:
    """Returns the seats that must agree: all people at the table but this one. Who is absent is not waited for."""
    here = (one.seat for one in seats if one.bot is None and not one.absent and not one.resigned)
    return tuple(seat for seat in here if seat != asker)
