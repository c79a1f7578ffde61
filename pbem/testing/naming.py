"""What the code of a game names: whether a line of it can bring about what is declared, and what functions keep."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from importlib.resources.abc import Traversable

_CHANGING = frozenset(
    ["add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"]
)
"""The methods of lists, dicts and sets that change them."""


class Names:
    """The names and words in the modules of a folder.

    `used`: names that are read, as variables, attributes or arguments, but for those of classes in patterns and in
    `isinstance`, which ask for something and make nothing. `words`: strings, also the first ones within f-strings, and
    each up to its first colon; `keys`: those that are keys of a dict, which declare something.
    """

    def __init__(self, folder: Traversable) -> None:
        self.used, self.words, self.keys = Counter[str](), Counter[str](), Counter[str]()
        for _, text in _names_and_texts_of_modules(folder):
            self._count_names_in(ast.parse(text))

    def can_bring_about(self, what: str, name: str) -> bool:
        """Returns whether code can bring about a fact, a move, an ending, a draw or a refusal of this name."""
        if what == "the move":  # a move needs no name but its own
            return True
        return self.uses_name(name) or (what == "the refusal" and bool(self.used[name.upper()]))

    def uses_name(self, name: str, *, beside: int = 0) -> bool:
        """Returns whether code uses this name, or says this word where it is no key of a dict, and `beside` that."""
        return self.used[name] > 0 or self.words[name] > self.keys[name] + beside

    def _count_names_in(self, node: ast.AST) -> None:
        asked = list[ast.AST]()
        match node:
            case ast.Name(name, ast.Load()) | ast.Attribute(_, name, ast.Load()):
                self.used[name] += 1
            case ast.Constant(str(word)):
                self.words.update({word, word.partition(":")[0]})
            case ast.Dict(keys):
                self.keys.update(
                    one for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
                    for one in {key.value, key.value.partition(":")[0]}
                )  # fmt: skip
            case ast.MatchClass(kind):
                asked = [kind]
            case ast.Call(ast.Name("isinstance"), [_, kinds]):
                asked = [kinds]
        for child in ast.iter_child_nodes(node):
            if child not in asked:
                self._count_names_in(child)


def find_state_kept_by_functions(folder: Traversable) -> Iterator[str]:
    """Yields where a function changes something of its module or of its game: the file with the line, and its name."""
    for name, text in _names_and_texts_of_modules(folder):
        module = ast.parse(text)
        targets = (target for line in module.body for target in _targets_of_assignment(line))
        own = {target.id for target in targets if isinstance(target, ast.Name)}
        found = (
            (node.lineno, kept)
            for function in ast.walk(module)
            if isinstance(function, ast.FunctionDef) and function.name != "__init__"
            for node in ast.walk(function)
            if isinstance(node, ast.stmt | ast.expr)
            for kept in _names_changed_by_line(node, own)
        )
        yield from (f"{name}:{line} keeps something in {kept}" for line, kept in sorted({*found}))


def _names_changed_by_line(node: ast.AST, own: Collection[str]) -> Iterator[str]:
    """Yields what a line changes in place, if that is one of the module's `own` names, or an attribute of `self`."""
    match node:
        case ast.Global(names):
            yield from names
        case ast.Call(ast.Attribute(ast.Name(name), method)) if name in own and method in _CHANGING:
            yield name
        case _:
            for target in _targets_of_assignment(node):
                match target:
                    case ast.Subscript(ast.Name(name)) if name in own:
                        yield name
                    case ast.Attribute(ast.Name("self"), name):
                        yield f"self.{name}"


def _targets_of_assignment(node: ast.AST) -> Sequence[ast.AST]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else []


def _names_and_texts_of_modules(folder: Traversable) -> Iterator[tuple[str, str]]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _names_and_texts_of_modules(file)
        elif file.name.endswith(".py"):
            yield file.name, file.read_text(encoding="utf-8")
