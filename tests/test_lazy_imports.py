"""``import rarebit`` is quick because names are looked up when they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rarebit


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_slow() -> None:
    assert run("import rarebit, sys; print({'numpy', 'sklearn'} & set(sys.modules))") == "set()"


def test_learning_needs_neither_imbalanced_learn_nor_files() -> None:
    code = (
        "import sys; from rarebit import BorderSVC, KernelSVC, Scout, Hunt; "
        "print(sorted({'imblearn', 'polars', 'skrub', 'skops', 'click'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


def test_stores_load_the_database_only_when_one_is_opened() -> None:
    code = (
        "import sys; from rarebit.projects.stores import open_store; import rarebit.testing; "
        "print(sorted({'sqlalchemy', 'psycopg'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


FRAME = "import pandas as pd; from rarebit.tables import as_table; as_table(pd.DataFrame({'a': "
CELLS = (
    "['x', 'y']", "pd.Categorical(['x', 'y'])", "pd.array([1, None], dtype='Int64')",
    "pd.date_range('2026-01-01', periods=2, tz='UTC')",
    "[__import__('decimal').Decimal(1), None]",
)  # fmt: skip
ENCODED = "from rarebit.tables import TableEncoder, as_table; TableEncoder().fit(as_table({'a': "
FITTED = (
    "import io, warnings; warnings.simplefilter('ignore'); from rarebit import KernelSVC; "
    "from rarebit.models import load_model, save_model, train_model; X = [*range(20)]; "
    "y = [0] * 10 + [1] * 10; own = KernelSVC().fit([[x] for x in X], y)"
)


@pytest.mark.parametrize(
    ("missing", "what", "said", "extra"),
    [
        ("polars", "from rarebit.models import load_model", "Models need", "cli"),
        ("polars", "from rarebit.models import save_model", "Models need", "cli"),
        ("polars", "from rarebit.models import train_model", "Tables need", "cli"),
        ("polars", "import rarebit.projects", "Tables need", "cli"),
        ("polars", "import rarebit.demo", "Tables need", "cli"),
        ("fastapi", "import rarebit.server", "The server needs", "server"),
        ("polars", "import rarebit.distributed", "Clusters need", "dask"),
        (
            "matplotlib",
            "import rarebit.report as r; r.draw_roc([0, 1], {'a': [0.1, 0.2]})",
            "Figures need",
            "report",
        ),
        (
            "matplotlib",
            "import rarebit.report as r; r.draw_images([[[0, 1]]], ['a'])",
            "Figures need",
            "report",
        ),
        ("jinja2", "from rarebit.report import Report; Report('x').write('x')", "Reports need",
         "report"),
        (
            "matplotlib",
            "from rarebit.comparison import Comparison; Comparison.plot(None)",
            "Figures need",
            "plot",
        ),
        (
            "matplotlib",
            "from rarebit.papers._drawing import new_figure; new_figure(1, 1)",
            "Figures need",
            "papers",
        ),
        *(("pyarrow", f"{FRAME}{cells}}}))", "This frame of pandas needs", "cli")
          for cells in CELLS),
        ("skrub", f"{ENCODED}[f'x{{i % 90}} y' for i in range(900)]}}))",
         "Columns of many different strings or of times need", "cli"),
        ("skops", f"{FITTED}; save_model(own, io.BytesIO())", "Files of models need", "cli"),
        ("skops", f"{FITTED}; save_model(train_model({{'a': X, 'y': y}}, target='y', "
         "method='kernel', validate=False), io.BytesIO())", "Files of models need", "cli"),
        ("skops", f"{FITTED}; load_model('none.rarebit')", "Files of models need", "cli"),
    ],
)  # fmt: skip
def test_what_needs_an_extra_says_how_to_install_it(
    missing: str, what: str, said: str, extra: str
) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"try:\n    {what}\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    expected = f"{said} the package {missing}, which is not installed: run pip install '.[{extra}]'"
    assert run(code).startswith(expected)


def test_a_cluster_without_dask_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from rarebit.distributed import ClusterError, open_cluster\n"
        "try:\n    open_cluster().__enter__()\nexcept ClusterError as error:\n    print(error)"
    )
    assert "dask and distributed, which are not installed: run pip install '.[dask]'" in run(code)


def test_names_are_listed_before_they_are_loaded() -> None:
    listed = run("import rarebit; print(*dir(rarebit))").split()
    assert set(rarebit.__all__) <= set(listed)
    assert {"metrics", "datasets", "tables", "__version__"} <= set(listed)


def test_subpackages_are_attributes() -> None:
    assert run("import rarebit; print(rarebit.metrics.g_mean_score.__name__)") == "g_mean_score"
    folder = Path(rarebit.__file__).parent
    names = [each.parent.name for each in folder.glob("[!_]*/__init__.py")]
    code = f"import rarebit; print([name for name in {names} if not hasattr(rarebit, name)])"
    assert run(code) == "[]"


def test_a_name_is_the_one_of_its_subpackage() -> None:
    from rarebit.svm import KernelSVC

    assert rarebit.KernelSVC is KernelSVC


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rarebit.nothing  # type: ignore[attr-defined]


def test_products_of_the_environment_are_still_read() -> None:
    code = "import os; os.environ['RAREBIT_PRODUCTS'] = 'none'\ntry:\n    import rarebit\n"
    code += "except ValueError as error:\n    print(error)"
    assert "RAREBIT_PRODUCTS" in run(code)
