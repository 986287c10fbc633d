"""Tables of the attributes of a graph, for `lighttea inspect`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Console

from lighttea.cli.console import print_named_table, print_table
from lighttea.display import Named, shorten

if TYPE_CHECKING:
    from lighttea.graph.attribute_profile import AttributeProfile
    from lighttea.graph.facts import Graph
    from lighttea.graph.profile import Profile

_MOST_SHOWN = 15
_NAME, _EXAMPLE = 34, 24  # characters
_SHOWN_KINDS = 3


def print_attributes(console: Console, graph: Graph, graph_profile: Profile) -> None:
    """Print how many literals each attribute has, how complete and unique it is, and examples."""
    shown = graph_profile.attributes[:_MOST_SHOWN]
    named = [Named.of(own.attribute, graph.relation_names) for own in shown]
    names = [own.shortened(_NAME) for own in named]
    figures = [
        (
            *(name, f"{a.literals:,}", f"{a.entities:,}", f"{a.completeness:.1%}"),
            *(f"{a.values:,}", f"{a.uniqueness:.1%}"),
        )
        for name, a in zip(names, shown, strict=True)
    ]
    columns = ("attribute", "literals", "entities", "of all", "values", "unique")
    print_named_table(console, "Attributes", columns, figures, named)
    contents = [
        (name, _kinds(a), " | ".join(shorten(text, _EXAMPLE) for text in a.examples))
        for name, a in zip(names, shown, strict=True)
    ]
    print_table(console, "Their values", ("attribute", "kind", "such as"), contents)
    if hidden := len(graph_profile.attributes) - len(shown):
        console.print(f"... and {hidden:,} more attributes; --json lists them all\n", markup=False)


def _kinds(attribute: AttributeProfile) -> str:
    """Return datatypes without their namespace, languages in place of the type of their texts."""
    datatypes = [re.split(r"[/#]", name)[-1] for name in attribute.datatypes if name]
    languages = [name for name in attribute.languages if name]
    kinds = [name for name in datatypes if name != "langString"] + languages
    rest = f" +{len(kinds) - _SHOWN_KINDS}" * (len(kinds) > _SHOWN_KINDS)
    return shorten(", ".join(kinds[:_SHOWN_KINDS]), _NAME) + rest
