"""Label rows on the device: always in float32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class TorchRows:
    """Tall rows of one or more parts side by side, filled part by part and block by block."""

    values: torch.Tensor  # (n_rows, n_parts * width)
    scale: torch.Tensor  # (n_rows, n_parts); 0 where a part is a zero row, 1 elsewhere

    @classmethod
    def empty(cls, n_rows: int, width: int, n_parts: int, where: torch.device) -> TorchRows:
        """Return room for so many rows."""
        values = torch.empty((n_rows, n_parts * width), device=where)
        return cls(values, torch.zeros((n_rows, n_parts), device=where))

    @classmethod
    def join(cls, blocks: Sequence[TorchRows]) -> TorchRows:
        """Return a copy of the blocks under one another."""
        return cls(
            torch.cat([block.values for block in blocks]),
            torch.cat([block.scale for block in blocks]),
        )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_columns(self) -> int:
        """Columns of all parts together."""
        return self.values.shape[1]

    @property
    def filled(self) -> torch.Tensor:
        """Which rows are not zero."""
        return self.scale.any(1)

    def put(self, begin: int, block: torch.Tensor, part: int = 0) -> None:
        """Set one part of the rows from `begin` on."""
        rows, width = slice(begin, begin + len(block)), block.shape[1]
        self.values[rows, part * width : (part + 1) * width] = block
        self.scale[rows, part] = block.any(1).to(torch.float32)

    def stretch(self, factor: torch.Tensor) -> None:
        """Multiply each part of each row by its factor, (n_rows, n_parts)."""
        width = self.n_columns // factor.shape[1]
        for part in range(factor.shape[1]):
            self.values[:, part * width : (part + 1) * width] *= factor[:, [part]]

    def replace(self, flags: torch.Tensor, others: TorchRows) -> None:
        """Set the rows that have a flag to others, as many as there are flags."""
        self.values[flags] = others.values
        self.scale[flags] = others.scale

    def take(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return these rows."""
        return self.values[numbers]
