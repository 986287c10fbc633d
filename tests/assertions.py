"""Which tests assert nothing, or nothing that could be wrong, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

_CHECKS = {"raises", "warns", "fail", "expect"}  # of pytest and of the browser
_WEAK_CALLS = {"callable", "isinstance", "hasattr"}


def find_empty_tests(sources: Iterable[str]) -> list[str]:
    """Return the names of test functions that assert nothing, by themselves or by a helper's help.

    A helper is any function of the same sources that asserts, or calls one that does. That a thing
    can be called, has a type or is not None is no assertion: it holds with the code broken.
    """
    functions = [function for source in sources for function in _functions(source)]
    asserting = {one.name for one in functions if any(map(_is_assertion, ast.walk(one)))}
    while more := {one.name for one in functions if _called(one) & asserting} - asserting:
        asserting |= more
    tests = (one.name for one in functions if one.name.startswith("test_"))
    return [name for name in tests if name not in asserting]


def sources_in(folder: Path) -> Iterator[str]:
    """Yield the source of every module of the tests."""
    for path in sorted(folder.rglob("*.py")):
        yield path.read_text(encoding="utf-8")


def _functions(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield node


def _called(function: ast.FunctionDef) -> set[str]:
    return {_name(node) for node in ast.walk(function) if isinstance(node, ast.Call)}


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return not _is_weak(node.test)
    if isinstance(node, ast.Call):
        name = _name(node)
        return name in _CHECKS or name.startswith("assert_") or any(map(_is_checked, node.keywords))
    return False


def _is_checked(keyword: ast.keyword) -> bool:
    """`subprocess.run(..., check=True)`: a process that fails is an error."""
    value = keyword.value
    return keyword.arg == "check" and isinstance(value, ast.Constant) and value.value is True


def _is_weak(test: ast.expr) -> bool:
    if isinstance(test, ast.Call):
        return _name(test) in _WEAK_CALLS
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.IsNot) and ast.unparse(test.comparators[0]) == "None"
    return isinstance(test, ast.Constant)
