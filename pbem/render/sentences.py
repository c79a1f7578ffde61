"""Messages of the catalogue that put facts into themselves: each in an isolate, and French ones elide before a name.

All ways of filling in lead here: `translator(lang).gettext(message) % facts` in code, and in templates the gettext
functions and `{{ fact }}`.
"""

import gettext
import re
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, pass_eval_context
from jinja2.ext import Extension
from jinja2.nodes import EvalContext
from markupsafe import Markup

from pbem.render.elision import elide_message
from pbem.render.isolates import isolate, isolate_each

_MAY_ELIDE = re.compile(r"(?<!\w)(?:\w*que|de|le|la|si)\s(?:<[^<>]*>|[^\w%<])*%\(", re.IGNORECASE)


_FIELD = re.compile(r"""(?<=\bvalue=")\{\{([^{}]*)\}\}(?=")|\{\{([^{}]*)\}\}(?=\s*</textarea>)""")


class _Message(str):
    """A message with room for facts, each of which is isolated."""

    __slots__ = ()

    def __mod__(self, facts: Any) -> str:
        filled: str = str(self) % isolate_each(facts)
        return filled


class _Eliding(_Message):
    """A French message with a word in front of a fact that may have to be elided."""

    __slots__ = ()

    def __mod__(self, facts: Any) -> str:
        filled: str = _Message(elide_message(str(self), facts)) % facts
        return filled


class EnglishCatalogue(gettext.NullTranslations):
    """The messages as they are in the code. They isolate the facts that are put in with `%`."""

    def gettext(self, message: str) -> str:
        """Returns the English message."""
        return _with_room(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Returns the English message for a number of things."""
        return _with_room(msgid1 if n == 1 else msgid2)


class FrenchCatalogue(gettext.GNUTranslations):
    """The compiled French catalogue. Its messages isolate facts that are put in with `%`, and elide before them."""

    def gettext(self, message: str) -> str:
        """Returns the French message."""
        return _eliding(super().gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Returns the French message for a number of things."""
        return _eliding(super().ngettext(msgid1, msgid2, n))


def _eliding(message: str) -> str:
    return _Eliding(message) if _MAY_ELIDE.search(message) else _with_room(message)


def _with_room(message: str) -> str:
    return _Message(message) if "%" in message else message


class _Fields(Extension):
    """Leaves what a field of a form holds as it is: it comes back."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # Jinja's
        """Returns the template, in which what fields hold is escaped already, and so passes `finalize` unchanged."""
        return _FIELD.sub(lambda found: f"{{{{ ({found[1] or found[2]})|e }}}}", source)


def install_messages(environment: Environment, catalogue: Callable[[], gettext.NullTranslations]) -> None:
    """Gives templates the messages of a catalogue, which is asked for with each message; isolates all that they show.

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
        facts = isolate_each(facts) if facts else facts
        return (Markup(text) if context.autoescape else str(text)) % facts  # noqa: S704  # our own catalogue

    def finalize(shown: Any) -> Any:
        # Most of what a template shows is ASCII, in which there is nothing to isolate; this is asked for each value.
        plain = not isinstance(shown, str) or shown.isascii() or isinstance(shown, Markup)
        return shown if plain else isolate(shown)

    environment.finalize = finalize
    environment.add_extension(_Fields)
    environment.add_extension("jinja2.ext.i18n")
    environment.newstyle_gettext = True  # type: ignore[attr-defined]  # by the extension
    environment.globals.update(gettext=translate, ngettext=translate_number)
