"""Names in explanations: found by them, shown with them, safe whatever they hold."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import polars as pl
import pytest
from rich.console import Console

from lighttea.cli.explain import print_explanation
from lighttea.errors import InputError
from lighttea.explain.explanation import Explanation
from lighttea.explain.statements import Fact, Literal
from lighttea.results.run import Run
from tests.named_worlds import (
    ARABIC,
    BOELL,
    HEBREW,
    HOMONYM,
    HOSTILE,
    LEFT_RELATION,
    NAMELESS,
    left_id,
    named_run,
    right_id,
)


@pytest.fixture(scope="module")
def run() -> Run:
    return named_run()


@pytest.mark.parametrize("written", [left_id(1), BOELL, "heinrich boll", "HEINRICH_BÖLL"])
def test_a_name_is_as_good_as_an_id(run: Run, written: str) -> None:
    explained = run.explain(written)
    assert (explained.left, explained.right) == (left_id(1), right_id(1))
    assert (explained.left_name, explained.right_name) == (BOELL, f"{BOELL} (staff)")
    assert (explained.left_graph, explained.right_graph) == ("People", "staff")


def test_candidates_are_asked_by_name_too(run: Run) -> None:
    asked = run.explainer.candidates_of("heinrich boll")
    assert asked.equals(run.explainer.candidates_of(left_id(1)))


def test_both_ends_may_be_named(run: Run) -> None:
    explained = run.explain(BOELL, "PERSON 9 (staff)")
    assert (explained.left, explained.right) == (left_id(1), right_id(9))
    assert run.explain(f"e{NAMELESS}").left == left_id(NAMELESS)
    assert run.explain(f"\u2068{HEBREW}\u2069").left == left_id(2)  # copied from a terminal


def test_several_of_a_name_are_listed(run: Run) -> None:
    with pytest.raises(InputError) as error:
        run.explain("jan novak")
    lines = str(error.value).splitlines()
    assert lines[0].startswith("'jan novak' is the name of 2 entities of People (the left graph)")
    assert lines[1:] == [f"  {HOMONYM} ({left_id(i)!r})" for i in (6, 7)]


def test_of_several_right_ones_the_candidate_is_meant(run: Run) -> None:
    """Candidates are few, so a namesake elsewhere is not meant."""
    kept = run.candidates.filter((pl.col("left") != left_id(1)) | (pl.col("right") != right_id(7)))
    few = replace(run, candidates=kept)
    assert few.explain(BOELL, f"{HOMONYM} (staff)").right == right_id(6)
    with pytest.raises(InputError, match=r"2 entities of staff \(the right graph\)"):
        run.explain(BOELL, f"{HOMONYM} (staff)")


def test_many_of_a_name_are_counted(run: Run) -> None:
    names = run.names_left.with_columns(
        name=pl.when(pl.col("kind") == "entity").then(pl.lit("Same")).otherwise("name")
    )
    with pytest.raises(InputError, match="name of 59 entities") as error:
        replace(run, names_left=names).explain("same")
    assert str(error.value).endswith("and 54 more")


def test_a_misspelt_name_gets_suggestions_with_ids(run: Run) -> None:
    with pytest.raises(InputError) as error:
        run.explain("Heinrich Bol")
    assert str(error.value) == (
        "'Heinrich Bol' is not an entity of People (the left graph); did you mean "
        f"{BOELL} ({left_id(1)!r})?"
    )
    with pytest.raises(InputError, match="did you mean one of these"):
        run.explain("Person 1")
    with pytest.raises(InputError, match=r"'qqqq' is not an entity of People \(the left graph\)$"):
        run.explain("qqqq")


def test_a_name_of_the_other_side_is_told_as_such(run: Run) -> None:
    names = run.names_right.with_columns(name=pl.lit("Zuzanna ") + pl.col("id").str.slice(-3))
    with pytest.raises(
        InputError, match=r"it belongs to staff \(the right graph\): give the left entity"
    ):
        replace(run, names_right=names).explain("zuzanna xe1")


def test_errors_name_entities_by_both(run: Run) -> None:
    with pytest.raises(InputError, match="is a seed") as error:
        run.explain("Person 30")
    assert str(error.value).startswith(f"Person 30 ({left_id(30)!r}) is a seed")
    with pytest.raises(InputError, match="not among the") as error:
        run.explain(BOELL, "Person 30 (staff)")
    assert f"of {BOELL} ({left_id(1)!r})" in str(error.value)


def test_facts_carry_ids_and_names(run: Run) -> None:
    facts = [match.left for match in run.explain(BOELL).facts]
    assert all(fact.relation.startswith(LEFT_RELATION) for fact in facts)
    named = [fact for fact in facts if fact.relation_name is not None]
    assert {fact.named_relation.text for fact in named} <= {"was born in", "works at"}
    assert all(fact.neighbour_name for fact in facts if fact.neighbour != left_id(NAMELESS))
    content = json.loads(json.dumps(run.explain(BOELL).to_dict()))
    assert content["left"] == left_id(1)
    assert set(content["facts"][0]["left"]) >= {"relation", "relation_name", "neighbour_name"}
    assert content["assignment"]["rivals"][0]["left_name"]
    assert content["runner_up"]["right_name"]


def test_a_fact_in_words() -> None:
    fact = Fact("http://x.example/bornIn", True, "http://x.example/1", "1917", None, None, "Köln")
    assert fact.words == "← bornIn: Köln"
    assert fact.id_words == "← http://x.example/bornIn: http://x.example/1"
    assert "Köln" in repr(fact)
    literal = Literal("http://x.example/p#name", "a\n\x07b", "", None, None, "Name\x1b")
    assert literal.words == 'Name\\x1b "a \\x07b"'
    assert literal.id_words == "http://x.example/p#name: a\n\\x07b"


def printed(explained: Explanation, *, ids: bool = False) -> str:
    out = StringIO()
    print_explanation(Console(file=out, width=160), explained, ids=ids)
    return out.getvalue()


def test_the_terminal_shows_names_and_ids_on_request(run: Run) -> None:
    explained = run.explain(BOELL)
    text = printed(explained)
    assert text.startswith(f"{BOELL} ({left_id(1)}) is linked to {BOELL} (staff) ({right_id(1)})")
    assert text.count(LEFT_RELATION) == 0
    assert text.rstrip().endswith("Names are shown instead of ids; --ids shows both.")
    headers = [line.split() for line in text.splitlines()]
    assert ["People", "time", "staff", "time", "adds"] in headers
    with_ids = printed(explained, ids=True).replace("\n", "")
    assert "--ids" not in with_ids
    assert LEFT_RELATION in with_ids.replace(" ", "")


def test_nothing_in_a_name_is_carried_out(run: Run) -> None:
    text = printed(run.explain(HOSTILE))
    assert "[bold]x[/bold] :key: \\x1b[31m\\u202eevil" in text
    assert "\x1b" not in text
    assert "🔑" not in text
    page = run.explain(HOSTILE)._repr_html_()
    assert "<script" not in page
    assert "\\u202eevil" in page


def test_right_to_left_names_are_isolated(run: Run) -> None:
    assert printed(run.explain(HEBREW)).startswith(f"\u2068{HEBREW}\u2069 (http://")
    page = run.explain(ARABIC)._repr_html_()
    assert f'<bdi dir="auto" title="{left_id(3)}">{ARABIC}</bdi> <small>' in page


def test_notebooks_show_the_names_of_a_run(run: Run) -> None:
    page = run._repr_html_()
    assert "People 60 entities, staff 60" in page
    assert f'title="{run.links["left"][0]}"' in page
    assert repr(run).startswith("Run(40 links; People 60 entities")


def test_alarms_are_told_with_names(run: Run) -> None:
    shifted = run.facts_right.with_columns(
        (pl.col(end).cast(pl.Int32) + 1).cast(pl.String) for end in ("begin", "end")
    )
    messages = " ".join(replace(run, facts_right=shifted).alarms["message"])
    assert "1 year later in staff" in messages
