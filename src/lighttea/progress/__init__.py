"""What is told of a run while it works: its stages, their seconds and memory, the time left."""

from __future__ import annotations

from lighttea.progress.base import STAGES, Progress, peak_rss_mb
from lighttea.progress.costs import Costs, alignment_costs
from lighttea.progress.notebook import default_progress

__all__ = ["STAGES", "Costs", "Progress", "alignment_costs", "default_progress", "peak_rss_mb"]
