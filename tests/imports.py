"""What a module of the package uses of others, read from its source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import lighttea

PACKAGE = Path(lighttea.__file__).parent
_LOADERS = ("import_module", "__import__")


@cache
def used_names(source: str) -> frozenset[str]:
    """Return the dotted names that a module imports, or reaches through a module it imports.

    `from a.b import c` uses `a.b.c`, and `import a` with `a.b.c()` uses `a.b.c`. A package that is
    imported and then handed on, as in `getattr(a, name)`, is used as a whole: `a`.
    """
    tree = ast.parse(source)
    bound = dict(_bindings(tree))
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used = {*_imported(tree), *_loaded_by_name(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            used |= _reached(node, bound)
    return frozenset(used)


def used_modules(source: str) -> set[str]:
    """Return the modules that a module uses; a public name of lighttea counts as its home."""
    return {module_of(name) for name in used_names(source)}


def private_names(source: str) -> set[str]:
    """Return the underscore names of other modules of lighttea that a module uses."""
    own = {name for name in used_names(source) if name.startswith("lighttea.")}
    return {name for name in own if any(map(_is_private, name.split(".")))}


def module_of(name: str) -> str:
    """Return the module that a dotted name belongs to: the longest part of it that is a file.

    Names of other packages stay as they are.
    """
    parts = name.split(".")
    if parts[0] != "lighttea":
        return name
    if len(parts) > 1 and parts[1] in HOMES:
        return HOMES[parts[1]]
    n_folders = 1
    while n_folders < len(parts) and _exists(parts[1 : n_folders + 1]):
        n_folders += 1
    return ".".join(parts[:n_folders])


def homes() -> dict[str, str]:
    """Return the module of each public name of lighttea, as the package's own imports say."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("lighttea.")
        for alias in node.names
    }


HOMES: Mapping[str, str] = homes()


def _exists(parts: list[str]) -> bool:
    path = PACKAGE.joinpath(*parts)
    return path.is_dir() or path.with_suffix(".py").is_file()


def _is_private(part: str) -> bool:
    return part.startswith("_") and not part.endswith("__")


def _bindings(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, and the dotted name it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _imported(tree: ast.AST) -> Iterator[str]:
    """The dotted names of import statements; a bare `import lighttea` imports nothing yet."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name != "lighttea")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"line {node.lineno}: a relative import")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _loaded_by_name(tree: ast.AST) -> Iterator[str]:
    """What `import_module("a.b")` loads."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        function, first = node.func, node.args[0]
        called = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
        if called in _LOADERS and isinstance(first, ast.Constant):
            yield str(first.value)


def _reached(node: ast.expr, bound: Mapping[str, str]) -> set[str]:
    """The dotted name of `a.b.c` where `a` was imported; nothing for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not (isinstance(node, ast.Name) and node.id in bound):
        return set()
    return {".".join([bound[node.id], *reversed(parts)])}
