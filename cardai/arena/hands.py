"""Finished hands as a table: a numpy array that goes into pandas, polars and Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from cardai.core.extras import need_extra
from cardai.core.files import Output

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars


class Hands(np.ndarray[Any, np.dtype[Any]]):
    """A structured array with a row a finished hand, which knows the agents that played (``agents``, in their order).

    As a frame it has a column a field, of a field with several entries one an entry (``returns_0``, ``returns_1``: by
    seat), and ``agent_0``, ``agent_1``, ...: who sat in each seat.
    """

    agents: tuple[str, ...] = ()

    @classmethod
    def of(cls, hands: npt.NDArray[Any], agents: tuple[str, ...]) -> Self:
        """Return ``hands``, a structured array, as such a table (the same memory)."""
        table = hands.view(cls)
        table.agents = agents
        return table

    def __array_finalize__(self, source: Any) -> None:
        self.agents = getattr(source, "agents", ())

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return np.asarray(found) if isinstance(found, Hands) and found.dtype.names is None else found

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a frame by name, each (n,)."""
        found: dict[str, npt.NDArray[Any]] = {}
        for name in self.dtype.names or ():
            values = np.asarray(self[name])
            flat = values.reshape(len(self), -1)
            found |= {name if values.ndim == 1 else f"{name}_{k}": flat[:, k].copy() for k in range(flat.shape[1])}
        if self.agents and "rotation" in found:  # agent a sits in seat (a + rotation) % P
            names, seats = np.array(self.agents), len(self.agents)
            found |= {f"agent_{seat}": names[(seat - found["rotation"]) % seats] for seat in range(seats)}
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas DataFrame. Raises PluginError, with the pip command, where pandas is not installed."""
        need_extra("pandas", "to_pandas()")
        import pandas

        return pandas.DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """Return a polars DataFrame. Raises PluginError, with the pip command, where polars is not installed."""
        need_extra("polars", "to_polars()")
        import polars

        return polars.DataFrame(self.columns())

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file. Raises PluginError, with the pip command, where polars is not installed."""
        need_extra("polars", "to_parquet()")
        frame = self.to_polars()
        with Output(path) as file:
            frame.write_parquet(file)
