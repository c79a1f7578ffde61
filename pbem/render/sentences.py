"""Messages of the catalogue that put facts into themselves: French ones elide in front of a name.

Both ways of filling in lead here: `translator(lang).gettext(message) % facts` in code, and the gettext functions of
templates.
"""

import gettext
import re
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from pbem.render.elision import elide_message

_MAY_ELIDE = re.compile(r"(?<!\w)(?:\w*que|de|le|la|si)\s(?:<[^<>]*>|[^\w%<])*%\(", re.IGNORECASE)


class _Eliding(str):
    """A French message with a word in front of a fact that may have to be elided."""

    __slots__ = ()

    def __mod__(self, facts: Any) -> str:
        filled: str = elide_message(str(self), facts) % facts
        return filled


class FrenchCatalogue(gettext.GNUTranslations):
    """The compiled French catalogue. Its messages elide when facts are put in with `%`."""

    def gettext(self, message: str) -> str:
        """Returns the French message."""
        return _eliding(super().gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Returns the French message for a number of things."""
        return _eliding(super().ngettext(msgid1, msgid2, n))


def _eliding(message: str) -> str:
    return _Eliding(message) if _MAY_ELIDE.search(message) else message


def install_messages(environment: Environment, catalogue: Callable[[], gettext.NullTranslations]) -> None:
    """Gives templates the messages of a catalogue, which is asked for with each message.

    Jinja's own gettext functions turn a message into Markup before they put facts in, so nothing could be elided there.
    """

    @pass_eval_context
    def translate(context: EvalContext, message: str, **facts: Any) -> str:
        return fill(context, catalogue().gettext(message), facts)

    @pass_eval_context
    def translate_number(context: EvalContext, one: str, many: str, n: int, **facts: Any) -> str:
        return fill(context, catalogue().ngettext(one, many, n), {"num": n, **facts})

    def fill(context: EvalContext, message: str, facts: dict[str, Any]) -> str:
        text = elide_message(str(message), facts) if isinstance(message, _Eliding) else message
        return (Markup(text) if context.autoescape else text) % facts  # noqa: S704  # our own catalogue

    environment.add_extension("jinja2.ext.i18n")
    environment.newstyle_gettext = True  # type: ignore[attr-defined]  # by the extension
    environment.globals.update(gettext=translate, ngettext=translate_number)
