from collections.abc import Callable
from typing import Any

from numpy import float32, float64, int32, int64
from numpy.typing import NDArray

Observer = Callable[[int, float, int, int], object]

def instruction_set() -> str: ...
def use_gemm(sgemm: int, dgemm: int) -> None: ...

class Rows:
    @staticmethod
    def dense(values: NDArray[Any]) -> Rows: ...
    @staticmethod
    def csr(
        values: NDArray[Any], indices: NDArray[Any], offsets: NDArray[Any], columns: int
    ) -> Rows: ...
    @property
    def shape(self) -> tuple[int, int]: ...

class Kernel:
    def __init__(
        self,
        name: str,
        gamma: float,
        coef0: float,
        degree: int,
        rows: Rows | None = None,
        *,
        centre: NDArray[float64] = ...,
        wide: bool = ...,
    ) -> None: ...
    @property
    def centre(self) -> NDArray[float64]: ...
    @property
    def wide(self) -> bool: ...
    def needs_wide(self, rows: Rows) -> bool: ...
    @property
    def values_computed(self) -> int: ...
    @property
    def seconds(self) -> float: ...

class Source:
    def block(self, rows: NDArray[int32], columns: NDArray[int32]) -> NDArray[float32]: ...

class Direct(Source):
    def __init__(self, kernel: Kernel, rows: Rows) -> None: ...

class Gram(Source):
    def __init__(self, kernel: Kernel, rows: Rows, budget_bytes: int) -> None: ...
    @property
    def values_computed(self) -> int: ...
    @property
    def values_reused(self) -> int: ...
    @property
    def rows_held(self) -> int: ...
    @property
    def rows_affordable(self) -> int: ...

class Solution:
    @property
    def alpha(self) -> NDArray[float64]: ...
    @property
    def bias(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def rows_swept(self) -> int: ...
    @property
    def converged(self) -> bool: ...

def solve(
    source: Source,
    ids: NDArray[int32] | None,
    y: NDArray[float64],
    cost: NDArray[float64],
    start: NDArray[float64] | None,
    tolerance: float,
    max_steps: int,
    cache_bytes: int,
    observer: Observer | None,
) -> Solution: ...
def solve_many(
    source: Source,
    ids: NDArray[int32],
    offsets: NDArray[int64],
    y: NDArray[float64],
    cost: NDArray[float64],
    margins: NDArray[float64] | None,
    start: NDArray[float64] | None,
    tolerance: float,
    max_steps: int,
    cache_bytes: int,
    observer: Observer | None,
) -> dict[str, NDArray[Any]]: ...
def prune_path(
    source: Source,
    y: NDArray[float64],
    cost: NDArray[float64],
    alpha: NDArray[float64],
    minority: float,
    floating: bool,
    most: int,
    tolerance: float,
    observer: Observer | None,
) -> dict[str, Any]: ...
def decide(
    kernel: Kernel,
    left: Rows,
    right: Rows,
    columns: NDArray[int32],
    coefficients: NDArray[float64],
    observer: Observer | None,
) -> NDArray[float64]: ...

class Machine:
    def __init__(self, kernel: Kernel, like: Rows, tolerance: float, cache_bytes: int) -> None: ...
    def process(
        self,
        rows: Rows,
        order: NDArray[int32],
        tags: NDArray[int32],
        y: NDArray[float64],
        cost: NDArray[float64],
        observer: Observer | None,
    ) -> None: ...
    def finish(self, max_steps: int, observer: Observer | None) -> bool: ...
    def restore(self, rows: Rows, state: dict[str, Any]) -> None: ...
    def state(self) -> dict[str, Any]: ...
    @property
    def bias(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def rows_seen(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def garbage(self) -> int: ...
