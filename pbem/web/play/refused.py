"""What is not allowed at present, and why: the answers a player may look for, tried on what they know themselves."""

from dataclasses import dataclass

from markupsafe import Markup

from pbem.kit.contract import Phrase
from pbem.kit.words import joined
from pbem.render import phrases
from pbem.render.problems import sentence
from pbem.services.play.previews import refusal
from pbem.services.views.match_views import View
from pbem.web.protocol.language import _, page_language


@dataclass(frozen=True)
class Refused:
    """Answers that are refused for one reason, with the rule behind it and its path."""

    answers: Markup
    why: str
    rule: str
    page: str


def refused_answers(view: View) -> list[Refused]:
    """Returns the candidates that are illegal at present, by reason; [] if the viewer is asked nothing.

    Made from the viewer's own fold alone, so that no reason can tell more than the viewer knows.
    """
    if view.ask is None or view.viewer is None:
        return []
    lang, legal = page_language(), view.legal()
    names: dict[str, list[Phrase]] = {}
    reasons: dict[str, dict[str, None]] = {}
    rules: dict[str, tuple[str, str]] = {}
    for one in view.game.candidates(view.ask.ask, view.fold, lang):
        if one.move in legal:
            continue
        problem = refusal(view.game, view.fold, view.viewer, one.move)
        code = problem.extra["reason"]
        names.setdefault(code, []).append(one.text)
        reasons.setdefault(code, {})[sentence(problem, lang)] = None
        rules[code] = problem.extra["rule"], problem.extra["rule_page"]
    return [
        Refused(
            phrases.html(joined(found, lang), view.sheet.names, view.game.meta), _reason([*reasons[code]]), *rules[code]
        )
        for code, found in names.items()
    ]


def _reason(sentences: list[str]) -> str:
    """Returns the sentence that holds for all; if they differ, the first of them as an example."""
    return sentences[0] if len(sentences) == 1 else _("For example: %(sentence)s", sentence=sentences[0])
