"""The mutants of a source text: small changes, each of which a test should notice.

Changed are comparisons, `and` and `or`, conditions, arithmetic, constants, what is returned, the bounds of slices, and
calls and raises that are statements of their own. Not changed is what no test can or should notice: annotations,
asserts, docstrings, texts, log lines, `strict=` of a zip, what a `__repr__` writes, and how dataclasses, Structs and
caches are set up.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",),
    ast.NotEq: ("==",), ast.Is: ("is not",), ast.IsNot: ("is",), ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.FloorDiv(), ast.Div: ast.Mult(), ast.FloorDiv: ast.Mult(),
    ast.Mod: ast.FloorDiv(), ast.Pow: ast.Mult(), ast.BitOr: ast.BitAnd(), ast.BitAnd: ast.BitOr(),
    ast.LShift: ast.RShift(), ast.RShift: ast.LShift(),
}  # fmt: skip
COMPARE_WORDS = {word: op for op, word in (
    (ast.Lt, "<"), (ast.LtE, "<="), (ast.Gt, ">"), (ast.GtE, ">="), (ast.Eq, "=="), (ast.NotEq, "!="),
    (ast.Is, "is"), (ast.IsNot, "is not"), (ast.In, "in"), (ast.NotIn, "not in"),
)}  # fmt: skip
TEXTS = {"_", "N_", "gettext", "ngettext", "cast", "TypeVar", "NewType", "Literal", "getLogger", "get_logger"}
"""What is in their parentheses or brackets is a text for people, or for the type checker."""
SETTINGS = {"dataclass", "lru_cache", "cache", "overload"}
LOGS = {"log", "logger"}
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
WORD = re.compile(r"[a-z][\w.:/-]*", re.ASCII)
"""A string that means something to the program; what has spaces or capitals is for people."""


@dataclass(frozen=True, order=True)
class Mutant:
    """One change in one statement."""

    file: str
    function: str
    """Its dotted name in the file; "" outside of all functions."""
    was: str
    """The statement, or the head of a compound one, in one line; the same one again in a function has a number."""
    becomes: str
    line: int
    lines: tuple[int, int]
    """The first and the last line of the statement or the head."""
    span: tuple[int, int, int, int]
    """The text that is replaced: line and byte of its start and its end, as in `ast`."""
    text: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same when lines move."""
        return self.file, self.function, self.was, self.becomes

    def apply(self, source: str) -> str:
        """Returns the source with the change."""
        return _replace(source, self.span, self.text)


def _replace(source: str, span: tuple[int, int, int, int], text: str) -> str:
    row, column, last, end = span
    lines = source.encode().splitlines(keepends=True)
    before, after = b"".join(lines[: row - 1]) + lines[row - 1][:column], lines[last - 1][end:] + b"".join(lines[last:])
    return (before + text.encode() + after).decode()


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_log(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
        _name(node.func.value) in LOGS and node.func.attr in LEVELS
    )  # fmt: skip


def _is_skipped(node: ast.AST) -> bool:
    """True if nothing in it is changed."""
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_log(node):
        return True
    if isinstance(node, ast.FunctionDef) and node.name == "__repr__":
        return True
    if isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Expr) and _is_log(node.value):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    called = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
    return _name(called) in TEXTS | SETTINGS


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params"):
            continue
        if isinstance(node, ast.ClassDef) and field == "keywords":
            continue
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The changes of one expression, as expressions in its place."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=right):
            for at, op in enumerate(ops):
                for word in COMPARISONS[type(op)]:
                    yield ast.Compare(left, [*ops[:at], COMPARE_WORDS[word](), *ops[at + 1 :]], right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            if not any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple) or _is_string(side)
                       for side in (left, right)):  # fmt: skip
                yield ast.BinOp(left, ARITHMETIC[type(op)], right)
        case ast.IfExp(test=test, body=body, orelse=orelse) if _is_plain(test):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
            if value == 1:
                yield ast.Constant(0)
        case ast.Constant(value=str(value)) if WORD.fullmatch(value):
            yield ast.Constant(f"XX{value}")
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower is not None and not isinstance(lower, ast.Constant):
                yield ast.Slice(ast.BinOp(lower, ast.Add(), ast.Constant(1)), upper, step)
            if upper is not None and not isinstance(upper, ast.Constant):
                yield ast.Slice(lower, ast.BinOp(upper, ast.Sub(), ast.Constant(1)), step)


def _statements(node: ast.AST, function: ast.AST | None) -> Iterator[tuple[ast.AST, str]]:
    """The changes of one statement: what is replaced, by what."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise():
            yield node, "pass"
        case ast.Return(value=ast.expr() as value):
            bool_ = (
                isinstance(function, ast.FunctionDef) and function.returns and ast.unparse(function.returns) == "bool"
            )
            for other in ("True", "False") if bool_ else ("None",):
                if ast.unparse(value) not in ("None", "True", "False"):
                    yield value, other
        case ast.If(test=test) | ast.While(test=test) if _is_plain(test):
            yield test, f"not ({ast.unparse(test)})"
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in ARITHMETIC and not _is_string(value):
            yield node, ast.unparse(ast.AugAssign(target, ARITHMETIC[type(op)], value))
        case ast.comprehension(ifs=ifs):
            yield from ((test, f"not ({ast.unparse(test)})") for test in ifs if _is_plain(test))


def _is_plain(test: ast.AST) -> bool:
    """True if no other change turns this condition into its opposite."""
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return not negated and not (isinstance(test, ast.Compare) and len(test.ops) == 1)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _span(node: ast.AST) -> tuple[int, int, int, int]:
    return tuple(getattr(node, at) for at in ("lineno", "col_offset", "end_lineno", "end_col_offset"))


def mutants_of_source(source: str, file: str = "") -> list[Mutant]:
    """Returns every mutant of the source, in its order."""
    lines, found, seen = source.split("\n"), list[Mutant](), Counter[tuple[str, str, str]]()

    def head(statement: ast.stmt) -> tuple[int, int]:
        body = getattr(statement, "body", None)
        end = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno
        return statement.lineno, end

    def note(statement: ast.stmt, path: tuple[str, ...], span: tuple[int, int, int, int], text: str) -> None:
        first, last = head(statement)
        if getattr(statement, "decorator_list", ()):
            first, last = min(first, span[0]), max(last, span[0])
        last = max(last, span[2])
        part = "\n".join(lines[first - 1 : last])
        after = _replace(part, (span[0] - first + 1, span[1], span[2] - first + 1, span[3]), text)
        was, becomes = " ".join(part.split()), " ".join(after.split())
        where = (".".join(path), was, becomes)
        seen[where] += 1
        was += f"  # {seen[where]}" if seen[where] > 1 else ""
        found.append(Mutant(file, where[0], was, becomes, span[0], (first, last), span, text))

    def visit(node: ast.AST, path: tuple[str, ...], function: ast.AST | None, statement: ast.stmt) -> None:
        if _is_skipped(node):
            return
        if isinstance(node, ast.stmt):
            statement = node
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                return
            # At the top, A | B is a type.
            value = getattr(node, "value", None)
            if (
                isinstance(node, ast.Assign)
                and isinstance(value, ast.BinOp)
                and not path
                and isinstance(value.op, ast.BitOr)
            ):
                return
        for replaced, text in _statements(node, function):
            note(statement, path, _span(replaced), text)
        if isinstance(node, ast.expr | ast.Slice):
            for other in _expressions(node):
                text = ast.unparse(ast.fix_missing_locations(other))
                bare = isinstance(other, ast.Slice | ast.Constant | ast.Name | ast.Call | ast.Attribute)
                note(statement, path, _span(node), text if bare else f"({text})")
        inner = (*path, node.name) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else path
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in _children(node):
            # Decorators and defaults run where the function is defined.
            in_body = is_function and child in node.body  # type: ignore[attr-defined]
            visit(
                child,
                inner if in_body or isinstance(node, ast.ClassDef) else path,
                node if in_body else function,
                statement,
            )

    tree = ast.parse(source)
    for statement in tree.body:
        visit(statement, (), None, statement)
    return sorted(found, key=lambda one: (one.span, one.text))
