"""What is fuzzed: kinds of files, each with small good ones and what is done with them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import shutil
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode
from zlib import crc32

import polars as pl
import zstandard

from lighttea.cli.settings_file import read_settings
from lighttea.datasets.registry import FILES as DATASET_FILES
from lighttea.datasets.unpack import unpack
from lighttea.errors import LightteaError, LightteaWarning
from lighttea.io.benchmark import read_dataset
from lighttea.io.graph_folders import read_graph_folder
from lighttea.io.sparql.answers import parse_answers
from lighttea.io.sparql.client import PassingError
from lighttea.io.tables import read_links, read_types
from lighttea.results.checkpoint import Checkpoint
from lighttea.results.cluster_store import load_clusters
from lighttea.results.store import load_run
from lighttea.review.decisions import Decisions
from lighttea.serve.catalogue import Catalogue
from tests.cli.test_hostile_text import harmless
from tests.datasets.folders import CONTENTS, make_folder, tar_of, zip_of
from tests.fuzz.mutator import mutate
from tests.fuzz.parquet_files import change_parquet, parquet_contents
from tests.io.outcomes import check_refusal, outcome
from tests.io.test_damage import GOOD
from tests.literal_worlds import literal_run
from tests.results.test_checkpoint import state
from tests.review.test_restore import decide_much
from tests.run_folders import forget_list
from tests.serve.conftest import make_client, members
from tests.several import run_of_three

REFUSALS = (LightteaError, PassingError)
LONGEST_LINE = 2_000  # characters of a line of an error
THOROUGH = 4  # of so many graphs one is looked at closely


@dataclass(frozen=True)
class File:
    """A file of a kind: under which name it is written, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Kind:
    """A kind of input: good files, and what is done with one that was changed.

    `use` gets an empty folder or the one that it left, and the file; it returns what came of it,
    or raises what it should not.
    """

    name: str
    make: Callable[[], list[File]]
    use: Callable[[Path, File], str]
    change: Callable[[bytes, random.Random, Sequence[bytes]], bytes] = mutate


def tell(error: Exception) -> str:
    """Return a refusal in words, after a look at them: lines a terminal can show."""
    message = str(error)
    assert message.strip(), repr(error)
    assert harmless(message), ascii(message)
    assert max(map(len, message.splitlines())) <= LONGEST_LINE, ascii(message)
    return f"refused: {message}"


def written(place: Path, file: File) -> Path:
    path = place / file.name
    path.write_bytes(file.content)
    return path


# ---------------------------------------------------------------- graphs

GRAPHS: dict[str, tuple[str, ...]] = {
    "tables": ("g.tsv", "g.csv"),
    "rdf-lines": ("g.nt", "g.nq"),
    "turtle": ("g.ttl", "g.trig"),
    "rdf-xml": ("g.rdf",),
    "wikidata": ("g.json",),
    "events": ("g.tab", "gdelt.csv"),
    "neo4j": ("apoc.json", "apoc.csv", "admin.csv", "parts.json"),
    "json": ("ftm.json", "graphiti.jsonl", "links.json", "popolo.json", "facts.jsonl"),
    "graphml": ("g.graphml",),
}


def read_as_graph(place: Path, file: File) -> str:
    path = written(place, file)
    columns = GOOD[file.name][1] if file.name in GOOD else None
    thorough = crc32(file.content) % THOROUGH == 0
    found = outcome(path, columns=columns, thorough=thorough)
    if not isinstance(found, str):
        return f"read: {sorted(found.recognised)} {sorted(found.notes)}"
    check_refusal(found, path)
    return tell(ValueError(found.replace(str(path), file.name)))


def graph_kind(name: str, files: Sequence[str]) -> Kind:
    return Kind(name, lambda: [File(one, GOOD[one][0]) for one in files], read_as_graph)


def parquet_files() -> list[File]:
    return [File("g.parquet", content) for content in parquet_contents()]


JSON_LD = (
    b'{"@context": {"name": "http://schema.org/name", "knows": {"@id": "http://e/knows", "@type":'
    b' "@id"}}, "@id": "http://e/a", "name": {"@value": "Ann", "@language": "en"},\n"knows": '
    b'["http://e/b", "http://e/c"], "http://e/born": {"@value": "1999-01-02", "@type": '
    b'"http://www.w3.org/2001/XMLSchema#date"}}'
)
DESCRIPTION = b"""name = "people"
missing = ["NA"]
[[source]]
file = "people.csv"
entity = "id"
names = ["name"]
attributes = ["until"]
links = { town = "lives in" }
begin = { "lives in" = "since" }
[[source]]
file = "people.csv"
head = "id"
relation = { value = "born in" }
tail = "town"
time = "since"
"""
SETTINGS = b"""preset = "best"
rounds = 2
alpha = 0.5
dim = 64
sinkhorn = false
min_confidence = 0.5
seeds = "seeds.tsv"
search = "auto"
columns = { head = "s", relation = "p", tail = "o" }
"""
PEOPLE = b"id,name,town,since,until\n1,Ann,Rome,1999,2001\n2,Ben,Oslo,2000-05,\n3,Cyd,Rome,,\n"


@cache
def described() -> tuple[bytes, ...]:
    """Descriptions of tables and JSON: one as people write it, those that `describe` makes."""
    from lighttea.io.descriptions.guess.write import describe_files

    with tempfile.TemporaryDirectory() as folder:
        table = written(Path(folder), File("people.csv", PEOPLE))
        return (describe_files([table], folder=table.parent).encode(),)


def read_description(place: Path, file: File) -> str:
    table = written(place, File("people.csv", PEOPLE))
    found = outcome(written(place, file), table)
    return "read" if not isinstance(found, str) else tell(ValueError(found))


def read_settings_file(place: Path, file: File) -> str:
    read_settings(written(place, file))
    return "read"


def read_pairs(place: Path, file: File) -> str:
    path = written(place, file)
    read = read_types if file.name.startswith("types") else read_links
    return f"read {len(read(path).columns)}"


# ---------------------------------------------------------------- packed

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".zip": lambda content: zip_of({"g": content}),
}
INNER = ("g.nt", "g.tsv", "facts.jsonl", "g.ttl", "g.rdf")


def packed_files() -> list[File]:
    return [
        File(name + end, pack(GOOD[name][0])) for name in INNER for end, pack in PACKERS.items()
    ]


def change_packed(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change what is packed and pack it again, or the packed bytes."""
    if rng.random() < 0.5:
        return mutate(content, rng, others)
    name = rng.choice(INNER)
    inner = mutate(GOOD[name][0], rng, [GOOD[one][0] for one in INNER])
    return rng.choice(list(PACKERS.values()))(inner)


def archive_files() -> list[File]:
    files = {f"top/made/{name}": text.encode() for name, text in CONTENTS.items()}
    tars = [File("archive", tar_of(files, mode=mode)) for mode in ("w", "w:gz", "w:bz2", "w:xz")]
    return [File("archive", zip_of(files)), *tars]


def change_archive(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change an archive, or a tar that is packed again afterwards."""
    if rng.random() < 0.5:
        return mutate(content, rng, others)
    return rng.choice(list(PACKERS.values())[:3])(mutate(others[1], rng, others))


def unpack_archive(place: Path, file: File) -> str:
    target = place / "in" / "target"
    shutil.rmtree(place, ignore_errors=True)
    target.mkdir(parents=True)
    path = written(place, file)
    try:
        unpack(path, target, DATASET_FILES)
    finally:
        outside = {one for one in place.rglob("*") if one.is_file() and target not in one.parents}
        assert outside == {path}, outside
        assert not any(one.is_symlink() for one in place.rglob("*"))
    return f"read {len(list(target.rglob('*')))}"


# ---------------------------------------------------------------- folders


@cache
def good_folder(name: str) -> Path:
    """Return a folder of a kind, made once in this process."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz.{name}.")) / name
    if name == "run":
        literal_run().save(folder)
    elif name == "dataset":
        make_folder(folder)
    elif name == "decisions":
        decide_much(folder / "decisions.sqlite").back_up()
    else:
        Checkpoint.beside(folder, resume=True).save("key", state())
        return folder.with_name(f".{name}.checkpoint")
    return folder


def files_of(name: str) -> Callable[[], list[File]]:
    return lambda: [
        File(path.name, path.read_bytes())
        for path in sorted(good_folder(name).iterdir())
        if path.is_file()
    ]


def with_file(place: Path, name: str, file: File, *, is_read: bool = True) -> Path:
    """Return a copy of a good folder in which one file is another.

    Where files are only read, the copy has the same ones.
    """
    folder = place / good_folder(name).name
    shutil.rmtree(folder, ignore_errors=True)
    copy = os.link if is_read and place.stat().st_dev == good_folder(name).stat().st_dev else None
    shutil.copytree(good_folder(name), folder, copy_function=copy or shutil.copy2)
    (folder / file.name).unlink()
    written(folder, file)
    return folder


@cache
def good_links() -> pl.DataFrame:
    return load_run(good_folder("run")).links


@cache
def good_standing() -> Mapping[str, Any]:
    return Decisions(good_folder("decisions") / "decisions.sqlite").standing()


def open_run(place: Path, file: File) -> str:
    folder = with_file(place, "run", file)
    assert load_run(folder).links.equals(good_links())
    return f"read {file.name}"


def open_decisions(place: Path, file: File) -> str:
    folder = with_file(place, "decisions", file, is_read=False)
    assert Decisions(folder / "decisions.sqlite").standing() == good_standing()
    return f"read {file.name}"


def open_checkpoint(place: Path, file: File) -> str:
    folder = with_file(place, "checkpoint", file)
    found = Checkpoint(folder, resume=True).load("key")
    assert found is not None
    assert found.next_round == state().next_round
    return "read"


def open_dataset(place: Path, file: File) -> str:
    dataset = read_dataset(with_file(place, "dataset", file))
    assert len(dataset.left.facts) > 0
    return "read"


# ---------------------------------------------------------------- folders without digests


@cache
def good_clusters() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="fuzz.clusters.")) / "run"
    run_of_three().save(folder)
    return folder


def open_without_list(place: Path, file: File) -> str:
    """Open a run that an earlier version wrote: what is damaged is refused, or is of use."""
    folder = forget_list(with_file(place, "run", File("run.json", run_record())))
    if file.name != "run.json":
        (folder / file.name).unlink()
    written(folder, file)
    run = load_run(folder)
    for left in run.links["left"].head(2):
        run.explain(left)
    run.evaluate(run.links.select("left", "right").head(2))
    repr(run)
    return f"read {file.name}"


@cache
def run_record() -> bytes:
    return (good_folder("run") / "run.json").read_bytes()


def run_files() -> list[File]:
    """Return the files of a run as an earlier version wrote them, without a list."""
    record = {name: value for name, value in json.loads(run_record()).items() if name != "files"}
    others = [one for one in files_of("run")() if one.name not in ("files.json", "run.json")]
    return [File("run.json", json.dumps(record).encode()), *others]


def cluster_files() -> list[File]:
    paths = sorted(path for path in good_clusters().iterdir() if path.is_file())
    return [File(path.name, path.read_bytes()) for path in paths]


def open_clusters(place: Path, file: File) -> str:
    """Open a run of three graphs; every other time one without the list of its files."""
    folder = place / "many"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(good_clusters(), folder)
    if crc32(file.content) % 2 and file.name not in ("run.json", "files.json"):
        forget_list(folder)
    written(folder, file)
    run = load_clusters(folder)
    repr(run)
    return f"read {file.name}"


def graph_files() -> list[File]:
    facts = "".join(f"e{n}\tr\te{n + 1}\t{1990 + n}\n" for n in range(4)).encode()
    truth = b"left\tright\ne0\te0\ne1\te1\n"
    return [File("left.tsv", facts), File("right.tsv", facts), File("truth.tsv", truth)]


def open_graph_folder(place: Path, file: File) -> str:
    folder = place / "graphs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for own in (*graph_files(), file):
        written(folder, own)
    left, right, truth = read_graph_folder(folder)
    return f"read {min(len(left.facts), len(right.facts), len(truth)) > 0}"


# ---------------------------------------------------------------- requests of clients

QUERIES: dict[str, bytes] = {
    "queries": b'{"q0": {"query": "Jack Smith", "type": "person", "limit": 3, "properties": [{'
    b'"pid": "member for", "v": ["harbour", {"id": "m/1"}]}, {"pid": "born", "v": 1950}]}}',
    "extend": b'{"ids": ["m/1", "harbour"],'
    b' "properties": [{"id": "born", "settings": {"limit": 2}}]}',
    "reconcile": b'{"queries": [{"type": "person", "limit": 2, "conditions": [{"matchType": "name",'
    b' "propertyValue": "x", "v": "Smith"}, {"matchType": "property", "propertyId": "born",'
    b' "propertyValue": ["1961"], "pid": "born", "v": 1961, "required": true}]}]}',
    "form": b"queries=%7B%22q%22%3A%7B%22query%22%3A%22smith%22%7D%7D",
    "address": b"suggest/entity?prefix=smi&cursor=1\nview?id=m%2F1\n"
    b"extend/propose?type=seat&limit=2",
}


@cache
def service() -> Any:
    return make_client(Catalogue(members()))


def ask_service(place: Path, file: File) -> str:
    """Send a request; an answer says what was found or what is wrong, never that it failed."""
    client, form = service(), {"Content-Type": "application/x-www-form-urlencoded"}
    if file.name == "form":
        answers = [client.post("/", content=file.content, headers=form)]
    elif file.name == "reconcile":
        answers = [client.post("/draft/reconcile", content=file.content)]
    elif file.name == "address":
        lines = file.content.splitlines()[:5]
        # the client that asks takes two slashes at the beginning for a host
        paths = [quote(line.lstrip(b"/"), safe="/?&=%") for line in lines]
        answers = [client.get(f"/{path}") for path in paths]
    else:
        text = urlencode({file.name: file.content})
        answers = [client.post("/", content=text, headers=form)]
        if file.name == "extend":
            answers.append(client.post("/draft/extend", content=file.content))
    for answer in answers:
        assert answer.status_code < 500, answer.text
        assert "Content-Security-Policy" in answer.headers
    return "read " + " ".join(sorted({str(answer.status_code) for answer in answers}))


# ---------------------------------------------------------------- answers of servers

ANSWERS = (
    b'{"head": {"vars": ["head", "relation", "tail"]}, "results": {"bindings": [\n{"head": {"type":'
    b' "uri", "value": "http://e/a"}, "relation": {"type": "uri", "value": "http://e/p"},\n"tail": '
    b'{"type": "literal", "value": "1999-01-02", "datatype": '
    b'"http://www.w3.org/2001/XMLSchema#date"}},\n{"head": {"type": "bnode", "value": "b0"}, '
    b'"tail": {"type": "literal", "xml:lang": "en", "value": "Ann"}}]}}'
)


def parse_answer(place: Path, file: File) -> str:
    answers = parse_answers(file.content, "application/sparql-results+json")
    answers.plain()
    if len(answers.variables) >= 3:
        answers.triples(answers.variables[:3])
    return f"read {len(answers.variables)}"


def text_files(**contents: bytes) -> Callable[[], list[File]]:
    return lambda: [File(name.replace("_", "."), text) for name, text in contents.items()]


def descriptions() -> list[File]:
    return [File("d.toml", text) for text in (DESCRIPTION, *described())]


SAMEAS = b"<http://e/a> <http://www.w3.org/2002/07/owl#sameAs> <http://f/a> .\n" * 2
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(graph_kind(name, files) for name, files in GRAPHS.items()),
        Kind("parquet", parquet_files, read_as_graph, change_parquet),
        Kind("json-ld", text_files(g_jsonld=JSON_LD), read_as_graph),
        Kind("packed", packed_files, read_as_graph, change_packed),
        Kind("descriptions", descriptions, read_description),
        Kind("settings", text_files(c_toml=SETTINGS), read_settings_file),
        Kind(
            "links",
            text_files(
                l_tsv=b"left\tright\tconfidence\na\tb\t0.5\nc\td\t1\n",
                l_csv=b"a,b\nc,d\n",
                l_nt=SAMEAS,
                types_tsv=b"entity\ttype\na\tPerson\nb\tTown\n",
            ),
            read_pairs,
        ),
        Kind("answers", text_files(a_json=ANSWERS), parse_answer),
        Kind("archives", archive_files, unpack_archive, change_archive),
        Kind("datasets", files_of("dataset"), open_dataset),
        Kind("checkpoints", files_of("checkpoint"), open_checkpoint),
        Kind("run-folders", files_of("run"), open_run),
        Kind("runs-without-list", run_files, open_without_list),
        Kind("cluster-runs", cluster_files, open_clusters),
        Kind("graph-folders", graph_files, open_graph_folder),
        Kind("requests", text_files(**QUERIES), ask_service),
        Kind("decisions", files_of("decisions"), open_decisions),
    )
}


def try_file(kind: Kind, place: Path, file: File) -> str:
    """Return what came of a file: read, or refused in words; anything else is raised."""
    place.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)
        try:
            return kind.use(place, file)
        except REFUSALS as error:
            return tell(error)
