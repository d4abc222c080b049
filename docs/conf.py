"""How the pages are built: MyST Markdown, no network, generated parts from the code itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from betterthan import __version__

project = "betterthan"
author = "The betterthan authors"
copyright = "the betterthan authors, Apache-2.0"  # noqa: A001  (Sphinx's name)
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "generated", "notebooks"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"betterthan {release}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_js_files = ["copy.js"]
html_math_renderer = "mathml"
smartquotes_action = "D"  # dashes only; quotation marks stay as they can be typed
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 70
toc_object_entries = False  # every public name has a heading of its own
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False
# An attribute of one result may be called as a property of others (`best`); it needs no link.
suppress_warnings = ["ref.python"]
