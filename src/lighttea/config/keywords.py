"""The fields of `Config` as keywords. Made by `make keywords`."""

from __future__ import annotations

from typing import TypedDict

from lighttea.config.choices import Search


class Settings(TypedDict, total=False):
    """The fields of `Config`; left out or None: as the preset or the config has it."""

    alpha: float | None
    """Weight of the temporal aspect against the relational one (eq. 7) [default: 0.5]"""
    beta: float | None
    """Weight of the time similarity against the label similarity (eq. 9) [best: 0.17; paper:
    0.4]"""
    dim: int | None
    """Width of a label, the paper's d [best: 256; paper: 512]"""
    depth: int | None
    """Rounds of label propagation, the paper's n (eq. 1-6) [default: 2]"""
    sketch_factor: int | None
    """Width of the last hop's sketch per aspect, in multiples of dim [default: 2]"""
    top_k: int | None
    """Candidates searched for each left entity, the paper's k [best: 100; paper: 500]"""
    search: Search | None
    """How to search candidates: exact, approximate, or auto (exact up to 50,000 x 50,000) [default:
    auto]"""
    temperature: float | None
    """Temperature t of the Sinkhorn operator (eq. 12) [best: 0.017; paper: 0.05]"""
    iterations: int | None
    """Iterations m of the Sinkhorn operator (eq. 11) [default: 15]"""
    threshold: float | None
    """A best candidate with a value above this becomes a seed [default: 0.8]"""
    whitening: bool | None
    """Even out the principal directions of the labels before comparing them [best: on; paper:
    off]"""
    consensus: float | None
    """Weight of the evidence from the links so far, against labels and times [best: 0.6; paper:
    0]"""
    likelihood: float | None
    """Weight of how likely facts make a pair, by the links so far; 0: not looked at [best: 0.3;
    paper: 0]"""
    consensus_passes: int | None
    """How often a round computes consensus [best: 3; paper: 1]"""
    suggestions: int | None
    """Candidates of each left entity proposed by rare evidence in common [best: 50; paper: 0]"""
    relation_evidence: bool | None
    """Consensus compares relations that mean the same [default: on]"""
    joint_evidence: bool | None
    """Consensus compares neighbours together with their time [default: on]"""
    time_evidence: bool | None
    """Consensus compares times without a neighbour [default: on]"""
    contradictions: bool | None
    """Facts that can hold only once and differ between two entities count against the pair [best:
    on; paper: off]"""
    mixed_granularity: bool | None
    """A day also matches its month and its year where the other side is no more exact [best: on;
    paper: off]"""
    bootstrap: bool | None
    """Find sure pairs by evidence alone and start from them too, beside the seeds [best: on; paper:
    off]"""
    literals: bool | None
    """Use literals of entities (names, codes, numbers, dates) as evidence, with consensus [best:
    on; paper: off]"""
    revise_promotions: bool | None
    """Choose the promoted pairs anew in every round [best: on; paper: off]"""
    cross_fit: bool | None
    """Compare an entity by labels that its own promoted pair did not influence [best: on; paper:
    off]"""
    convergence: float | None
    """Stop when less than this share of the promoted pairs changes; 0: never stop early [best:
    0.01; paper: 0]"""
    calibrated: bool | None
    """Estimate the probability of each link, and that an entity has no counterpart [best: on;
    paper: off]"""
    decoys: int | None
    """Most decoys (made-up right entities) to compete with real ones; how often they win shows how
    often links are wrong; 0: none [best: 5000; paper: 0]"""
    adapt: str | None
    """Settings to choose from the data: alpha, beta, consensus, convergence, dim, likelihood,
    suggestions, temperature, threshold, top_k, separated by commas; a setting that you give
    yourself is kept [best: alpha, beta, consensus, convergence, dim, likelihood, suggestions,
    temperature, threshold, top_k; paper: none]"""
    min_confidence: float | None
    """Leave out links below this confidence; with top_n the default is 0 [best: 0.5; paper: 0]"""
    max_fdr: float | None
    """Keep the surest links up to this expected share of wrong ones; 1: keep all; less than 1 needs
    calibrated confidence [default: 1]"""
    mutual: bool | None
    """Leave out links whose right entity prefers another left entity [default: off]"""
    rounds: int | None
    """Most rounds of temporal iterative learning; 1: supervised [best: 4; paper: 3]"""
    temporal_propagation: bool | None
    """Propagate labels along time (the paper's TLP) [default: on]"""
    temporal_constraint: bool | None
    """Blend in the time similarity (the paper's TC) [default: on]"""
    sinkhorn: bool | None
    """Assign with the Sinkhorn operator (the paper's SO) [default: on]"""
    random_seed: int | None
    """Number that starts the random generator [default: 0]"""
    threads: int | None
    """Threads to use; 0: one for each idle core [default: 0]"""
    max_memory: float | None
    """Memory limit in GiB; 0: 80 % of what is free [default: 0]"""
