"""The places of a module that can be changed, and what stands there instead."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Pow: ast.Mult,
}
SHOWN_ONLY = ("LOG.", "progress.planned", "work.progress.planned", "engine.wait")


@dataclass(frozen=True)
class Mutant:
    """One changed place: what stood there, and what stands there instead."""

    path: str
    line: int
    begin: int  # in the bytes of the file
    end: int
    before: str
    after: str
    first_line: int  # of the statement, up to the end of the place
    last_line: int
    at_import: bool  # whether it is run once, when the module is imported

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.begin] + self.after.encode() + source[self.end :]


@dataclass(frozen=True)
class Change:
    """A node that can be changed, the text that takes its place, and where it stands."""

    node: ast.expr | ast.stmt
    after: str
    statement: ast.AST
    at_import: bool


def mutants_of(root: Path, path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module of the tree, by its path from the root."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    for change in changes(tree, tree, at_import=True):
        node = change.node
        last_line = node.end_lineno or node.lineno
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[last_line - 1] + (node.end_col_offset or 0)
        yield Mutant(
            str(path),
            node.lineno,
            begin,
            end,
            source[begin:end].decode(),
            change.after,
            getattr(change.statement, "lineno", node.lineno),
            last_line,
            change.at_import,
        )


def changes(node: ast.AST, statement: ast.AST, *, at_import: bool) -> Iterator[Change]:
    """Yield what can be changed inside a node that is part of a statement."""
    for child, runs_at_import in inner_nodes(node, at_import=at_import):
        if is_left_alone(child):
            continue
        around = child if isinstance(child, ast.stmt) else statement
        if isinstance(child, ast.expr | ast.stmt) and (after := changed(child)) is not None:
            yield Change(child, after, around, runs_at_import)
        yield from changes(child, around, at_import=runs_at_import)


def inner_nodes(node: ast.AST, *, at_import: bool) -> Iterable[tuple[ast.AST, bool]]:
    """Return the nodes inside a node but for types, each with whether it is run at import."""
    match node:
        case ast.AnnAssign(value=value):
            return [(value, at_import)] if value is not None else []
        case ast.FunctionDef(args=ast.arguments() as given, body=body):
            defaults = [*given.defaults, *filter(None, given.kw_defaults)]
            return [*((one, at_import) for one in defaults), *((one, False) for one in body)]
        case ast.ClassDef(body=body):  # how a dataclass is made shows nowhere
            return [(one, at_import) for one in body]
    return [(one, at_import) for one in ast.iter_child_nodes(node)]


def is_left_alone(node: ast.AST) -> bool:
    """Return whether a change there says nothing: messages, types, what is shown in passing."""
    match node:
        case ast.If(test=test):
            return "TYPE_CHECKING" in ast.unparse(test)
        case ast.keyword(arg="strict"):  # of zip: for whoever reads it
            return True
        case ast.FunctionDef(name="__repr__" | "__str__"):
            return True
        case ast.Expr(ast.Call(function)):
            return ast.unparse(function).startswith(SHOWN_ONLY)
    return isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom)


def changed(node: ast.expr | ast.stmt) -> str | None:  # noqa: PLR0911 - a table
    """Return the text of a changed node; None where there is nothing to change."""
    match node:
        case ast.Compare(left, [operator, *more], values) if type(operator) in COMPARISONS:
            other = COMPARISONS[type(operator)]()
            return f"({ast.unparse(ast.Compare(left, [other, *more], values))})"
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            return f"({ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))})"
        case ast.BoolOp(operator, values):
            other_word = ast.Or() if isinstance(operator, ast.And) else ast.And()
            return f"({ast.unparse(ast.BoolOp(other_word, values))})"
        case ast.UnaryOp(ast.Not() | ast.USub(), operand) if not is_minus_one(node):
            return f"({ast.unparse(operand)})"
        case ast.IfExp(test, body, other_body):
            return f"({ast.unparse(ast.IfExp(test, other_body, body))})"
        case ast.Constant(bool() as value):
            return repr(not value)
        case ast.Constant(int() | float() as number):
            return repr(2 * number if number > 2 else number + 1)
        case ast.Continue():
            return "break"
        case ast.Break():
            return "continue"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            return "pass"
    return None


def is_minus_one(node: ast.expr) -> bool:
    """Return whether a node is a plain -1, whose 1 is changed already."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
