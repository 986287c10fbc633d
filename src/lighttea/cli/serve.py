"""`lighttea serve`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from lighttea.cli.console import stdout
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.cli.streams import reading_stdin, sourced
from lighttea.errors import ConfigError, EngineUnavailable

if TYPE_CHECKING:
    from lighttea.graph.facts import Graph
    from lighttea.progress import Progress
    from lighttea.serve.catalogue import Catalogue

Side = Literal["left", "right"]
TypeRows = Sequence[tuple[str, str]]

INSTALL = 'pip install "lighttea[serve]"'


@command
def serve(
    source: Path,
    *,
    side: Side = "right",
    types: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    allow_origin: Annotated[list[str] | None, Parameter(negative="")] = None,
    rate: float = 50,
    columns: str | None = None,
    format: str | None = None,  # noqa: A002
    strict: Annotated[bool, Parameter(negative="")] = False,
    nary: bool = True,
    sitelinks: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Offer a graph, or one side of a run, as a reconciliation service for OpenRefine and others.

    The service only reads, and only this machine can reach it unless --host says otherwise.

    Parameters
    ----------
    source
        A graph in any format, or a run folder. - reads stdin.
    side
        Of a run: the graph to match rows against. Its entities tell their counterparts.
    types
        Types of the entities: a table with columns entity and type. By default facts tell them.
    host
        Address to listen on; by default only this machine can connect.
    port
        Port to listen on; 0: any free one.
    allow_origin
        Origin of web pages that may ask, such as https://example.org; * for all. Pages of this
        machine always may. May be given several times.
    rate
        Requests a second from one address; more are refused.
    columns
        Columns, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a publisher's layout.
    format
        Format of the file, if its name and first bytes do not tell.
    strict
        Stop at malformed lines of dumps; by default these lines are skipped and counted.
    nary
        Read an RDF node with a begin or an end and two entities as a fact between the two.
    sitelinks
        Keep the links from Wikidata's entities to wiki pages.
    """
    missing = [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise EngineUnavailable(f"the service needs {', '.join(missing)}: {INSTALL}")
    if not rate > 0:
        raise ConfigError(f"rate must be > 0; got {rate:g}")
    from lighttea.io.graphs import read_graph
    from lighttea.serve.limits import Limits
    from lighttea.serve.open import is_run_folder
    from lighttea.serve.server import serve as serve_catalogue

    read = partial(
        read_graph, columns=columns, format=format, strict=strict, nary=nary, sitelinks=sitelinks
    )
    with shown_progress() as progress, progress.stage("load"):
        rows = _type_rows(types)
        if is_run_folder(source):
            catalogue = _catalogue_of_run(source, side, rows)
        else:
            catalogue = _catalogue_of_graph(source, rows, read, progress)
        progress.tell("Preparing the indexes ...")
        catalogue.prepare()
    serve_catalogue(
        catalogue,
        host=host,
        port=port,
        limits=Limits(rate=rate),
        allowed_origins=tuple(allow_origin or ()),
        tell=_tell,
    )


def _tell(address: str) -> None:
    from lighttea.serve.manifest import DRAFT_PATH

    text = (
        f"reconciliation service: {address}/\nversion 1.0-draft: {address}{DRAFT_PATH}\n"
        "press Ctrl-C to stop"
    )
    stdout().print(text, soft_wrap=True, markup=False)


def _type_rows(path: Path | None) -> TypeRows:
    from lighttea.io.tables import read_types

    return read_types(path).select("entity", "type").rows() if path is not None else []


def _catalogue_of_run(folder: Path, side: Side, types: TypeRows) -> Catalogue:
    from lighttea.results.store import load_run
    from lighttea.serve.open import catalogue_of_run

    return catalogue_of_run(load_run(folder), side, types)


def _catalogue_of_graph(
    path: Path, types: TypeRows, read: Callable[[Path], Graph], progress: Progress
) -> Catalogue:
    from lighttea.serve.catalogue import Catalogue

    with reading_stdin([("SOURCE", path)]) as streams:
        graph = sourced(read(streams.path(path)))
    for note in graph.notes:
        progress.warn(f"{graph.source}: {note}")
    return Catalogue(graph, given_types=types)
