"""How the site is built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``.

The build downloads nothing, and neither do the pages: MathJax is one file of the site. Links into the
references of Python, NumPy and scikit-learn need their inventories: ROSENBLATT_DOCS_LINKS=1 downloads
them.
"""

import importlib.util
import inspect
import os
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature

import rosenblatt
from rosenblatt.io import data

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "rosenblatt"
author = "The rosenblatt developers"
project_copyright = author
version = release = rosenblatt.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_reference",
    "executed",
]
templates_path = ["_templates"]
exclude_patterns = ["README.md", "_build", "_extensions", "_static", "_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
smartquotes = False  # keep --folds and "shuffle" as typed

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

# A public name in `backquotes` becomes a link; other text becomes plain code.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signature would repeat what the sections of the docstring say
autodoc_preserve_defaults = True
# Python's manual describes members inherited from its own classes.
autosummary_context = {"outside": "object, tuple, dict, Enum, Exception"}
numpydoc_show_class_members = False

executed_files = [str(data.loans()), str(data.sonar())]

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "copyfile_regex": r".*\.rst",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

# The package sphinx-mathjax-offline contains MathJax. As an extension it would copy 100 files, of which
# the pages need one, which draws formulas without font files.
_mathjax = importlib.util.find_spec("sphinx-mathjax-offline")
assert _mathjax is not None, "pip install 'rosenblatt[docs]'"
MATHJAX = Path(str(_mathjax.origin)).with_name("static") / "mathjax" / "tex-svg.js"
mathjax_path = MATHJAX.name

html_theme = "pydata_sphinx_theme"
html_title = "rosenblatt"
html_static_path = ["_static", str(MATHJAX)]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.output) > div.highlight > pre"

if os.environ.get("ROSENBLATT_DOCS_LINKS"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }


# Methods that only the package calls, to save and restore the learned state.
INTERNAL = {
    "check_learned",
    "check_parameters",
    "fit_watched",
    "from_state",
    "prepared",
    "restore",
    "state",
}


def should_skip(_app: Sphinx, what: str, name: str, member: Any, *_: Any) -> bool | None:
    """Skip members that are internal or described elsewhere; None leaves it to Sphinx."""
    if what == "module":  # the public name has its own page
        return True if name in rosenblatt.__all__ else None
    inherited = (getattr(member, "__module__", None) or "").startswith("sklearn.")
    # The class describes the fields of named tuples.
    undocumented = (getattr(member, "__doc__", None) or "").startswith("Alias for field number")
    return True if what == "class" and (inherited or undocumented or name in INTERNAL) else None


def signature_of_init(
    _app: Sphinx, what: str, _name: str, member: Any, _options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """Show an estimator's own signature; Sphinx would show the inherited ``__new__``."""
    if what != "class" or not str(signature).startswith("(*_arguments"):
        return None
    return stringify_signature(
        inspect.signature(member), show_annotation=False, show_return_annotation=False
    ), returned


def setup(app: Sphinx) -> None:
    """Choose what the reference describes."""
    app.connect("autodoc-skip-member", should_skip)
    app.connect("autodoc-process-signature", signature_of_init)
