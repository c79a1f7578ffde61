"""What is seen of a page, piece by piece: a line for each case, stored in looks.txt.

    python -m tests.features.inbox.incoming.looks

writes the file again. Look at what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pbem.features.inbox.incoming import bodies, styles
from pbem.features.inbox.incoming.styles import Look, Styles
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, text_of, whole_file

FILE = Path(__file__).with_name("looks.txt")
TAGS = (
    "a", "b", "span", "i", "font", "s", "strike", "del", "bdo", "u", "br", "hr", "td", "th", "img",
    "address", "article", "aside", "audio", "blockquote", "body", "canvas", "caption", "center", "datalist", "dd",
    "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "html", "iframe", "legend",
    "li", "main", "map", "nav", "noembed", "noframes", "noscript", "object",
    "ol", "p", "plaintext", "pre", "rp", "script", "section", "select", "style", "summary", "svg", "table", "tbody",
    "template", "textarea", "tfoot", "thead", "title", "tr", "ul", "video", "xmp",
)  # fmt: skip
DECLARED = (
    "", "display: none", "display: block", "display: inline-block", "display: contents", "display: ruby",
    "display: inherit", "display: initial", "display: revert", "display: unset", "display: table-cell",
    "visibility: hidden", "visibility: collapse", "visibility: visible", "visibility: inherit", "visibility: unset",
    "content-visibility: hidden", "content-visibility: auto", "mso-hide: all", "mso-hide: screen", "mso-hide: none",
    "font-size: 5px", "font-size: 4.9px", "font-size: 0", "font-size: 1", "font-size: .3em", "font-size: .32em",
    "font-size: 30%", "font-size: 32%", "font-size: 3.7pt", "font-size: 3.8pt", "font-size: .3pc", "font-size: .32pc",
    "font-size: .05in", "font-size: .06in",
    "font-size: .13cm", "font-size: .14cm", "font-size: 1.3mm", "font-size: 1.4mm", "font-size: 5.2q",
    "font-size: 5.3q", "font-size: .3rem", "font-size: .32rem", "font-size: .3vw", "font-size: 3vh",
    "font-size: .3ex", "font-size: .3ch", "font-size: .3ic", "font-size: .3lh", "font-size: 1vmin", "font-size: 1vmax",
    "font-size: xx-small", "font-size: x-small", "font-size: small", "font-size: medium", "font-size: large",
    "font-size: x-large", "font-size: xx-large", "font-size: xxx-large", "font-size: inherit", "font-size: 1e1px",
    "font-size: 1e-1px", "font-size: 9zz", "font-size: -3px", "font-size: -9px",
    "font: 4px serif", "font: bold 6px/1px serif", "font: 4px/20px serif", "font: caption", "font: small serif",
    "font: 4px; font-size: 9px", "opacity: 0", "opacity: .09", "opacity: .1", "opacity: 9%", "opacity: 10%",
    "opacity: .5", "opacity: x", "opacity: 0.1px",
    "color: white", "color: #fff", "color: #eee", "color: #ddd", "color: red", "color: inherit", "color: unset",
    "color: currentcolor", "color: nonsense", "color: var(--x)", "color: transparent", "color: rgb(0 0 0 / 5%)",
    "color: rgb(0 0 0 / 20%)", "color: hsl(0 0% 100%)", "color: color(srgb 1 1 1)", "color: color(srgb 2 2 2)",
    "color: color(xyz 1 1 1)", "color: lab(100 0 0)", "color: canvastext", "color: white; background: black",
    "color: white; background-color: black", "color: black; background: black", "background: #000 url(a.png)",
    "background: url(a.png)", "background: linear-gradient(red, blue)", "background: none", "background: nonsense",
    "background: var(--x)", "background: rgba(0, 0, 0, .5)", "background: rgba(0, 0, 0, 1) x",
    "background: no-repeat black", "background-image: url(a)", "background-image: linear-gradient(red, blue)",
    "background-image: none", "background: black; background-color: white",
    "background-color: white; background: black",
    "background-image: url(a); color: transparent", "background-image: url(a); color: rgb(0 0 0 / 9%)",
    "background-image: url(a); color: rgb(0 0 0 / 10%)", "-webkit-text-fill-color: white",
    "-webkit-text-fill-color: white; color: black", "color: white; -webkit-text-fill-color: black",
    "text-decoration: line-through", "text-decoration: underline", "text-decoration-line: line-through",
    "unicode-bidi: bidi-override", "unicode-bidi: isolate-override", "unicode-bidi: embed", "direction: rtl",
    "white-space: pre", "white-space: pre-wrap", "white-space: break-spaces", "white-space: normal",
    "white-space: nowrap",
    "clip: rect(0 0 0 0)", "clip: auto", "clip-path: circle(1px)", "clip-path: none", "transform: scale(0)",
    "transform: inherit", "scale: 0", "translate: 9px", "mask: url(a)", "mask-image: url(a)", "mask-image: initial",
    "-webkit-transform: scale(0)", "mask: unset",
    "filter: opacity(0)", "filter: blur(9px)", "zoom: .19", "zoom: .2", "zoom: 10%", "zoom: 20%",
    "text-indent: -150px", "text-indent: -149px", "text-indent: 150px", "text-indent: -10em", "text-indent: -15%",
    "text-indent: -14%",
    "left: -150px", "left: -149px", "left: 150px", "left: 150px; position: absolute",
    "left: 149px; position: absolute", "left: 150px; position: static", "right: 150px; position: fixed",
    "top: 150px; position: relative", "bottom: 150px; position: relative", "margin-left: -150px",
    "margin-right: -150px", "margin-top: -150px",
    "margin-left: 150px", "margin-top: -9em", "margin-top: -10em", "left: -x", "left: x; position: fixed",
    "left: auto; top: -200px", "left: -1px; top: 200px", "right: -200px", "top: -200px", "bottom: -200px",
    "overflow: hidden; height: 0", "overflow: hidden; height: 5px", "overflow: hidden; height: 5.1px",
    "overflow: hidden; height: -1px", "height: 0", "overflow: visible; height: 0", "overflow: initial; height: 0",
    "overflow-x: hidden; width: 0", "overflow-y: hidden; max-height: 0", "overflow: clip; max-width: 1px",
    "overflow: hidden; line-height: 0", "overflow: hidden; line-height: .3", "overflow: hidden; height: .5%",
    "overflow: hidden; height: .6%", "overflow: hidden; height: auto", "overflow: hidden; height: .3em",
    "overflow: hidden; height: .4em", "COLOR: WHITE", "color: white !important", "color: /* no */ white",
    "margin: -999px", "color white",
)  # fmt: skip


def properties_of(said: str) -> dict[str, str]:
    """Returns the properties as they are declared."""
    pairs = (one.partition(":") for one in said.lower().split(";") if ":" in one)
    return {name.strip(): value.strip() for name, _, value in pairs}


def look_and_meaning(look: Look) -> str:
    """Returns a look, and what it means."""
    return f"{text_of(look)}{' hidden' if look.is_hidden else ''}{' unsure' if look.may_look_otherwise else ''}"


def looks() -> Iterator[str]:
    """Returns how text looks, declared so; and what of a page is seen where it stands so."""
    for said in DECLARED:
        page = f'a<i style="{said}">b</i>c'
        look = styles.look_of_element(Look(), properties_of(said))
        yield f"{said}: {look_and_meaning(look)} {text_of(bodies.text_of_html(page))}"
    for tag in ("", "s", "strike", "del", "bdo", "pre", "p"):
        yield f"<{tag}>: {look_and_meaning(styles.look_of_element(Look(), {}, tag))}"
    yield look_and_meaning(styles.look_of_element(Look(), {"white-space": "normal"}, "pre"))
    black = Look(behind=(0.0, 0.0, 0.0), colour=(1.0, 1.0, 1.0))
    for above in (Look(gone=True), Look(invisible=True), Look(crossed=True, mirrored=True, kept=True),
        Look(size=20, opacity=0.5, alpha=0.5), Look(colour=None), Look(behind=None), Look(colour=None, alpha=0.09),
        Look(behind=None, alpha=0.1), black):  # fmt: skip
        yield f"in {look_and_meaning(above)}:"
        for said in ("", "visibility: visible", "visibility: inherit", "visibility: unset", "white-space: normal",
            "font-size: 50%", "opacity: .5", "opacity: .1", "color: inherit", "color: #111",
            "background: rgba(0, 0, 0, .5)", "background: white", "font-size: .2em", "text-indent: 9em"):  # fmt: skip
            yield f"  {said}: {look_and_meaning(styles.look_of_element(above, properties_of(said)))}"
    for unit in (
        "",
        "%",
        "ch",
        "cm",
        "em",
        "ex",
        "ic",
        "in",
        "lh",
        "mm",
        "pc",
        "pt",
        "px",
        "q",
        "rem",
        "vh",
        "vmax",
        "vw",
    ):
        look = styles.look_of_element(Look(size=8.0), {"font-size": f".5{unit}"})
        yield f"font-size: .5{unit} in 8px: {look.size:.6g}"
    yield from lines_of_calls(styles.look_of_plain_text, [frozenset(), frozenset({"dark"}), frozenset({"screen"})])


def contrasts() -> Iterator[str]:
    """Returns from which shade on a colour is seen on another."""
    for behind in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), (0.5, 0.5, 0.5), (0.02, 0.02, 0.02)):
        for channels in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
            for opacity in (1.0, 0.5):
                look = Look(behind=behind, opacity=opacity)
                found = ""
                for n in range(0, 256, 3):
                    red, green, blue = (one * n / 255 for one in channels)
                    found += ".#"[replace(look, colour=(red, green, blue)).is_hidden]
                yield f"{channels} on {behind}, {opacity}: {found}"


def tags() -> Iterator[str]:
    """Returns what is seen of elements."""
    for tag in TAGS:
        yield call_as_line(bodies.text_of_html, f"<div>a<{tag}>b</{tag}>c</div>")
        yield call_as_line(bodies.text_of_html, f"<div>a<{tag} style='display: inline'>b</{tag}>c</div>")


QUOTING = (
    "gmail_quote", "gmail_attr", "moz-cite-prefix", "moz-email-headers", "moz-forward-container", "yahoo_quoted",
    "protonmail_quote", "protonmail_signature", "tutanota_quote", "zmail_extra", "OutlookMessageHeader",
    "divRplyFwdMsg",
    "appendonsend", "reply-intro", "ydp1x2yahoo_quoted", "mail_quote", "cite-prefix", "mailbox_quote", "sfr-quote",
    "WMQuote", "replyforwardmessage", "gmail_signature", "moz-signature", "ms-outlook-mobile-signature",
    "signature-block", "signature", "quote", "MsoNormal",
)  # fmt: skip


def pages() -> Iterator[str]:
    """Returns the text of pages."""
    for name in QUOTING:
        yield call_as_line(bodies.text_of_html, f"F3<p class='{name}'>b<br><br>c<i>d</i></p>e<p id='x{name}'>f</p>")
    yield from lines_of_calls(bodies.text_of_html, [
        "", " ", "F3", "<p>F3", "a < b", "a << b", "a<br>b", "a</br>b", "a<br><br><br>b", "a<hr>b",
        "<table><tr><td>a<td>b<th>c<tr><td>d</table>", "<ul><li>a<li>b</ul>", "<p>a</p><p>b</p>",
        "<p class=msonormal>a</p><p class='x MsoNormal'>b</p>", "<pre>a\n\nb  c\r\nd</pre>",
        "<div style='white-space: pre'>a\n b\n</div>c", "a\n b\t \fc\u00a0 d",
        "<blockquote>a<blockquote>b</blockquote>c</blockquote>d", "<blockquote style='display: none'>a</blockquote>b",
        "<blockquote><i style='display: none'>a</i>b</blockquote>c", "<blockquote><s>a</s></blockquote>", "<s>F3</s>",
        "<s> </s>a",
        "<div class=gmail_signature>a<br>b<blockquote>c</blockquote></div>d",
        "<div class='gmail_quote gmail_signature'>a</div>", "a<!-- b -->c<?d?>e", "a\0b", "<b>F</b>3",
        "<p>\ud800a</p>", "<font color=white>a</font>b", "<font color=ffffff>a</font>b",
        "<font color=fffff>a</font>b", "<font color=fffffff>a</font>b",
        "<p bgcolor=black>a", "<p bgcolor=000000><font color=FFFFFF>a</font>", "<body text=white>a",
        "<p hidden>a</p>b", "<p hidden=false>a</p>b", "<table background=a.png><tr><td>a</table>",
        "<p background=''>a", "<p color=''>a", "<p style=''>a", "<p style='color: white' color=black>a",
        "<p style='display: block' hidden>a",
        "<p>" + "x" * 149_997, "<p>" + "x" * 149_998, "a<i>b</i>" * 2_998 + "<i>c</i><i>d</i>",
        "<blockquote>" + "a<i>b</i>" * 3_000 + "</blockquote><i>c</i>", "<i>" * 230 + "a",
        "<p>a</p>" * 1_497 + "<p>b</p><p>c</p><p>d</p>",
        "<html><head><title>t</title></head><body>a</body></html>", "<p>a <i> b </i> c</p>",
        "<i style='display: block'>a</i>b", "<p style='display: inline'>a</p>b", "a<div></div>b",
        "<svg><text>a</text></svg>b", "&lt;a&gt; &amp; &eacute;", "<a href='b'>c</a>",
    ])  # fmt: skip


DARK, LIGHT = "@media (prefers-color-scheme: dark)", "@media (prefers-color-scheme: light)"
HIDE, WHITE, BLACK = ".a{display:none}", ".a{color:#fff}", ".a{background:#000}"
SHEETS = (
    "", HIDE, WHITE, ".a{color:white;background:black}", ".b{display:none}", "i{display:none}", "#n{display:none}",
    "i.a{color:red} .a{color:white}", ".a{color:white} i.a{color:red}", ".a{color:white!important} i.a{color:red}",
    ".a{color:white} .a{color:black}", ".a{color:black} .a{color:white}", ".a::before{display:none}",
    ".a:hover{display:none}", "{", ".a{", "]]{display:none}", ".a{margin:0}", ".a{.b{color:red}}",
    ".a{color:red;@media x{}}", "@import 'x';" + HIDE, "@font-face{src:x}" + HIDE, "@charset 'x';" + HIDE,
    "/* x */" + HIDE, f"@media{{{HIDE}}}", f"@media screen{{{HIDE}}}", f"@media only screen{{{HIDE}}}",
    f"@media all{{{HIDE}}}",
    f"@media SCREEN{{{WHITE}}}", f"@media screen{{.a{{color:black}}}}{WHITE}",
    f"{WHITE}@media screen{{.a{{color:black}}}}", f"@media screen{{{BLACK}}}", f"@media screen{{{BLACK}}}{WHITE}",
    f"@media screen{{{BLACK}{WHITE}}}", f"@media screen{{@media (max-width:9px){{{HIDE}}}}}", "@media screen{}",
    "@media screen{.a{margin:0}}",
    f"@media print{{{HIDE}}}", f"@media only print{{{HIDE}}}", f"@media print and (x){{{HIDE}}}",
    f"@media print, screen{{{HIDE}}}", f"@media print, (max-width:9px){{{HIDE}}}", f"@media printer{{{HIDE}}}",
    f"@supports (x:y){{{HIDE}}}", f"@supports print{{{HIDE}}}", f"@media (max-width:9px){{{HIDE}}}",
    f"@media (max-width:9px){{{WHITE}}}",
    f"@media (max-width:9px){{{WHITE}}}@media (min-width:9px){{{BLACK}}}",
    f"@media (max-width:9px){{{BLACK}}}@media (min-width:9px){{{WHITE}}}",
    f"{WHITE}@media (max-width:9px){{{BLACK}}}", f"@media (max-width:9px){{@media print{{{HIDE}}}}}",
    f"@media (max-width:9px){{@media (b){{{HIDE}}}}}", f"@media not screen{{{HIDE}}}",
    f"{DARK}{{{HIDE}}}", f"{DARK}{{{WHITE}}}", f"{DARK}{{.a{{color:#000}}}}",
    f"{DARK}{{.a{{color:#fff;background:#000}}}}", f"{DARK}{{{BLACK}}}", f"{WHITE}{DARK}{{{BLACK}}}",
    f".a{{background:#000;color:#fff}}{DARK}{{.a{{color:#000}}}}",
    f"@media not (prefers-color-scheme: dark){{{HIDE}}}", f"@media (prefers-color-scheme: dark) or (x){{{HIDE}}}",
    f"@media screen and (prefers-color-scheme:dark){{{HIDE}}}", f"@media (prefers-color-scheme: dark), (x){{{HIDE}}}",
    f"{LIGHT}{{{HIDE}}}", f"{LIGHT}{{{BLACK}}}{DARK}{{{WHITE}}}",
    f"{LIGHT}{{{BLACK}}}{WHITE}{DARK}{{.a{{color:red;background:white}}}}", f"@media (a){{{BLACK}}}{DARK}{{{WHITE}}}",
    f"@media (a){{{BLACK}}}@media (b){{{WHITE}}}{DARK}{{.a{{color:red}}}}",
    f"@media (a), (prefers-color-scheme: light){{{BLACK}}}{DARK}{{{WHITE}}}",
    f"@media not (prefers-color-scheme: dark){{{BLACK}}}{DARK}{{{WHITE}}}",
    f"@supports (prefers-color-scheme: dark){{{HIDE}}}", f"@supports (a){{{WHITE}}}@media screen{{{BLACK}}}",
    "".join(f"@media (a{n}){{.b{{color:red}}}}" for n in range(8)),
    "".join(f"@media (a{n}){{.b{{color:red}}}}" for n in range(9)), "@media (a){.b{color:red}}" * 9,
    ".b{color:red}" * 500, ".b{color:red}" * 501, ".a" * 3000 + "{color:red}",
)  # fmt: skip


def sheets() -> Iterator[str]:
    """Returns what style sheets do to a page, and the conditions under which it may look otherwise."""
    for sheet in SHEETS:
        found = result_of(lambda text: [sorted(one) for one in Styles([text]).looks], sheet)
        page = f"<style>{sheet}</style>x<i class=a id=n>F3</i><i class=a style='color: #00f'>M2</i>"
        page += "<i class=a style='display: inline !important'>y</i>"
        yield f"{text_of(sheet)}: {found} {text_of(bodies.text_of_html(page))}"
    for length in (100_000, 100_001):
        comment = f"/*{'x' * (length - 4)}*/"
        yield f"{length}: {result_of(lambda text: Styles([text[:9], text[9:]]).looks, comment)}"


PARTS: tuple[Part, ...] = (looks, contrasts, tags, pages, sheets)


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.features.inbox.incoming.looks", PARTS), "utf-8")
