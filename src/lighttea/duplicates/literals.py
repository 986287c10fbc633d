"""What the literals of one graph say: an attribute matches itself."""

from __future__ import annotations

from lighttea.evidence.attribute_checks import judge_attributes
from lighttea.evidence.literals import LiteralEvidence
from lighttea.solve.workspace import Workspace
from lighttea.types import A


def start_literals_of_one(work: Workspace[A]) -> None:
    """Give the workspace what the literals of one graph say: an attribute matches itself.

    Ids are never compared: each entity has its own.
    """
    problem = work.problem
    if problem.literals is None or not problem.literals.are_comparable:
        return
    with work.progress.stage("literals"):
        table = problem.literals.table(problem.pair)
        work.literals = LiteralEvidence.of(table, judge_attributes(table, ())).fitted(problem.known)
