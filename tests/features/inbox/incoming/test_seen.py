"""What a person did not see is not played: invisible text, other ends of lines, and parts that differ."""

import quopri

import pytest

from pbem.features.inbox.incoming import bodies
from pbem.features.inbox.incoming.characters import normalize_blanks_and_invisibles
from pbem.features.inbox.incoming.commands import Move, Reading, Say, read_reply
from pbem.features.inbox.incoming.message import read_message
from pbem.games.hagakure import GAME as HAGAKURE
from tests.features.inbox.incoming.corpus import reader_of_game
from tests.features.inbox.incoming.programs import mail_of_parts
from tests.harness.cases import cases

PLAYED = (Move(("19",)),)


def read_mail(raw: bytes) -> Reading:
    text = read_message(raw, mail_from=None, recipients=(), own=lambda _: False).text
    return read_reply(text, reader_of_game(HAGAKURE), ("Alice",))


def mail_with_text(text: str) -> bytes:
    """Returns a mail with this text as it is: the standard library would write other ends of lines."""
    return mail_of_parts("@", cte="quoted-printable").as_bytes().replace(b"@\r\n", quopri.encodestring(text.encode()))


HIDDEN = (
    "font-size:0", "font-size:0px", "font-size:1px", "font-size: 0.1em", "font-size:2pt", "font:1px/1 Arial",
    "font-size:1%", "color:white", "color:#fff", "color:#fefefe", "color:rgb(250, 251, 252)", "color:transparent",
    "color:rgba(0,0,0,0)", "color:rgba(0 0 0 / 2%)", "color:hsl(0,0%,99%)", "background:black;color:#000",
    "background-color:#336699;color:#336699", "background:#111", "display:none", "display:none!important",
    "DISPLAY : NONE", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.01", "opacity:0%",
    "filter:opacity(0)", "height:0;overflow:hidden", "max-height:0px;overflow:hidden", "width:0;overflow:hidden",
    "max-height:1px;overflow-y:auto", "line-height:0;overflow:hidden", "position:absolute;left:-9999px",
    "position:fixed;top:-100em", "position:relative;left:200vw", "text-indent:-9999px", "margin-left:-5000px",
    "mso-hide:all", "clip:rect(0,0,0,0);position:absolute", "clip-path:inset(100%)", "transform:scale(0)", "zoom:0",
    "content-visibility:hidden", "-webkit-text-fill-color:transparent", "dis\\70lay:none", "display:/* */none",
)  # fmt: skip
MARKUP = (
    "<p hidden>{}</p>", "<template>{}</template>", "<noscript>{}</noscript>", "<title>{}</title>",
    "<script>{}</script>", "<!-- {} -->", "<!--[if mso]>{}<![endif]-->", "<!-- --!>\n<!-- {} -->", "<style>{}</style>",
    "<iframe>{}</iframe>", "<textarea>{}</textarea>", "<select><option>{}</select>", "<object>{}</object>",
    "<p><font color=white>{}</font></p>", "<table bgcolor=#000000><tr><td>{}</table>", "<font color=FFFFFF>{}</font>",
    "<style>.a{{display:none}}</style><p class=a>{}</p>",
    "<style>div p.a{{font-size:0}}</style><div><p class=a>{}</div>",
    "<style>@media screen{{.a{{display:none}}}}</style><p class=a>{}</p>",
    "<style>#x{{color:#fff}}</style><p id=x style='color:red;color:#fff'>{}</p>",
    "<style><!-- .a{{visibility:hidden}} --></style><p class='b a'>{}</p>",
    "<style>.a{{display:none!important}}</style><p class=a style='display:block'>{}</p>",
    "<div style='font-size:0'><p><b>{}</b></p></div>", "<div style='color:#fff'><p style='font-size:20px'>{}</p></div>",
    "<div style='background:#000'><p>{}</p></div>", "<dialog>{}</dialog>", "<svg><text>{}</text></svg>",
    "<p style='display:none'>a<p style='display:none'>{}</p>", "<head><meta name=x content='{}'></head>",
    "<input value='{}'>", "<img alt='{}'>", "<a title='{}'></a>",
)  # fmt: skip
SEEN = (
    "<p style='color:#767676'>{}</p>", "<p style='font-size:9px'>{}</p>", "<p style='font-size:small'>{}</p>",
    "<div style='background:#000;color:#fff'>{}</div>", "<table bgcolor=black><tr><td style='color:white'>{}</table>",
    "<div style='font-size:0'><p style='font-size:14px'>{}</p></div>", "<p style='color:windowtext'>{}</p>",
    "<div style='visibility:hidden'><p style='visibility:visible'>{}</p></div>", "<p style='height:0'>{}</p>",
    "<style>@media print{{.a{{display:none}}}}</style><p class=a>{}</p>", "<p style='opacity:.8'>{}</p>",
    "<style>.a{{display:none}}</style><p class=a style='display:block'>{}</p>", "<p style='overflow:hidden'>{}</p>",
    "<div style='margin-left:40px'>{}</div>", "<p style='position:relative;left:1px;top:2px'>{}</p>",
    "<p style='background:#1e1e1e'><font color=#d4d4d4>{}</font></p>", "<p style='line-height:1.38'>{}</p>",
    "<p style='background:white url(x.png);background:#fff'>{}</p>", "<p style='white-space:pre-wrap'>{}</p>",
    "<style>p::before{{color:#fff}}</style><p>{}</p>", "<p style='font:12pt Calibri,sans-serif'>{}</p>",
    "<p style='max-width:600px;overflow:hidden'>{}</p>",
    "<p><span lang=EN style='mso-fareast-language:EN'>{}</span></p>",
)  # fmt: skip


@pytest.mark.long
@cases("page", [*(f"<p style='{style}'>{{}}</p>" for style in HIDDEN), *MARKUP])
@cases("around", ["<html><body>{}<p>19</p></body></html>", "<div>19</div>{}", "<p>19</p>\n<div>{}</div>"])
def test_invisible_text_in_html_is_ignored(page: str, around: str) -> None:
    hidden = around.format(page.format("play 18"))
    assert bodies.text_of_html(hidden).strip() == "19"
    assert read_mail(mail_of_parts(None, hidden).as_bytes()).commands == PLAYED
    assert read_mail(mail_of_parts(None, page.format("19")).as_bytes()).commands == ()


DARK = "@media (prefers-color-scheme: dark)"
TWICE = (
    DARK + "{{.a{{color:#fff}}}}", DARK + "{{.a{{color:#fff!important;background:#1e1e1e!important}}}}",
    DARK + "{{body{{background:#000;color:#fff}}}}", DARK + "{{body{{background:#000}} .a{{color:#eee!important}}}}",
    "@media screen and (prefers-color-scheme:dark){{*{{color:#fff!important;background:#111!important}}}}",
    DARK + "{{@supports (color:red){{.a{{color:#fff}}}}}}", DARK + "{{.a{{font-size:20px}} .b{{display:none}}}}",
    "@media (max-width:600px){{.a{{width:100%!important;font-size:18px}} .b{{display:none}}}}",
    "@media (max-width:600px){{.a{{color:#fff;background:#000}}}}", "@media print{{.a{{color:#fff;display:none}}}}",
    "@media (prefers-color-scheme: light){{.a{{color:#000}}}}", "@font-face{{font-family:x;src:url(x)}}",
    "@media only print, print and (min-width:1px){{.a{{display:none}}}}", "@page x{{size:8in 11in;margin:1in}}",
    "@media screen{{.a{{background:#fff}}}} @media screen{{.a{{color:#00f}}}}", "@media all{{.a{{color:#00f}}}}",
    "@media (prefers-color-scheme: light){{.a{{color:#111}}}}" + DARK + "{{.a{{background:#111}}}}",
    "@media (min-width:1px){{.a{{background:#eee}}}} @media (max-width:600px){{.a{{color:#00f}}}}",
)  # fmt: skip
"""What styles say of a text that everybody sees, whatever of it holds."""
ONCE = (
    DARK + "{{.a{{display:none}}}}", DARK + "{{.a{{font-size:0}}}}", DARK + "{{.a{{visibility:hidden}}}}",
    DARK + "{{.a{{color:#111;background:#111}}}}", DARK + "{{.a{{color:transparent}}}}",
    DARK + "{{body{{background:#111}} .a{{color:#111}}}}", "@media (max-width:600px){{.a{{display:none}}}}",
    "@media only screen and (max-width:480px){{.a{{font-size:1px!important}}}}",
    "@media (min-width:600px){{.a{{color:#fff}}}}", "@media not (prefers-color-scheme: dark){{.a{{color:#fff}}}}",
    "@media (prefers-color-scheme: light){{.a{{color:#fff}}}}", "@supports (color:red){{.a{{opacity:0}}}}",
    "@media print, (min-width:1px){{.a{{display:none}}}}", "@media (min-width:1px),print{{.a{{color:#fff}}}}",
    "@media (not (prefers-color-scheme: dark)){{.a{{color:#fff}}}}",
    "@media (prefers-color-scheme: dark) or (min-width:1px){{.a{{color:#fff}}}}",
    "body{{.a{{display:none}}}}", ".a{{&{{display:none}}}}", "body{{color:#000;.a:not(b){{display:none}}}}",
    "body{{p:nth-child(n){{display:none}}}}", ".a{{@media screen{{display:none}}}}",
    ".a{{@supports (color:red){{color:#fff}}}}", "@media screen{{body{{.a{{display:none}}}}}}",
    "@media screen{{.a{{background:#00f}}}} @media screen{{.a{{color:#00f}}}}",
    "@media screen{{.a{{background:#00f}} .a{{color:#00f}}}}", "@media all{{body{{background:#00f}} .a{{color:#00f}}}}",
    ".a{{background:#00f}} @media screen{{.a{{color:#00f}}}}",
    "@media screen{{.a{{background:#00f}}}} .a{{color:#00f}}",
    ".a{{color:#f00}} @media (min-width:1px){{.a{{background:#00f}}}} @media (min-height:1px){{.a{{color:#00f}}}}",
    "@media screen{{.a{{background:#00f}}}} @media (min-height:1px){{.a{{color:#00f}}}}",
    DARK + "{{.a{{background:#00f;color:#fff}}}} @media (min-height:1px){{.a{{color:#00f}}}}",
    "@media (min-width:1px){{.a{{background:#00f}}}} @media (min-height:1px){{.a{{color:#00f}}}}"
    "@media (max-width:1px){{.a{{color:#f00}}}}",
)  # fmt: skip
"""What styles say of a text that only some see."""
ALWAYS = (
    DARK + "{{.a{{color:#fff}}}} .a{{color:#fff}}", DARK + "{{.a{{display:block}}}} .a{{display:none}}",
    DARK + ",screen{{.a{{color:#fff}}}}", "@media (max-width:600px){{.a{{display:block}}}} .a{{display:none}}",
    "@media screen{{.a{{display:none}}}}", "@media all{{.a{{color:#fff}}}}",
)  # fmt: skip
"""What styles say of a text that nobody sees on a light screen."""


@cases("styles", TWICE)
def test_html_mail_styles_that_hide_no_text_leave_it_readable(styles: str) -> None:
    page = f"<html><head><style>{styles.format()}</style></head><body><div class=a>19</div></body></html>"
    assert read_mail(mail_of_parts(None, page).as_bytes()).commands == PLAYED


@pytest.mark.long
@cases("styles", ONCE)
def test_text_hidden_only_under_some_conditions_is_not_played(styles: str) -> None:
    for before in ("", "<p>18</p>"):
        page = f"<style>{styles.format()}</style>{before}<p class=a>19</p>"
        assert read_mail(mail_of_parts(None, page).as_bytes()).commands == ()


@cases("styles", ALWAYS)
def test_a_css_condition_does_not_reveal_text_hidden_by_another_rule(styles: str) -> None:
    page = f"<style>{styles.format()}</style><p class=a>18</p><p>19</p>"
    assert read_mail(mail_of_parts(None, page).as_bytes()).commands == PLAYED


@cases("page", SEEN)
def test_visible_text_in_html_is_read(page: str) -> None:
    assert read_mail(mail_of_parts(None, page.format("19")).as_bytes()).commands == PLAYED


@cases(
    "page",
    [
        "<s>{}</s>", "<del>{}</del>", "<p style='text-decoration:line-through'>{}</p>", "<bdo dir=rtl>{}</bdo>",
        "<p style='unicode-bidi:bidi-override;direction:rtl'>{}</p>", "<p style='color:var(--x)'>{}</p>",
        "<p style='color:#fff;background:url(x)'>{}</p>", "<p style='color:color-mix(in srgb,white,white)'>{}</p>",
        "1</br>9", "1<div>9</div>", "1<p>9", "1<br>9", "1<table><tr><td>9</table>",
        "1<p style='display:inline'>9</p>{}", "<style>" + "p{{color:red}}" * 600 + "</style><p>{}</p>",
    ],
)  # fmt: skip
def test_html_that_may_look_different_from_its_text_is_not_played(page: str) -> None:
    assert read_mail(mail_of_parts(None, page.format("19")).as_bytes()).commands == ()


ENDS = ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\r"]


@pytest.mark.long
@cases("end", ENDS)
def test_unusual_line_separators_count_as_spaces_and_end_no_line(end: str) -> None:
    assert normalize_blanks_and_invisibles(f"a{end}b\r\nc\r\r\nd") == "a b\nc\nd"
    assert read_mail(mail_with_text(f"say Hello{end}19\n")).commands == (Say("Hello 19"),)
    for text in (f"19{end}18", f"1{end}9", f"I was thinking of{end}19", f"18\n{end}19"):
        assert read_mail(mail_with_text(text)).commands == (), text


@cases("one", ["\u202e", "\u202d"])
def test_a_line_with_bidirectional_reordering_is_not_played(one: str) -> None:
    assert read_mail(mail_of_parts(f"{one}91\n").as_bytes()).commands == ()
    assert read_mail(mail_of_parts(f"{one}19\n").as_bytes()).commands == ()


@pytest.mark.long
@cases("blank", ["\u2800", "\u3164", "\u115f", "\uffa0", "\u3000", "\t"])
def test_unicode_spaces_count_as_spaces(blank: str) -> None:
    assert read_mail(mail_of_parts(f"1{blank}9\n").as_bytes()).commands == ()
    assert read_mail(mail_of_parts(f"{blank}19{blank}\n").as_bytes()).commands == PLAYED


@cases("nothing", ["\u200b", "\u2060", "\ufeff", "\u180e", "\U000e0031\U000e0038", "\u00ad", "\ufe0f"])
def test_invisible_characters_are_dropped(nothing: str) -> None:
    assert read_mail(mail_of_parts(f"1{nothing}9\n").as_bytes()).commands == PLAYED


@cases(
    "text, page",
    [
        ("18", "<p>19</p>"),
        ("19", "<p>18</p>"),
        ("19", "<p>19</p><p>no, wait</p>"),
        ("19\n\nno, wait", "<p>19</p>"),
        ("19", "<p style='display:none'>19</p><p>18</p>"),
        ("19", "<p style='display:none'>19</p>"),
        ("19", "<p>Hello</p>"),
        ("19", "19<br>say Well played"),
        ("say Well played", "<p>say Badly played</p>"),
    ],
)
def test_a_mail_whose_text_and_html_differ_does_nothing(text: str, page: str) -> None:
    reading = read_mail(mail_of_parts(text, page).as_bytes())
    assert reading.commands == ()
    if "wait" not in text:
        assert reading.doubts == ("parts-differ",)
        assert "parts-differ" in [line.doubt for line in reading.lines]


@cases(
    "text, page, commands",
    [
        ("*19*", "<p><b>19</b></p>", PLAYED),
        ("19\n\nAlice <https://example.org/a>", "<p>19</p><a href='https://example.org/a'>Alice</a>", PLAYED),
        (" ", "<p>19</p>", PLAYED),
        ("say A link <https://example.org>", "<p>say A <a href=x>link</a></p>", (Say("A link"),)),
        ("19\n\n> old", "<p>19</p><blockquote>old</blockquote>", PLAYED),
    ],
)
def test_what_text_and_html_both_say_is_read_as_commands(text: str, page: str, commands: tuple[object, ...]) -> None:
    found = read_mail(mail_of_parts(text, page).as_bytes()).commands
    assert [type(one) for one in found] == [type(one) for one in commands]


def test_a_second_text_part_that_contradicts_the_move_stops_it() -> None:
    for subtype, said in (("html", "<p>No, 18</p>"), ("plain", "no wait")):
        both = mail_of_parts("19\n")
        both.add_attachment(said, subtype=subtype, disposition="inline")
        assert read_mail(both.as_bytes()).commands == ()
