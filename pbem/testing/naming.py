"""What the code of a game names: whether a line of it can bring about what is declared."""

import ast
from collections import Counter
from collections.abc import Iterator
from importlib.resources.abc import Traversable


class Names:
    """The names and words in the modules of a folder.

    `used`: names that are read, as variables, attributes or arguments, but for those of classes in patterns and in
    `isinstance`, which ask for something and make nothing. `words`: strings, also the first ones within f-strings, and
    each up to its first colon; `keys`: those that are keys of a dict, which declare something.
    """

    def __init__(self, folder: Traversable) -> None:
        self.used, self.words, self.keys = Counter[str](), Counter[str](), Counter[str]()
        for text in _modules_in(folder):
            self._read(ast.parse(text))

    def makes(self, what: str, name: str) -> bool:
        """Returns whether code can bring about a fact, a move, an ending, a draw or a refusal of this name."""
        if what == "the move":  # a move needs no name but its own
            return True
        return self.reads(name) or (what == "the refusal" and bool(self.used[name.upper()]))

    def reads(self, name: str) -> bool:
        """Returns whether code uses this name, or says this word where it is no key of a dict."""
        return self.used[name] > 0 or self.words[name] > self.keys[name]

    def _read(self, node: ast.AST) -> None:
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
                self._read(child)


def _modules_in(folder: Traversable) -> Iterator[str]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _modules_in(file)
        elif file.name.endswith(".py"):
            yield file.read_text(encoding="utf-8")
