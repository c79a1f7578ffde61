"""Reading bodies and queries strictly: unknown fields, wrong types and control characters are refused."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import marshmallow as ma
import msgspec
from flask import Request, request
from marshmallow import fields, validate
from webargs.flaskparser import FlaskParser

from pbem.api.protocol.callers import language
from pbem.api.protocol.problems import DuplicateField, Malformed, NotJson
from pbem.errors import N_, Invalid
from pbem.kit.codec import DuplicateName, check_names
from pbem.kit.texts import LANGS
from pbem.render.i18n import message_catalogue
from pbem.render.problems import problem_sentence

# The sentences of marshmallow that can reach a caller, so that the catalogue has them.
STOCK = (
    N_("Missing data for required field."),
    N_("Unknown field."),
    N_("Field may not be null."),
    N_("Invalid input type."),
    N_("Not a valid string."),
    N_("Not a valid integer."),
    N_("Not a valid boolean."),
    N_("Not a valid list."),
    N_("Not a valid mapping type."),
)


class RequestSchema(ma.Schema):
    """A schema for request bodies and queries."""

    class Meta:
        unknown = ma.RAISE


class Nothing(RequestSchema):
    """No fields."""


class Described(fields.Field[Any]):
    """A field of which the document says what it is `about`."""

    def __init__(self, *what: Any, about: str = "", **more: Any) -> None:
        if about:
            more["metadata"] = {"description": about}
        super().__init__(*what, **more)


class Text(Described, fields.String):
    """A text."""


class Word(Text):
    """One of these words, else `refusal`."""

    def __init__(self, words: Sequence[str], refusal: str, **more: Any) -> None:
        super().__init__(validate=validate.OneOf(words, error=refusal), **more)


class Several(Described, fields.List[Any]):
    """A list of what this field reads."""


class SingleLine(Text):
    """One line of text of at most `most` characters, without control characters (databases refuse NUL).

    What the service's `check` refuses is refused here, so that the answer names the field.
    """

    def __init__(self, most: int, check: Callable[[str], object] | None = None, **more: Any) -> None:
        length = validate.Length(max=most, error=N_("This is too long."))
        printable = validate.ContainsNoneOf(_CONTROL, error=N_("Control characters are not allowed."))
        checks = [_validator_from(check)] if check else []
        super().__init__(validate=[length, printable, *checks], **more)


_CONTROL = "".join(map(chr, range(32)))


class Said(str):
    """A sentence in the language of the answer, with what was typed put in: no message to be looked up."""

    __slots__ = ()


def _validator_from(check: Callable[[str], object]) -> Callable[[str], None]:
    def validator(value: str) -> None:
        try:
            check(value)
        except Invalid as problem:
            raise ma.ValidationError(Said(problem_sentence(problem, language()))) from None

    return validator


class StrictBool(Described, fields.Boolean):
    """`true` or `false`; no numbers or words instead."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class BoundedInt(Described, fields.Integer):
    """A whole number from `least` to `most`, else `refusal`. In bodies a JSON number, not a string."""

    def __init__(
        self,
        least: int,
        most: int,
        *,
        refusal: str = N_("This number is out of range."),
        digits: bool = False,
        **more: Any,
    ) -> None:
        bounds = validate.Range(least, most, error=refusal)
        super().__init__(strict=True, validate=bounds, **more)
        self.digits = digits

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        if self.digits:
            if not (isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19):
                raise self.make_error("invalid", input=value)
            value = int(value)
        elif not isinstance(value, int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **more)


class Generated(fields.Dict):
    """JSON whose schema is generated from the games: `component` names it in the OpenAPI document.

    In a request it must be an object; the game's codec reads it later.
    """

    def __init__(self, component: str, **more: Any) -> None:
        super().__init__(**more)
        self.component = component


class Query(RequestSchema):
    """The query parameters of every operation. Views get those that a subclass adds."""

    lang = Word(
        LANGS,
        N_("The language must be “fr” or “en”."),
        about="The language of sentences, also of refusals; else the player's, else by Accept-Language.",
    )

    @ma.post_load
    def leave_out_lang(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Returns the parameters without the language, which `language()` reads."""
        data.pop("lang", None)
        return data


class StrictParser(FlaskParser):
    """Reads JSON bodies and queries for the endpoints, and raises problems."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {"json": ma.RAISE, "query": ma.RAISE}  # noqa: RUF012

    def parse(self, argmap: Any, req: Request | None = None, **more: Any) -> Any:
        """Returns what was sent, as the schema has it. Without parameters of its own, an empty query is left unread."""
        if type(argmap) is Query and not request.query_string:
            return {}
        return super().parse(argmap, req, **more)

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Returns the body. Raises NotJson, Malformed, DuplicateField, and RequestEntityTooLarge before it is read."""
        data = req.get_data()
        if not data:
            return ma.missing
        if not req.is_json:
            raise NotJson(N_("Send the body as application/json."))
        try:
            body = msgspec.json.decode(data)
            check_names(data.decode())
            return body
        except DuplicateName as error:
            raise duplicate(error.name) from None
        except RecursionError:
            raise Malformed(N_("The body is nested too deeply: no request needs more than a few levels.")) from None
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            message = N_("The body is not JSON. Send one well-formed JSON object in UTF-8.")
            raise Malformed(message, extra={"why": str(error)}) from None

    def handle_error(self, error: ma.ValidationError, *_: Any, **__: Any) -> NoReturn:
        """Raises Invalid, with a message for each wrong field."""
        messages = error.messages
        assert isinstance(messages, dict), "webargs names the location first"
        say = message_catalogue(language()).gettext
        found = {path: why for one in messages.values() for path, why in _flatten_messages(one, "")}
        wrong = {path: why if isinstance(why, Said) else say(why) for path, why in found.items()}
        path, why = next(iter(wrong.items()))
        if not path:
            raise Invalid(N_("The body must be a JSON object.")) from None
        facts = {"field": path, "why": why}
        raise Invalid(N_("“%(field)s” is not valid: %(why)s"), facts, extra={"fields": wrong}) from None


def duplicate(name: str) -> DuplicateField:
    """Returns the error for a body that gives a name twice."""
    name = name[:64]
    message = N_("The body gives “%(name)s” twice in one object. Give each name once.")
    return DuplicateField(message, {"name": name}, extra={"duplicate": name})


def _flatten_messages(messages: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(messages, dict):
        yield path, messages[0]
        return
    for key, inner in messages.items():
        name = "" if key == "_schema" else str(key)[:40]
        yield from _flatten_messages(inner, f"{path}.{name}" if path and name else path or name)
