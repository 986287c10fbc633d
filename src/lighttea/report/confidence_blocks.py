"""How sure the links are: the blocks of a report on confidence, and against the truth."""

from __future__ import annotations

from collections.abc import Iterator

from lighttea.inputs.links import LinkTable
from lighttea.report import charts, expected, figures
from lighttea.report.blocks import (
    Bar,
    Block,
    Cell,
    bars,
    chart_block,
    note_block,
    table_block,
    text_block,
)
from lighttea.results.expectation import expected_wrong
from lighttea.results.run import Run


def confidence_blocks(run: Run, truth: LinkTable | None) -> Iterator[Block]:
    """Yield the links by confidence, what thresholds keep, and how that is known."""
    if run.links.is_empty():
        yield text_block("This run has no links.")
        return
    yield from _confidence_charts(run)
    yield _confidence_table(run)
    yield from _threshold_table(run)
    if truth is None:
        yield note_block(_known_of_reliability(run))


def _confidence_charts(run: Run) -> Iterator[Block]:
    ranges = expected.count_by_confidence(run)
    caption = "Links by confidence"
    if any(own.n_decoys is not None for own in ranges):
        caption += (
            ", beside the decoys that won. The estimate counts a decoy less if the entity that it "
            "copies is surely linked elsewhere"
        )
    yield chart_block(charts.confidence_chart(ranges, caption), caption)
    links = expected.curve_of_links(run)
    if not links:
        return
    decoys = expected.curve_of_decoys(run)
    caption = "Expected share of wrong links, by how many of the surest links you keep"
    caption += "; points: estimated from decoys" if decoys else ""
    yield chart_block(charts.expected_wrong_chart(links, decoys, caption), caption)


def _confidence_table(run: Run) -> Block:
    """Return the links by confidence, with the number of wrong ones where it is known."""
    bands = figures.count_by_band(run.links["confidence"])
    cells = bars([band.count for band in bands], [f"{band.count:,}" for band in bands])
    rows: list[list[Cell]] = [[band.name, cell] for band, cell in zip(bands, cells, strict=True)]
    columns = ["confidence", "links"]
    if expected_wrong(run) is not None:
        columns.append("expected wrong")
        for row, band in zip(rows, bands, strict=True):
            row.append(f"{band.n_wrong:,.1f}")
    return table_block("Links by confidence", columns, rows, half=True)


def _threshold_table(run: Run) -> Iterator[Block]:
    """Yield what a threshold keeps, where there is an fdr."""
    cuts = expected.cuts_by_fdr(run)
    if not cuts:
        return
    rows = [
        (
            f"--max-fdr {cut.max_fdr:g}",
            f"{cut.n_links:,}",
            f"{cut.n_wrong:,.1f}",
            "-" if cut.confidence is None else f"{cut.confidence:.3f}",
        )
        for cut in cuts
    ]
    columns = ("threshold", "links kept", "expected wrong", "confidence from")
    yield table_block("What a threshold keeps", columns, rows, half=True)


def _known_of_reliability(run: Run) -> str:
    """Return what is known of the confidence where no truth was given."""
    if expected_wrong(run) is None:
        known = "Confidence is not calibrated in this run: use it to sort links only."
    elif run.info.get("decoys"):
        known = "The expected errors are an estimate, checked with decoys only."
    else:
        known = "The expected errors are an estimate from the scores only; the run had no decoys."
    return f"{known} To compare them with true links: `lighttea report RUN --truth FILE`."


def evaluation_blocks(run: Run, truth: LinkTable) -> Iterator[Block]:
    """Yield the figures against the truth, and how reliable confidence is."""
    evaluation = run.evaluate(truth)
    rank, links = evaluation.ranking, evaluation.links
    shares = {
        "Hits@1": rank.hits_at_1,
        "Hits@10": rank.hits_at_10,
        "MRR": rank.mrr,
        "precision of the links": links.precision,
        "precision, entities in the truth only": evaluation.links_of_known.precision,
        "recall": links.recall,
        "F1": links.f1,
    }
    rows = [(name, Bar(f"{value:.4f}", value)) for name, value in shares.items()]
    bins = figures.reliability_bins(run, truth)
    if bins:
        caption = (
            "Reliability: on the dashed line, links are right as often as their confidence says. "
            "Bars show the range that chance allows"
        )
        yield chart_block(charts.reliability_chart(bins, caption), caption)
    title = f"{evaluation.n_truth:,} true links, {evaluation.n_seeds_left_out:,} seeds left out"
    yield table_block(title, ("figure", "value"), rows, half=True)
