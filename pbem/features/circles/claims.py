"""The links of circles, signed: the invitation link of a circle, and the link of a membership in its mails."""

from dataclasses import dataclass

from pbem.services.tokens import Claim

LINKS = ("circle/join", "circle-links", "circle/member")


@dataclass(frozen=True)
class CircleClaim(Claim):
    """The content of a circle's invitation link, with which anybody may ask to join.

    The epoch has yet to be compared with the circle's.
    """

    purpose = "circle"
    circle_id: str
    epoch: int


@dataclass(frozen=True)
class MemberClaim(Claim):
    """The content of the link in a circle's mails: a membership, whose epoch has yet to be compared."""

    purpose = "member"
    member_id: int
    epoch: int


PURPOSES = (CircleClaim.purpose, MemberClaim.purpose)
