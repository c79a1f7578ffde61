"""What a seat may answer together with the move it has chosen, because it is asked that next in the same sitting."""

from dataclasses import dataclass

from pbem.kit.contract import Move
from pbem.kit.orders.following import kinds_after, question_after
from pbem.render.phrases import text
from pbem.services.views.match_views import View
from pbem.web.protocol.language import page_language

MOST = 60
"""More choices than that are left to the board of their own question."""


@dataclass(frozen=True)
class Next:
    """The question that follows, and its answers: how each is written, and in words.

    `at_once`: it is put as soon as the move is played, and not only when others have answered.
    """

    title: str
    choices: list[tuple[str, str]]
    at_once: bool


def next_question(view: View, move: Move) -> Next | None:
    """Returns what the seat may answer together with this legal move; None if nothing can be foreseen."""
    ask, game, lang = view.ask, view.game, page_language()
    if ask is None or view.viewer is None:
        return None
    names = view.sheet.names
    found = question_after(game, view.fold, view.viewer, game.preview(view.fold, view.viewer, move))
    if found is not None:
        fold, asked = found
        legal = game.legal(fold, view.viewer)
        choices = [(game.format(one), text(game.label(one, fold, lang), names)) for one in legal[:MOST]]
        shown = choices if len(legal) <= MOST else []
        return Next(game.meta.asks[asked.kind].title[lang], shown, at_once=True) if shown else None
    if not ask.silent:
        return None
    for kind in kinds_after(game, ask.kind):
        answers = game.answers(kind, view.fold, view.viewer)
        if 0 < len(answers) <= MOST:
            named = [(game.format(one), text(game.name(one, lang) or game.format(one), names)) for one in answers]
            return Next(game.meta.asks[kind].title[lang], named, at_once=False)
    return None
