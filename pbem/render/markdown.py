"""The HTML of texts in Markdown: the rulebook of a game, pages of help, what the API's document says.

Who needs it imports it where such a page is shown: its library costs each process time and memory, and few show one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from pbem.games import find_game, read_text_file_of_game
from pbem.kit.contract import Figure
from pbem.kit.texts import Lang
from pbem.render.i18n import message_catalogue
from pbem.render.pictures import svg_with_names

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_LINES = MarkdownIt("zero", {"html": False}).enable("backticks")
_SECTION = re.compile(r"(\d+)\. ")
_RULE = re.compile(r"(\d+\.\d+)\. ")
_RULING = re.compile(r"(R\d+)\. ?")
_CITED = re.compile(r"(?<![\w.])(?:(R\d+|\d+\.\d+)(?![\w.]*\d)|(?<=\()(\d+)(?=\)))")
_FIGURE = "figure:"

Block = list[Token]


@dataclass(frozen=True)
class Rules:
    """The rules of a game in one language: what stands before the first section, the sections, everything after."""

    intro: Markup
    contents: tuple[tuple[str, Markup], ...]
    """The number and the title of each section."""
    body: Markup


def markdown_html(text: str) -> Markup:
    """Returns a text of ours in Markdown as HTML."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704  # html is off


def paragraphs_with_code_html(text: str) -> Markup:
    """Returns the text as HTML, with `code` marked up, and paragraphs at empty lines."""
    return Markup(_LINES.render(text))  # noqa: S704  # html off: all but its own marks is escaped


def line_with_code_html(text: str) -> Markup:
    """Returns a line as HTML, with `code` marked up."""
    return Markup(_LINES.renderInline(text))  # noqa: S704  # as above


@cache
def notation_guide_html(slug: str, lang: Lang) -> Markup:
    """Returns what may be typed in a game."""
    return _tokens_html(_tokens_of_markdown_file(slug, "NOTATION", lang))


@cache
def rules_of(slug: str, lang: Lang) -> Rules:
    """Returns the game's rules. Raises KeyError if they show a figure that the game does not draw."""
    game = find_game(slug)
    assert game is not None, "the page has found it"
    blocks = list(_split_blocks(_tokens_of_markdown_file(slug, "RULES", lang)))
    contents = tuple(
        (number, _inline_token_html(block[1])) for block in blocks if (number := _take_section_number(block))
    )
    rules = [_take_numbered_rules(block) for block in blocks]
    anchors = {number for number, _ in contents} | {number for found in rules for number, _ in found}
    first = next((at for at, block in enumerate(blocks) if block[0].tag == "h2"), 1)
    for token in (token for block in blocks for token in block if token.type == "inline"):
        _link_rule_numbers_in_children(token, anchors)
    drawn = [_block_html(block, found, game.figures, lang) for block, found in zip(blocks, rules, strict=True)]
    return Rules(Markup().join(drawn[1:first]), contents, Markup().join(drawn[first:]))


def _tokens_of_markdown_file(slug: str, name: str, lang: Lang) -> Block:
    return _MARKDOWN.parse(read_text_file_of_game(slug, f"{name}.{lang}.md"))


def _tokens_html(tokens: Sequence[Token]) -> Markup:
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704  # html is off


def _inline_token_html(token: Token) -> Markup:
    return _tokens_html([Token("inline", "", 0, children=token.children)])


def _split_blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    """Yields the tokens of each heading, paragraph, list and table; the title of the page is the first."""
    begin = 0
    for at, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            yield list(tokens[begin : at + 1])
            begin = at + 1


# --- numbers ---------------------------------------------------------------------------------------------------


def _take_section_number(block: Block) -> str | None:
    """Returns the number of the section that this heading begins, and leaves its title alone."""
    number = _take_leading_number(block[1], _SECTION) if block[0].tag == "h2" else None
    if number:
        block[0].attrSet("id", number)
    return number


def _take_numbered_rules(block: Block) -> list[tuple[str, Token]]:
    """Returns the number and the text of each rule in a block: it loses its number there. [] if it has none."""
    match block[0].type:
        case "paragraph_open":
            number = _take_leading_number(block[1], _RULE)
            return [(number, block[1])] if number else []
        case "ordered_list_open":
            marks = [token.info for token in block if token.type == "list_item_open"]
            return list(zip(marks, (token for token in block if token.type == "inline"), strict=True))
        case "bullet_list_open":
            items = [(_take_leading_number(token, _RULING), token) for token in block if token.type == "inline"]
            return [(number, token) for number, token in items if number]
    return []


def _take_leading_number(inline: Token, numbered: re.Pattern[str]) -> str | None:
    """Takes the number from the beginning of a text."""
    first = next((child for child in inline.children or [] if child.type == "text" and child.content), None)
    found = numbered.match(first.content) if first else None
    if first is None or found is None:
        return None
    first.content = first.content[found.end() :]
    return found[1]


def _link_rule_numbers_in_children(inline: Token, anchors: set[str]) -> None:
    """Makes a link of every number of a rule in a text, in the caption of a figure, too."""
    children: list[Token] = []
    for child in inline.children or []:
        if child.type == "image":
            _link_rule_numbers_in_children(child, anchors)
        children += _link_rule_numbers(child, anchors) if child.type == "text" else [child]
    inline.children = children


def _link_rule_numbers(text: Token, anchors: set[str]) -> Iterator[Token]:
    end = 0
    for found in _CITED.finditer(text.content):
        number = found[1] or found[2]
        if number in anchors:
            yield Token("text", "", 0, content=text.content[end : found.start()])
            yield Token("link_open", "a", 1, attrs={"href": f"#{number}"})
            yield Token("text", "", 0, content=number)
            yield Token("link_close", "a", -1)
            end = found.end()
    yield Token("text", "", 0, content=text.content[end:])


# --- blocks ----------------------------------------------------------------------------------------------------


def _block_html(block: Block, rules: Sequence[tuple[str, Token]], figures: Mapping[str, Figure], lang: Lang) -> Markup:
    if rules:
        return Markup("\n").join(_rule_html(number, _inline_token_html(token), lang) for number, token in rules)
    if block[0].tag == "h2" and "id" in block[0].attrs:
        return Markup('<h2 id="{0}">{0}. {1}</h2>\n').format(block[0].attrs["id"], _inline_token_html(block[1]))
    image = _only_image_in(block)
    if image is None:
        return _tokens_html(block)
    return Markup('<figure class="fig">{}<figcaption>{}</figcaption></figure>\n').format(
        svg_with_names(figures[str(image.attrs["src"]).removeprefix(_FIGURE)](lang), ()), _inline_token_html(image)
    )


def _rule_html(number: str, text: Markup, lang: Lang) -> Markup:
    label = message_catalogue(lang).gettext("Rule %(number)s") % {"number": number}
    return Markup('<div class="rule" id="{0}"><a href="#{0}" aria-label="{1}">{0}</a><p>{2}</p></div>').format(
        number, escape(label), text
    )


def _only_image_in(block: Block) -> Token | None:
    """Returns the figure that a paragraph consists of."""
    children = block[1].children or [] if block[0].type == "paragraph_open" else []
    if len(children) != 1 or children[0].type != "image":
        return None
    return children[0] if str(children[0].attrs["src"]).startswith(_FIGURE) else None
