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
    """Width of a label, the paper's d [default: 512]"""
    depth: int | None
    """Rounds of label propagation, the paper's n (eq. 1-6) [default: 2]"""
    sketch_factor: int | None
    """Width of the last hop's sketch per aspect, in multiples of dim [default: 2]"""
    top_k: int | None
    """Candidates searched for each left entity, the paper's k [best: 100; paper: 500]"""
    search: Search | None
    """How candidates are searched: exact, approximate, or auto: exact up to 50,000 x 50,000
    [default: auto]"""
    temperature: float | None
    """Temperature t of the Sinkhorn operator (eq. 12) [best: 0.017; paper: 0.05]"""
    iterations: int | None
    """Iterations m of the Sinkhorn operator (eq. 11) [default: 15]"""
    threshold: float | None
    """A best candidate with a value above this joins the seeds [default: 0.8]"""
    whitening: bool | None
    """Even out the principal directions of the labels before they are compared [best: on; paper:
    off]"""
    consensus: float | None
    """Weight of what the links so far say, against labels and times [best: 0.6; paper: 0]"""
    consensus_passes: int | None
    """Times that consensus is computed in a round [best: 3; paper: 1]"""
    suggestions: int | None
    """Candidates of each left entity that shared rare evidence suggests [best: 50; paper: 0]"""
    relation_evidence: bool | None
    """Consensus looks at relations that say the same [default: on]"""
    joint_evidence: bool | None
    """Consensus looks at neighbours together with their time [default: on]"""
    time_evidence: bool | None
    """Consensus looks at times without a neighbour [default: on]"""
    contradictions: bool | None
    """Facts that can be true only once and that two entities tell differently count against [best:
    on; paper: off]"""
    mixed_granularity: bool | None
    """A day also counts as its month and its year where the other side knows a time no better
    [best: on; paper: off]"""
    bootstrap: bool | None
    """Begin with pairs that evidence alone makes sure, beside the seeds [best: on; paper: off]"""
    literals: bool | None
    """Literals of entities (names, codes, numbers, dates) count as evidence, with consensus [best:
    on; paper: off]"""
    revise_promotions: bool | None
    """Choose the pairs that join the seeds anew in every round [best: on; paper: off]"""
    cross_fit: bool | None
    """Compare an entity by labels that its own promoted pair did not make [best: on; paper: off]"""
    convergence: float | None
    """Stop when a smaller share of the joined pairs changes; 0 never stops [best: 0.02; paper:
    0]"""
    calibrated: bool | None
    """Estimate how likely each link is right, and that an entity has no counterpart [best: on;
    paper: off]"""
    decoys: int | None
    """Made-up right entities, at most, that compete with real ones: how often they win tells how
    often links are wrong; 0 for none [best: 5000; paper: 0]"""
    adapt: str | None
    """Settings that the data choose: alpha, beta, consensus, dim, temperature, threshold, with
    commas; one that you set yourself stays as you set it [best: alpha, beta, consensus, dim,
    temperature, threshold; paper: none]"""
    min_confidence: float | None
    """Leave out links with less confidence than this; 0 with top_n, unless you set it [best: 0.5;
    paper: 0]"""
    max_fdr: float | None
    """Keep the surest links, up to this expected share of wrong ones; 1 keeps all, less needs
    calibrated confidence [default: 1]"""
    mutual: bool | None
    """Leave out links whose right entity has a better left candidate [default: off]"""
    rounds: int | None
    """Rounds of temporal iterative learning, at most; 1 is supervised [best: 4; paper: 3]"""
    temporal_propagation: bool | None
    """Propagate labels along time (the paper's TLP) [default: on]"""
    temporal_constraint: bool | None
    """Blend in the time similarity (the paper's TC) [default: on]"""
    sinkhorn: bool | None
    """Assign with the Sinkhorn operator (the paper's SO) [default: on]"""
    random_seed: int | None
    """Number that starts the random generator [default: 0]"""
    threads: int | None
    """Threads to use; 0 means all cores [default: 0]"""
    max_memory: float | None
    """GiB of memory to stay within; 0 means 80 % of what is free [default: 0]"""
