"""The links of circles, signed: the invitation link of a circle, and the link of a membership in its mails."""

from dataclasses import dataclass

from pbem.services.tokens import Tokens

PURPOSES = ("circle", "member")
LINKS = ("circle/join", "circle/member")


@dataclass(frozen=True)
class CircleClaim:
    """The content of a circle's invitation link; the epoch has yet to be compared with the circle's."""

    circle_id: str
    epoch: int


@dataclass(frozen=True)
class MemberClaim:
    """The content of the link in a circle's mails: a membership, whose epoch has yet to be compared."""

    member_id: int
    epoch: int


def for_circle(tokens: Tokens, circle_id: str, epoch: int) -> str:
    """Returns the token of a circle's invitation link, with which anybody may ask to join."""
    return tokens.sign("circle", circle_id, epoch)


def read_circle(tokens: Tokens, token: str) -> CircleClaim:
    """Returns the circle of an invitation link. Raises Unauthorized."""
    circle_id, epoch = tokens.read("circle", token, 2)
    return CircleClaim(circle_id, int(epoch))


def for_member(tokens: Tokens, member_id: int, epoch: int) -> str:
    """Returns the token that acts for this membership of a circle, and for nothing else."""
    return tokens.sign("member", member_id, epoch)


def read_member(tokens: Tokens, token: str) -> MemberClaim:
    """Returns the membership of a token. Raises Unauthorized."""
    member_id, epoch = tokens.read("member", token, 2)
    return MemberClaim(int(member_id), int(epoch))
