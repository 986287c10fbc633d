"""One link with its evidence, as a block of a section."""

from __future__ import annotations

from lighttea.explain.explanation import Explanation
from lighttea.report.blocks import Bar, Block

SHOWN_FACTS = 6
SHOWN_LITERALS = 8
SHOWN_ALONE = 4  # literals of one side


def link_block(link: Explanation) -> Block:
    """Return a block for one link, literals beside facts."""
    terms = link.terms_in_words()
    largest = max([abs(value) for _, value in terms] + [1e-9])
    return {
        "link": link,
        "terms": [(words, Bar(f"{value:z.3f}", abs(value) / largest)) for words, value in terms],
        "facts": link.facts[:SHOWN_FACTS],
        "n_hidden": len(link.facts) - SHOWN_FACTS,
        "literals": link.literals[:SHOWN_LITERALS],
        "n_hidden_literals": len(link.literals) - SHOWN_LITERALS,
        "alone": [
            (graph, literals[:SHOWN_ALONE], len(literals) - SHOWN_ALONE)
            for graph, literals in (
                (link.left_graph, link.only_left_literals),
                (link.right_graph, link.only_right_literals),
            )
            if literals
        ],
    }
