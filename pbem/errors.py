"""What can go wrong with a request, as the caller is told.

Services raise them; pages and API show them in the reader's language. A message is an English msgid of the
catalogue with named placeholders. Each class has its HTTP status and the code that programs see in its first line;
one that has none of its own has those of the class above.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


def N_(message: str) -> str:  # noqa: N802  # the name that message extraction looks for
    """Returns the message itself, marked for translation."""
    return message


CHANGED = N_("This has changed since you last saw it. Look at it again, then decide.")


class Problem(Exception):
    """A request that cannot be done. Nothing has changed.

    `message` and `facts` make the sentence (a fact may be a dict from language to text). `extra` goes into the
    API's answer as it is and holds nothing that the caller may not see. `retry_after` is in seconds.
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "bad_request"

    def __init_subclass__(cls, *, status: int | None = None, code: str | None = None) -> None:
        """Sets the status and the code, where they differ from those of the class above."""
        super().__init_subclass__()
        cls.status, cls.code = status or cls.status, code or cls.code

    def __init__(
        self,
        message: str,
        facts: Mapping[str, Any] | None = None,
        *,
        extra: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.facts = dict(facts or {})
        self.extra = dict(extra or {})
        self.retry_after = retry_after


class Invalid(Problem, status=422, code="invalid"):
    """A field is missing or wrong.

    `fields` are the paths in the request of those at fault, like "seats.2.email"; without any it is the request as a
    whole, of which none is more at fault than another.
    """

    def __init__(
        self,
        message: str,
        facts: Mapping[str, Any] | None = None,
        *,
        fields: Sequence[str] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, facts, extra=extra)
        self.fields = tuple(fields)


class Unreadable(Problem, status=422, code="unreadable"):
    """A move in notation or JSON that cannot be read; `kind` names the kind of move that was meant, if it is known."""

    kind: str | None = None


class Illegal(Problem, status=422, code="illegal"):
    """The rules refuse a move of this `kind`; the sentence is the game's own, a text in each language.

    `page` is the path of the rule, None if it stands on no page.
    """

    def __init__(self, rule_code: str, rule: str, sentences: Mapping[str, str], kind: str, page: str | None) -> None:
        extra = {"rule": rule, "reason": rule_code} | ({"rule_page": page} if page else {})
        super().__init__("%(sentence)s", {"sentence": dict(sentences)}, extra=extra)
        self.kind = kind


class KeyReused(Problem, status=422, code="key_reused"):
    """The Idempotency-Key has come before, with another request."""


class Unlinkable(Problem, status=422, code="unlinkable"):
    """An address that webhooks do not call."""


class Unauthorized(Problem, status=401, code="unauthorized"):
    """No token, or none that is valid."""


class Forbidden(Problem, status=403, code="forbidden"):
    """The token is valid, but not for this."""


class InsufficientScope(Forbidden, code="insufficient_scope"):
    """The personal token is valid, but lacks what the request needs; `extra["needs"]` names it."""

    def __init__(self, message: str, *, needs: str) -> None:
        super().__init__(message, {"needs": needs}, extra={"needs": needs})


class NotFound(Problem, status=404, code="not_found"):
    """There is no such thing."""


class NoMatch(NotFound):
    """There is no such match, or it is private; the one answer for both, so that nobody learns which."""

    def __init__(self) -> None:
        super().__init__(
            N_(
                "There is no such match, or it is private: open it by the link in your email. If you have lost it, "
                "request your links."
            )
        )


class Stale(Problem, status=409, code="stale"):
    """The question answered is not the open one."""


class Answered(Problem, status=409, code="answered"):
    """The question has been answered already, with another move."""


class Gone(Problem, status=409, code="gone"):
    """The match does not take moves: it is over, cancelled, or has not begun."""


class NotOffered(Problem, status=410, code="not_offered"):
    """It belongs to a feature that this site does not offer."""

    def __init__(self) -> None:
        super().__init__(N_("This site does not offer this feature."))


class NotOver(Problem, status=409, code="not_over"):
    """It is done with matches that are over, and this one is not."""


class Changed(Problem, status=412, code="changed"):
    """What is to be changed is not what the caller has seen; `extra["etag"]` is the tag of what stands there."""

    def __init__(self, message: str, *, etag: str) -> None:
        super().__init__(message, extra={"etag": etag})


class PreconditionRequired(Problem, status=428, code="precondition_required"):
    """The request must say by If-Match what it replaces or deletes."""


class TooMany(Problem, status=429, code="too_many"):
    """A cap is reached."""


class TooManyOpen(TooMany, code="too_many_open"):
    """The player has as many matches open as they may."""


class Busy(Problem, status=503, code="busy"):
    """The match could not be locked in time; try again."""


class Unavailable(Busy, code="unavailable"):
    """The database does not answer; whether the last thing asked of it was done is not known. Try again."""


class Outdated(Busy, code="outdated"):
    """This process is older than its database, and may not write to it. Another one, or a later try, may."""


class Undrawable(Problem, status=503, code="undrawable"):
    """A picture cannot be drawn, for a fault of ours: it takes somebody to mend it."""


class GameUnavailable(Problem, status=503, code="game_unavailable"):
    """The game's package is broken or gone: the match stands still, and goes on when the game is back."""
