"""Where the engine's matrix products come from.

The engine has its own loops for matrix products, as fast as OpenBLAS on x86-64 and with values
that do not depend on how work is cut into blocks. On machines where the BLAS that SciPy ships is
much faster (Apple's matrix units, for one), set ``RAREBIT_PRODUCTS=scipy`` in the environment, or
call `use_products`. Nothing is linked: SciPy exports the addresses of its functions.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Literal

from rarebit import _core

# Integers of the GEMM that the engine can call: sizes by pointer to a 32-bit int.
_INT32_NAMES = {"int", "int32_t", "npy_int32"}


def use_products(source: Literal["built-in", "scipy"]) -> None:
    """Choose the matrix products for machines fitted from now on.

    Parameters
    ----------
    source : {"built-in", "scipy"}
        The engine's own loops, or the BLAS that SciPy ships. Limit that BLAS to one thread
        (``threadpoolctl.threadpool_limits(1)``) where results must not depend on the number
        of cores.

    Examples
    --------
    >>> from rarebit._engine.products import use_products
    >>> use_products("scipy")
    >>> use_products("built-in")
    """
    if source == "built-in":
        _core.use_gemm(0, 0)
    elif source == "scipy":
        from scipy.linalg import cython_blas

        table: dict[str, Any] = cython_blas.__pyx_capi__
        _core.use_gemm(_address(table["sgemm"]), _address(table["dgemm"]))
    else:
        raise ValueError(
            f"The source of matrix products must be 'built-in' or 'scipy', got {source!r}: "
            "check the argument or the environment variable RAREBIT_PRODUCTS."
        )


def _address(capsule: Any) -> int:
    """Address of a function in a capsule, after checking that its integers are 32 bits wide."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name: bytes = name_of(capsule)
    check_signature(name.decode())
    return int(pointer_of(capsule, name))


def check_signature(signature: str) -> None:
    """Refuse a GEMM whose C signature the engine cannot call.

    Parameters
    ----------
    signature : str
        As Cython writes it: ``void (char *, char *, int *, ...)``.

    Examples
    --------
    >>> check_signature(
    ...     "void (char *, char *, int *, int *, int *, s *, s *, int *, "
    ...     "s *, int *, s *, s *, int *)"
    ... )
    """
    arguments = [a.strip() for a in signature.partition("(")[2].rpartition(")")[0].split(",")]
    integers = [
        arguments[i].removesuffix("*").strip() for i in (2, 3, 4, 7, 9, 12) if len(arguments) == 13
    ]
    if len(integers) != 6 or not set(integers) <= _INT32_NAMES:
        raise ValueError(
            f"SciPy's BLAS has the signature {signature!r}, and the engine can call one with "
            "32-bit integers only: use the built-in products instead."
        )


def use_products_of_environment() -> None:
    """Follow ``RAREBIT_PRODUCTS`` if it is set."""
    wanted = os.environ.get("RAREBIT_PRODUCTS")
    if wanted:
        use_products(wanted)  # type: ignore[arg-type]
