"""What may come in Allégeance besides an answer: nothing that anybody could name. The Door and the hands are hidden."""

from collections.abc import Sequence

from pbem.games.allegeance.facts import Answered, State
from pbem.kit.contract import Event


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns () where somebody is asked; None where the Door, the only gift (4.2) or a turn comes first.

    After an answer it may be certain who challenges: then the window is over, but who knows?
    """
    if since and isinstance(since[-1], Answered):
        return None
    asked = fold.phase in ("announce", "window", "over") or (fold.phase == "give" and fold.seats > 2)
    return () if asked else None
