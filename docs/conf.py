"""Sphinx configuration; `make docs` builds the pages."""

import os
import re
from importlib.metadata import version as installed_version

from sphinx_gallery.sorting import ExplicitOrder

import rarebit

project = "rarebit"
author = "The rarebit developers"
copyright = "2026, The rarebit developers"
release = installed_version("rarebit")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_templates", "sg_execution_times.rst"]
# A name in single backquotes in a docstring is a link where it can be one.
default_role = "py:obj"
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Modules list what their __all__ lists, so a new public name has its page without an edit here.
autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autosummary_context = {"top_level": list(rarebit.__all__)}
autodoc_typehints = "none"
numpydoc_show_class_members = False

# The examples run when the pages are built; a file that has not changed is not run again. Backward
# references put a gallery of the examples that use a name on its page.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": ExplicitOrder(
        [
            "plot_discovery.py",
            "plot_hunt.py",
            "plot_border.py",
            "plot_stopping.py",
            "plot_bagging.py",
            "plot_pruning.py",
            "plot_threshold.py",
            "*",
        ]
    ),
    "backreferences_dir": "auto_examples/of",
    "log_level": {"backreference_missing": "debug"},  # most names are in no example
    "doc_module": ("rarebit",),
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}
copybutton_exclude = ".linenos, .gp, .go"

# Inventories are fetched only on request, so that the pages build without a network.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
    if os.environ.get("RAREBIT_DOCS_ONLINE")
    else {}
)

html_theme = "pydata_sphinx_theme"
html_title = f"rarebit {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["rarebit.css"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader has it
# Pages without siblings need no list of them.
html_sidebars = {
    page: [] for page in ("index", "install", "quickstart", "contributing", "changelog")
}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def skip_member(app, what, name, obj, skip, options):
    """Leave out the metadata-routing setters that scikit-learn adds to every class."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    """Connect the hooks above."""
    app.connect("autodoc-skip-member", skip_member)
