"""N-Triples and N-Quads, line by line: plain lines in bulk, all others by pyoxigraph.

A line is plain if one regular expression matches it whole. That expression is narrower than the
grammar (no escapes, simple IRIs and language tags), so that it accepts only what pyoxigraph reads
in the same way; all other lines, comments included, are parsed by pyoxigraph one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from pyoxigraph import Quad, RdfFormat, parse

from lighttea.graph.attributes import STRING
from lighttea.io.lines import quote_line
from lighttea.io.problems import Problems
from lighttea.io.rdf.batches import Batch, Rows, plain_batch
from lighttea.io.rdf.messages import parser_message
from lighttea.io.rdf.vocabulary import LANG_STRING, RDF
from lighttea.io.streams import LONGEST_LINE, Block, Readable, line_blocks

_DEEPEST = 50  # triples quoted in triples
_PATH = r"(?:[A-Za-z0-9\-._~:@!$&'()*+,;=/\u{A0}-\u{D7FF}]|%[0-9A-Fa-f]{2})*"
_AFTER_SCHEME = rf"(?://[A-Za-z0-9.\-]+(?:/{_PATH})?|[A-Za-z0-9]{_PATH})(?:\?{_PATH})?(?:#{_PATH})?"
_IRI = rf"[A-Za-z][A-Za-z0-9+.\-]*:{_AFTER_SCHEME}"
_BLANK = r"_:[A-Za-z][A-Za-z0-9]*"
_LITERAL = (
    r'"(?P<text>[^"\\\r\n]*)"'
    rf"(?:@(?P<language>[A-Za-z]{{2,3}}(?:-[A-Za-z]{{2}})?)|\^\^<(?P<datatype>{_IRI})>)?"
)
_SPACE = r"[ \t]"


def _node(name: str) -> str:
    """Return a pattern for a node, with two groups: an IRI without brackets, or a blank node."""
    return rf"<(?P<{name}>{_IRI})>|(?P<{name}_blank>{_BLANK})"


_TRIPLE = (
    rf"^{_SPACE}*(?:{_node('subject')}){_SPACE}*<(?P<predicate>{_IRI})>{_SPACE}*"
    rf"(?:{_node('object')}|{_LITERAL})"
)
_END = rf"{_SPACE}*\.{_SPACE}*\r?$"
_PLAIN = {
    "ntriples": f"{_TRIPLE}{_END}",
    "nquads": rf"{_TRIPLE}(?:{_SPACE}+(?:{_node('graph')}))?{_END}",
}
_NO_TRIPLE = re.compile(r"[ \t\r]*(?:#.*)?")
EXPECTED = {"ntriples": "a triple and a full stop", "nquads": "a triple or quad and a full stop"}


def read_line_batches(
    path: Path, stream: Readable, form: str, problems: Problems
) -> Iterator[Batch]:
    """Yield the triples of a file in N-Triples (`ntriples`) or N-Quads (`nquads`)."""
    found_any = False
    for block in line_blocks(stream):
        if block.too_long:
            cut = block.content.decode("utf-8", "replace")
            problems.add(
                f"{path}:{block.first_line}: expected {EXPECTED[form]}, found a line longer than "
                f"{LONGEST_LINE >> 20} MiB ({quote_line(cut)})"
            )
            continue
        for batch in _batches(path, block, form, problems):
            found_any = found_any or len(batch) > 0
            yield batch
        problems.give_up(found_any=found_any)


def _batches(path: Path, block: Block, form: str, problems: Problems) -> Iterator[Batch]:
    lines = pl.Series(_texts(block), dtype=pl.String)
    plain, odd = split_plain_lines(lines, form)
    yield plain
    if len(odd):
        rows = Rows(has_anonymous=False)
        for place, line in zip(odd.to_list(), lines.gather(odd).to_list(), strict=True):
            _parse_odd_line(path, block.first_line + place, line, form, rows, problems)
        yield rows.take()


def split_plain_lines(lines: pl.Series, form: str) -> tuple[Batch, pl.Series]:
    """Return the triples of the plain lines, and the places of the other lines."""
    parts = lines.str.extract_groups(_PLAIN[form]).struct.unnest()
    of_rdf = parts["datatype"].str.starts_with(RDF).fill_null(value=False)  # none is a plain string
    odd = parts["predicate"].is_null() | of_rdf
    plain = parts.filter(~odd) if odd.any() else parts
    subject, value, graph = _name(plain, "subject"), _name(plain, "object"), _name(plain, "graph")
    is_node = value.is_not_null()
    nodes = pl.DataFrame([subject, plain["predicate"], value, graph]).filter(is_node)
    literals = pl.DataFrame(
        [
            *(subject, plain["predicate"], plain["text"]),
            *(_datatype(plain), plain["language"].str.to_lowercase(), graph),
        ]
    ).filter(~is_node)
    return plain_batch(nodes, literals), odd.arg_true()


def _datatype(parts: pl.DataFrame) -> pl.Series:
    """Return the datatypes of literals, also of those that are written without one."""
    unsaid = (
        pl.when(pl.col("language").is_null()).then(pl.lit(STRING)).otherwise(pl.lit(LANG_STRING))
    )
    return parts.select(pl.coalesce("datatype", unsaid)).to_series()


def _name(parts: pl.DataFrame, column: str) -> pl.Series:
    """Return the names of nodes, IRIs or blank nodes; null where there is none."""
    if column not in parts.columns:
        return pl.Series(column, [None], dtype=pl.String).new_from_index(0, len(parts))
    names, blanks = parts[column], parts[f"{column}_blank"]
    if blanks.null_count() == len(blanks):
        return names
    return parts.select(pl.coalesce(column, f"{column}_blank"))[column]


def _texts(block: Block) -> list[str]:
    """Return the lines as text; a line that is not UTF-8 begins with `_NOT_UTF8`."""
    content = block.content.removesuffix(b"\n")
    if block.first_line == 1:
        content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode().split("\n")
    except UnicodeDecodeError:
        return [_lossy(line) for line in content.split(b"\n")]


_NOT_UTF8 = "\ufffe"  # not a character, so that no line in UTF-8 has it


def _lossy(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return _NOT_UTF8 + line.decode("latin-1")


def _parse_odd_line(
    path: Path, number: int, line: str, form: str, rows: Rows, problems: Problems
) -> None:
    """Parse one line that is not plain; a line without triple or comment is a problem."""
    if _NO_TRIPLE.fullmatch(line):
        return
    if line.startswith(_NOT_UTF8):
        reason, line = "bytes that are not UTF-8", line[1:]
    elif line.count("<<") > _DEEPEST:
        reason = f"triples quoted more than {_DEEPEST} deep"
    else:
        try:
            quads = parse_line(line, form)
        except SyntaxError as error:
            reason = parser_message(error)
        except MemoryError as error:  # the parser's own limit on one term
            reason = str(error)
        else:
            for quad in quads:
                rows.add(quad)
            return
    problems.add(f"{path}:{number}: expected {EXPECTED[form]}, found {quote_line(line)}: {reason}")


def parse_line(line: str, form: str) -> list[Quad]:
    """Return the triples of a line, also of the older RDF-star syntax, `<< s p o >>`."""
    usual = RdfFormat.N_TRIPLES if form == "ntriples" else RdfFormat.N_QUADS
    if "<<" not in line:
        return list(parse(line, usual))
    starred = line.lstrip().startswith("<<")
    first, second = (RdfFormat.TURTLE, usual) if starred else (usual, RdfFormat.TURTLE)
    try:
        return list(parse(line, first))
    except SyntaxError as error:
        try:
            return list(parse(line, second))
        except SyntaxError:
            raise error from None
