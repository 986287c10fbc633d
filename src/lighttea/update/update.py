"""Update a run: what its graphs gained and lost is worked on, and what rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lighttea.api import align_graphs
from lighttea.config import (
    Config,
    EngineName,
    LinkRules,
    make_config,
    make_rules,
    resolve_config,
    stored_config,
)
from lighttea.engines import check_engine, check_scheduler
from lighttea.engines.cpu.ops import PLAIN
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.numbering import number_by_name
from lighttea.graph.pair import Links
from lighttea.inputs.constraints import forbidden_pairs, resolve_constraints
from lighttea.inputs.links import LinkTable, read_link_table
from lighttea.progress import Progress, default_progress
from lighttea.results.alarms import without_alarmed
from lighttea.results.decoys import describe_competition
from lighttea.results.literals import literals_info
from lighttea.results.names import graph_names
from lighttea.results.run import Run
from lighttea.results.tables import link_frame, provenance
from lighttea.similarity.allowed import AllowedPairs, refused_pairs
from lighttea.solve.bootstrap import StartingPairs
from lighttea.types import Bools
from lighttea.update.chances import LastChances
from lighttea.update.changes import SIDES, compare_links
from lighttea.update.graphs import SideChanges, SideInputs, change_side
from lighttea.update.last import NOBODY, PAIR, LastLinks, flag_entities, keep_present
from lighttea.update.part import Part, find_part
from lighttea.update.tables import join_tables
from lighttea.update.work import WorkedPart, work_on_part

MOST_SHARE = 0.4  # of the left entities; beyond, aligning anew costs no more
FEWEST_ROUNDS = 2  # from the last links on, where no consensus revises them within a round
_NEUTRAL = ("threads", "max_memory")  # settings that change no link


@dataclass(frozen=True)
class Given:
    """All that an update is given beside the run."""

    left: SideInputs
    right: SideInputs
    must_link: LinkTable | None = None
    cannot_link: LinkTable | None = None
    engine: EngineName = "cpu"
    scheduler: str | None = None
    called: tuple[str, str] = SIDES  # what reasons call the graphs


@dataclass(frozen=True)
class Changed:
    """Both graphs as they are now, numbered by name, and what a user demands of their links."""

    left: SideChanges
    right: SideChanges
    known: Links
    allowed: AllowedPairs | None
    last: LastLinks  # without what is ruled out by now
    released: tuple[Bools, Bools]  # left and right entities whose links are
    sources: Mapping[str, Mapping[str, str]]  # where what is given comes from, by its name

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        """Both graphs."""
        return self.left.graph, self.right.graph


def update_run(
    run: Run, given: Given, progress: Progress | None, settings: Mapping[str, Any]
) -> Run:
    """Return the run of the graphs as they are now, with what became of every link.

    Where much has changed, or settings have, all is aligned anew from the last links on.
    """
    check_scheduler(check_engine(given.engine), given.scheduler)
    _refuse_nothing(given)
    before = stored_config(run.info["config"])
    rules = make_rules(**(run.info.get("rules") or {}))
    config = resolve_config(before, None, rules, settings)
    progress = progress or default_progress()
    with progress.showing():
        with progress.stage("changes"):
            changed = _changed(run, given, rules, progress)
            part = _part(changed)
        config = _with_times(config, settings, run, changed, progress)
        why_anew = _why_anew(part, before, config, rules, changed)
        if why_anew:
            progress.tell(f"aligning anew: {why_anew}")
            updated = _anew(run, changed, config, rules, given, progress)
        else:
            updated = _in_part(run, changed, part, config, rules, given, progress)
        with progress.stage("changes"):
            sides = changed.left, changed.right
            table = compare_links(run, updated, *sides, called=given.called, is_anew=bool(why_anew))
        info = {**updated.info, "update": _record(run, changed, part, why_anew, table)}
        return replace(
            updated,
            changes=table,
            info=info,
            types_left=run.types_left,
            types_right=run.types_right,
        )


def _refuse_nothing(given: Given) -> None:
    """Raise an error where there is nothing to update with."""
    tables = given.must_link, given.cannot_link
    if given.left.is_given or given.right.is_given or any(table is not None for table in tables):
        return
    raise InputError(
        "nothing to update with; give facts that came in on the left or the right, facts that "
        "were withdrawn (`remove_left`, `remove_right`), a whole new version (`replace_left`, "
        "`replace_right`), or links (`must_link`, `cannot_link`)"
    )


def _changed(run: Run, given: Given, rules: LinkRules, progress: Progress) -> Changed:
    """Return both graphs with their changes, and the constraints of the run and of today."""
    names = graph_names(run)
    sides = []
    for side, inputs in (("left", given.left), ("right", given.right)):
        changes = change_side(run, side, inputs, progress)
        if not len(changes.graph.facts) and not len(changes.graph.attributes):
            raise InputError(f"nothing is left of {names.graph(side)}; there is nothing to align")
        sides.append(replace(changes, graph=number_by_name(changes.graph, side)))
    left, right = sides
    known, allowed = _constraints(run, left.graph, right.graph, given, rules, progress)
    last = LastLinks.of(run, left.graph, right.graph)
    released = _released(last, known, allowed)
    sources = {**given.left.sources(), **given.right.sources()}
    return Changed(left, right, known, allowed, last.without(released[0]), released, sources)


def _constraints(
    run: Run, left: Graph, right: Graph, given: Given, rules: LinkRules, progress: Progress
) -> tuple[Links, AllowedPairs | None]:
    """Return seeds and demanded pairs, and what is forbidden; a later word overrides an earlier."""
    must, cannot = (
        run.seeds.clear()
        if table is None
        else read_link_table(table, noun).select(PAIR).unique(maintain_order=True)
        for table, noun in ((given.must_link, "must-link"), (given.cannot_link, "cannot-link"))
    )
    seeds = run.seeds.join(cannot, on=PAIR, how="anti", maintain_order="left")
    for side in PAIR:  # a demanded link takes the place of a seed
        seeds = seeds.join(must, on=side, how="anti", maintain_order="left")
    forbidden = pl.concat([run.cannot_links, cannot]).unique(maintain_order=True)
    forbidden = forbidden.join(must, on=PAIR, how="anti", maintain_order="left")
    seeds, must, forbidden = (
        keep_present(pairs, noun, left, right, progress)
        for pairs, noun in (
            (seeds, "seeds"),
            (must, "demanded links"),
            (forbidden, "forbidden links"),
        )
    )
    return resolve_constraints(
        left,
        right,
        None if seeds.is_empty() else seeds,
        must,
        forbidden,
        *_types(run, progress),
        rules,
        progress,
    )


def _types(run: Run, progress: Progress) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Return the types that a run was made with, None where it has none."""
    if not run.types_left.is_empty() and not run.types_right.is_empty():
        return run.types_left, run.types_right
    if run.info.get("types"):
        progress.warn("an earlier lighttea did not keep the types of the run; going without them")
    return None, None


def _released(last: LastLinks, known: Links, allowed: AllowedPairs | None) -> tuple[Bools, Bools]:
    """Return the entities whose last link known links or constraints rule out, of either side."""
    released = np.zeros(len(last.partner), bool)
    released[known.left] = True
    holder = last.holder[known.right]
    released[holder[holder != NOBODY]] = True
    if allowed is not None:
        links = last.links
        released[links.left[refused_pairs(PLAIN, allowed, links.left, links.right)]] = True
    return released, last.flag_partners(released)


def _part(changed: Changed) -> Part:
    """Return what is to be worked on again."""
    left, right = (
        flag_entities(side.changed().entities(), side.graph) | released
        for side, released in zip((changed.left, changed.right), changed.released, strict=True)
    )
    return find_part(changed.last, *changed.graphs, left, right, changed.known)


def _with_times(
    config: Config,
    settings: Mapping[str, Any],
    run: Run,
    changed: Changed,
    progress: Progress,
) -> Config:
    """Return the settings with times compared, where the run had none to compare and now has."""
    had = all(frame["begin"].is_not_null().any() for frame in (run.facts_left, run.facts_right))
    if had or not all(graph.has_time for graph in changed.graphs):
        return config
    usual = make_config(run.info["preset"])
    names = [
        name
        for name in ("temporal_propagation", "temporal_constraint", "cross_fit")
        if settings.get(name) is None and getattr(config, name) != getattr(usual, name)
    ]
    if names:
        progress.tell("both graphs have times by now, and these are compared")
    return replace(config, **{name: getattr(usual, name) for name in names})


def _why_anew(
    part: Part, before: Config, config: Config, rules: LinkRules, changed: Changed
) -> str:
    """Return why all has to be aligned anew; empty where a part is enough."""
    settings = [
        name
        for name, value in asdict(config).items()
        if name not in (*_NEUTRAL, "adapt") and value != getattr(before, name)
    ]
    if settings:
        return f"settings differ from the run's: {', '.join(settings)}"
    if not config.consensus or not config.suggestions:
        return "the run's settings use no evidence of links"
    if rules.many_to_one or rules.top_n:
        return "entities may have several links"
    if not len(changed.last.links):
        return "the run has no links"
    if part.share > MOST_SHARE:
        return f"{part.share:.0%} of the left entities are concerned"
    return ""


def _anew(
    run: Run, changed: Changed, config: Config, rules: LinkRules, given: Given, progress: Progress
) -> Run:
    """Return the run of all entities, which begins with the last links instead of looking.

    Those are as good as what a first round finds, so fewer rounds are left to do, unless the rounds
    were asked for.
    """
    links, rounds = changed.last.links, config.rounds
    start = StartingPairs(changed.known.extended(links)) if len(links) else None
    if start is not None and rounds == run.info["config"]["rounds"]:
        config = replace(config, rounds=_rounds_to_do(config))
    updated = align_graphs(
        *changed.graphs,
        changed.known,
        changed.allowed,
        config=config,
        preset=run.info["preset"],
        rules=rules,
        engine=given.engine,
        scheduler=given.scheduler,
        progress=progress,
        start=start,
    )
    settings = {**updated.info["config"], "rounds": rounds}  # what the next update is asked for
    return replace(updated, info={**updated.info, "config": settings})


def _rounds_to_do(config: Config) -> int:
    """Return the rounds that are left to do from the last links on.

    One where consensus revises links within a round, else one less than there are.
    """
    if config.consensus:
        return 1
    return max(min(config.rounds, FEWEST_ROUNDS), config.rounds - 1)


def _in_part(
    run: Run,
    changed: Changed,
    part: Part,
    config: Config,
    rules: LinkRules,
    given: Given,
    progress: Progress,
) -> Run:
    """Return the run of which a part was worked on again."""
    last_round = run.info["rounds"][-1].get("settings") or {}
    worked = work_on_part(
        *changed.graphs,
        changed.known,
        changed.last.links,
        LastChances.of(run, *changed.graphs, part.touched, part.touched_right),
        part.chosen,
        changed.allowed,
        replace(config, **last_round),
        rules,
        given.engine,
        given.scheduler,
        progress,
    )
    left, right = changed.graphs
    standing = changed.last.links
    standing = standing.take(~part.chosen[standing.left])
    joined = join_tables(run, worked, left, right, changed.known, standing, config.max_fdr)
    n_left_out = None
    if rules.no_alarmed:
        joined, n_left_out = without_alarmed(joined)
    info = _info(run, joined, worked, changed, config, rules, progress)
    info |= {} if n_left_out is None else {"alarmed_links_left_out": n_left_out}
    cannot = link_frame(forbidden_pairs(changed.allowed), left, right)
    return replace(joined, info=info, cannot_links=cannot)


def _info(
    run: Run,
    joined: Run,
    worked: WorkedPart,
    changed: Changed,
    config: Config,
    rules: LinkRules,
    progress: Progress,
) -> dict[str, Any]:
    """Return what `run.json` says: the rounds of the last run, and the one of the part."""
    left, right = changed.graphs
    records = worked.solution.records
    weights = run.info["rounds"][-1].get("settings") or {}
    for record in records:
        record["settings"] = {**weights, **record["settings"]}
    info = provenance(
        run.info["preset"],
        worked.engine,
        config,
        worked.n_threads,
        left,
        right,
        changed.known,
        joined.links,
        [*run.info["rounds"], *records],
        progress,
    )
    info["literals"] = literals_info(worked.solution.literals)
    info["decoys"] = describe_competition(worked.solution.competition)
    info["in_parts"] = worked.engine == "dask"  # links are written in parts too, as after align
    info["rules"] = asdict(rules)
    info["cannot_links"] = 0 if changed.allowed is None else len(changed.allowed.forbidden)
    info["types"] = changed.allowed is not None and changed.allowed.types is not None
    return info | {name: run.info[name] for name in ("seed_check",) if name in run.info}


def _record(
    run: Run, changed: Changed, part: Part, why_anew: str, table: pl.DataFrame
) -> dict[str, Any]:
    """Return what `run.json` tells of the update."""
    counts = dict(table["change"].value_counts().iter_rows())
    return {
        "of": {name: run.info.get(name) for name in ("date", "command")},
        "inputs": changed.sources,
        "gained": {"left": len(changed.left.gained), "right": len(changed.right.gained)},
        "lost": {"left": len(changed.left.lost), "right": len(changed.right.lost)},
        "anew": why_anew or None,
        "worked_on": None if why_anew else int(part.chosen.sum()),
        "confidence": (
            "of all links told anew"
            if why_anew
            else "told anew, with decoys, for the entities worked on; as it was for the others"
        ),
        "links": {kind: counts.get(kind, 0) for kind in ("kept", "new", "changed", "withdrawn")},
    }
