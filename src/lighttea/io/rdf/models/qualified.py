"""Nodes between two entities that a vocabulary defines: roles, memberships, PROV's qualified forms.

The node's two entities make a fact at the node's time. What else it links to becomes a fact of the
same subject and time, and so do its literals; names of the node say nothing about the subject.
"""

from __future__ import annotations

import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.rdf.tables import STATED, Tables, without
from lighttea.io.rdf.time_predicates import PROV
from lighttea.io.rdf.vocabulary import LABELS

_ROLES = tuple(
    f"{scheme}://schema.org/{name}"
    for scheme in ("http", "https")
    for name in ("Role", "OrganizationRole", "EmployeeRole", "PerformanceRole", "LinkRole")
)
_ORG = "http://www.w3.org/ns/org#"
# what a qualified form qualifies, and the predicates that lead on from it
_INFLUENCER = f"{PROV}influencer"
_OF_AGENT, _OF_ENTITY, _OF_ACTIVITY = (
    (f"{PROV}{end}", _INFLUENCER) for end in ("agent", "entity", "activity")
)
_QUALIFIED = {
    "Association": ("wasAssociatedWith", _OF_AGENT),
    "Attribution": ("wasAttributedTo", _OF_AGENT),
    "Delegation": ("actedOnBehalfOf", _OF_AGENT),
    "Usage": ("used", _OF_ENTITY),
    "Generation": ("wasGeneratedBy", _OF_ACTIVITY),
    "Invalidation": ("wasInvalidatedBy", _OF_ACTIVITY),
    "Communication": ("wasInformedBy", _OF_ACTIVITY),
    "Derivation": ("wasDerivedFrom", _OF_ENTITY),
    "Revision": ("wasRevisionOf", _OF_ENTITY),
    "Quotation": ("wasQuotedFrom", _OF_ENTITY),
    "PrimarySource": ("hadPrimarySource", _OF_ENTITY),
    "Start": ("wasStartedBy", _OF_ENTITY),
    "End": ("wasEndedBy", _OF_ENTITY),
    "Influence": ("wasInfluencedBy", (*_OF_AGENT, *_OF_ENTITY, *_OF_ACTIVITY)),
}


def find_roles(tables: Tables) -> int:
    """Take schema.org's roles for statements; return how many there are.

    The same property leads to the role and from it to the value.
    """
    nodes = tables.typed(_ROLES)
    if nodes.is_empty():
        return 0
    facts, of_role = tables.facts, pl.col("node").is_in(nodes.implode())
    into = facts.select("head", "relation", node="tail").filter(of_role)
    onward = facts.select("relation", "tail", node="head").filter(of_role)
    literal = tables.literals.select("relation", "tail", node="head").filter(of_role)
    stated = into.join(onward, on=["node", "relation"], maintain_order="left")
    literals = into.join(literal, on=["node", "relation"], maintain_order="left")
    used = pl.concat([stated.select(STATED), literals.select(STATED)])
    tables.add_literal_statements(literals)
    tables.literals = without(tables.literals, literals.select("relation", "tail", head="node"))
    take_statements(tables, stated, used, used.select("node", "relation"))
    return used["node"].n_unique()


def find_memberships(tables: Tables) -> int:
    """Take memberships of the organization ontology for statements; return how many there are."""
    if tables.number_of(f"{_ORG}organization") == UNKNOWN:
        return 0
    members = pl.concat(
        [
            tables.links_of([f"{_ORG}member"], ("node", "head")),
            tables.links_of([f"{_ORG}hasMembership"], ("head", "node")).select("node", "head"),
        ]
    ).unique(maintain_order=True)
    organizations = tables.links_of([f"{_ORG}organization"], ("node", "tail"))
    relation = tables.collected.predicate_number(f"{_ORG}memberOf")
    stated = members.join(organizations, on="node", maintain_order="left").with_columns(
        pl.lit(relation, pl.Int32).alias("relation")
    )
    own = tables.numbers_of(f"{_ORG}{name}" for name in ("member", "hasMembership", "organization"))
    take_statements(tables, stated, stated, _parts(stated, own))
    return stated["node"].n_unique()


def find_provenance(tables: Tables) -> int:
    """Take PROV's qualified forms for statements; return how many there are."""
    count = 0
    for form, (direct, onward) in _QUALIFIED.items():
        qualified = f"{PROV}qualified{form}"
        if tables.number_of(qualified) == UNKNOWN:
            continue
        stated = tables.links_of([qualified], ("head", "node")).join(
            tables.links_of(onward, ("node", "tail")), on="node", maintain_order="left"
        )
        relation = tables.collected.predicate_number(f"{PROV}{direct}")
        stated = stated.with_columns(pl.lit(relation, pl.Int32).alias("relation"))
        own = tables.numbers_of([qualified, *onward])
        take_statements(tables, stated, stated, _parts(stated, own))
        count += stated["node"].n_unique()
    return count


def take_statements(
    tables: Tables, stated: pl.DataFrame, used: pl.DataFrame, parts: pl.DataFrame
) -> None:
    """Add statements, and what else their nodes say as statements about the same head.

    `used` has node and head of all statements, those with literals too. `parts` has the node and
    the relation of the facts that make up statements; these are taken out, and so are the
    classes of the nodes.
    """
    if used.is_empty():
        return
    is_node = tables.mark(used["node"])
    facts = without(tables.facts, parts.rename({"node": "head"}).unique())
    facts = without(facts, parts.rename({"node": "tail"}).unique())
    of_node = is_node[facts["head"].to_numpy()]
    is_type = (facts["relation"] == tables.type_predicate).to_numpy()
    subjects = used.select("node", "head").unique(maintain_order=True)
    tables.facts = facts.filter(~of_node)
    tables.add_statements(stated)
    tables.add_statements(_about_subjects(facts.filter(of_node & ~is_type), subjects))
    _carry_literals(tables, subjects)


def _parts(stated: pl.DataFrame, predicates: list[int]) -> pl.DataFrame:
    """Return every node of the statements with every one of these predicates."""
    relations = pl.DataFrame({"relation": predicates}, schema={"relation": pl.Int32})
    return stated.select("node").unique(maintain_order=True).join(relations, how="cross")


def _about_subjects(rows: pl.DataFrame, subjects: pl.DataFrame) -> pl.DataFrame:
    """Return what nodes say as statements about their subjects."""
    own = rows.select("relation", "tail", node="head")
    return own.join(subjects, on="node", maintain_order="left").unique(maintain_order=True)


def _carry_literals(tables: Tables, subjects: pl.DataFrame) -> None:
    """Make the literals of nodes those of their subjects; times and names stay with the node."""
    is_node = tables.mark(subjects["node"])[tables.literals["head"].to_numpy()]
    kept = tables.statement_roles().is_not_null().arg_true().to_list()
    kept += tables.numbers_of(LABELS)
    carried = is_node & ~tables.literals["relation"].is_in(kept).to_numpy()
    of_nodes = tables.literals.filter(carried)
    tables.literals = tables.literals.filter(~carried)
    tables.add_literal_statements(_about_subjects(of_nodes, subjects))
