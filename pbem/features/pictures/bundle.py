"""Scripts and styles of a page that stands alone: scripts bundled, fonts within the style sheets.

Such a page loads nothing, so its policy names the hashes of its own scripts and styles and forbids all else.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache

from pbem.web.protocol.assets import FOLDER

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_URL = re.compile(r"url\(\.\./(fonts/[\w.-]+)\)")


@cache
def script(name: str) -> str:
    """Returns a module with those it imports, as one script: each in a function of its own, in the order of need."""
    parts: dict[str, str] = {}
    _add(name, parts)
    return "\n".join(parts.values())


def _add(name: str, parts: dict[str, str]) -> None:
    """Adds the module of this file to the parts, after those it imports."""
    if name in parts:
        return
    text = (FOLDER / "scripts" / name).read_text(encoding="utf-8")
    for _names, other in _IMPORT.findall(text):
        _add(other, parts)
    exported = ", ".join(_EXPORT.findall(text))
    inside = _EXPORT.sub("", _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_module(found[2])};\n", text))
    if re.search(r"^(?:import|export)\b", inside, re.MULTILINE):
        raise ValueError(f"{name} imports or exports in a form that is not bundled")
    parts[name] = f"const {_module(name)} = (() => {{\n{inside}\nreturn {{ {exported} }};\n}})();"


def _module(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")


@cache
def style(name: str) -> str:
    """Returns a style sheet with its fonts in it."""

    def put(found: re.Match[str]) -> str:
        data = base64.b64encode((FOLDER / found[1]).read_bytes()).decode()
        return f"url(data:font/woff2;base64,{data})"

    return _URL.sub(put, (FOLDER / "styles" / name).read_text(encoding="utf-8"))


def policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Returns the content security policy of a page with just these scripts and styles in it."""
    return "; ".join((
        "default-src 'none'", f"script-src {_hashes(scripts)}", f"style-src {_hashes(styles)}", "img-src data:",
        "font-src data:", "base-uri 'none'", "form-action 'none'",
    ))  # fmt: skip


def _hashes(texts: Iterable[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
