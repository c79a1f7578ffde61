"""Warns the reader that names at one table look alike. It is no more than a warning: it may be chance."""

from collections.abc import Sequence

from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.render.i18n import join_and, translator


def warning(names: Sequence[str], seats: Sequence[int], lang: Lang) -> str:
    """Returns the warning that the names of these seats look alike, each name with the letter of its seat."""
    _ = translator(lang).gettext
    people = join_and([f"{names[seat]} ({seat_letter(seat)})" for seat in seats], lang)
    return _("These names look alike: %(names)s. Make sure that you know who is who.") % {"names": people}
