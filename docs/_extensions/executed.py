"""Directives that run the code on a page, so that no output or picture is typed by hand.

``{example}`` runs Python and shows the code, its output, the value of its last expression and its
figures. ``{console}`` runs ``rosenblatt`` commands. Both run in the build's process, so no kernel has to
start, and each page reuses the functions that earlier pages compiled.

The blocks of a page share one namespace and one folder, which starts with the files of
``executed_files``. Pages share nothing, so a page's output depends on that page alone. A failing block
is a build error with page and line, even without ``-W``; the build goes on, to report all failures.

While a block runs, it changes the process's working directory and standard streams, so pages are read
one at a time (``parallel_read_safe`` is false).
"""

import ast
import contextlib
import io
import os
import random
import re
import shlex
import shutil
import struct
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import matplotlib as mpl
from docutils import nodes
from docutils.parsers.rst import directives
from sklearn.utils import check_random_state
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from rosenblatt.cli import run
from rosenblatt.plots import style

LOGGER = logging.getLogger(__name__)
DOTS_PER_INCH = 100  # as shown on the page; files have twice as many
# The default repr of an object says nothing and differs in each build.
ADDRESS = re.compile(r" at 0x[0-9a-f]+>")
WIDTH = "84"  # columns of the terminal that commands see: as many as fit on a page


class ExecutedError(Exception):
    """A block cannot be shown; ``line`` is the line of the page."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Page:
    """The state that the blocks of one page share: namespace, folder and picture count."""

    def __init__(self, files: list[Path]) -> None:
        self.namespace: dict[str, Any] = {"__name__": "page"}
        self.pictures = 0
        self.folder = tempfile.TemporaryDirectory(
            prefix="rosenblatt-page-", ignore_cleanup_errors=True
        )
        for file in files:
            shutil.copy(file, self.folder.name)
        random.seed(0)
        check_random_state(None).seed(0)  # NumPy's global generator, for code without a seed
        mpl.rcdefaults()
        # A page's own plots use the colors of the displays.
        mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=list(style.PALETTE.values()))

    @contextlib.contextmanager
    def capture(self) -> Iterator[io.TextIOWrapper]:
        """Work in the page's folder, and yield the stream that captures the output."""
        output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)
        before, columns = Path.cwd(), os.environ.get("COLUMNS")
        os.chdir(self.folder.name)
        os.environ["COLUMNS"] = WIDTH
        try:
            with contextlib.redirect_stdout(output), warnings.catch_warnings():
                warnings.simplefilter("error")
                for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                    warnings.simplefilter("ignore", category)
                yield output
        finally:
            os.chdir(before)
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns


def captured_text(stream: io.TextIOWrapper) -> str:
    """Return the text in a stream of `Page.capture`."""
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def execute(code: str, namespace: dict[str, Any], file: str, first_line: int) -> object:
    """Return the value of the last expression of a block after running it, or None.

    The code is compiled with the page's line numbers, so that a traceback names them.
    """
    block = ast.parse("\n" * (first_line - 1) + code, file)
    last = block.body[-1] if block.body else None
    if not isinstance(last, ast.Expr) or code.rstrip().endswith(";"):
        exec(compile(block, file, "exec"), namespace)
        return None
    exec(compile(ast.Module(block.body[:-1], []), file, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), file, "eval"), namespace)


def page_traceback(error: BaseException, file: str) -> tuple[str, int | None]:
    """Return the part of the traceback that starts on the page, and the page's line."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return "".join(traceback.format_exception_only(error)).rstrip(), error.lineno
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace)).rstrip()
    return text, trace.tb_lineno if trace else None


def opened_figures(value: object) -> list[Any]:
    """Return pyplot's open figures, and the figure of a display that does not use pyplot."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
    shown = getattr(value, "figure_", None)
    if shown is not None and shown not in figures:
        figures.append(shown)
    return figures


def close_figures() -> None:
    """Close all figures, so that no block shows those of another."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def save_picture(figure: Any, path: Path) -> int:
    """Save a figure as PNG at twice the resolution shown, and return the width to show."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A layout engine already fits everything in; other figures are cropped, which draws them twice.
    box = None if figure.get_layout_engine() else "tight"
    # Without Matplotlib's version, so that builds can be compared.
    figure.savefig(path, dpi=2 * DOTS_PER_INCH, bbox_inches=box, metadata={"Software": None})
    width, _ = struct.unpack(">II", path.read_bytes()[16:24])
    return int(width) // 2


class Picture(nodes.Element):
    """A placeholder for an image, until Sphinx has collected the images of the sources."""


PAGES: dict[str, Page] = {}  # pages being read
FAILED: list[str] = []  # the page of each block that failed


class Executed(SphinxDirective):
    """The base of both directives: run the block, show the result, report failures."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Run the block, and return its nodes or log its error."""
        self.assert_has_content()
        try:
            return self.render()
        except ExecutedError as error:
            FAILED.append(self.env.docname)
            LOGGER.error("%s", error, location=(self.env.docname, error.line))
            return [self.literal("\n".join(self.content), "text")]
        finally:
            close_figures()

    def render(self) -> list[nodes.Node]:
        """Return the nodes of the block."""
        raise NotImplementedError

    @property
    def page(self) -> Page:
        """The page being read."""
        if self.env.docname not in PAGES:
            files = [Path(self.env.srcdir) / name for name in self.config.executed_files]
            for file in files:
                self.env.note_dependency(str(file))
            PAGES[self.env.docname] = Page(files)
        return PAGES[self.env.docname]

    @property
    def first_line(self) -> int:
        """The page's line where the content begins; MyST counts from the directive."""
        return self.lineno + self.content_offset + 1

    def literal(self, text: str, language: str, *classes: str) -> nodes.literal_block:
        """Return a block of code or output."""
        block = nodes.literal_block(text, text, language=language, classes=list(classes))
        self.set_source_info(block)
        return block


class Example(Executed):
    """Run Python, and show the code, its output, its last value and its figures."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "hide-code": directives.flag,
        "html": directives.flag,
    }

    def render(self) -> list[nodes.Node]:
        """Return the code, output and figures."""
        code, file = "\n".join(self.content), str(self.env.doc2path(self.env.docname))
        with self.page.capture() as output:
            try:
                value = execute(code, self.page.namespace, file, self.first_line)
                result, html = self.result(value)
                figures = self.figures(opened_figures(value))
            except ExecutedError:
                raise
            except (Exception, SystemExit) as error:
                text, line = page_traceback(error, file)
                raise ExecutedError(f"the example failed\n{text}", line or self.lineno) from error
        parts: list[nodes.Node] = []
        if "hide-code" not in self.options:
            parts.append(self.literal(code, "python"))
        if text := (captured_text(output) + result).rstrip("\n"):
            parts.append(self.literal(text, "text", "output"))
        if html:
            parts.append(nodes.raw("", f'<div class="output">{html}</div>', format="html"))
        return [nodes.container("", *parts, *figures, classes=["executed"])]

    def result(self, value: object) -> tuple[str, str]:
        """Return the last value as text and as HTML, one of them empty."""
        if "html" in self.options:
            to_html = getattr(value, "_repr_html_", None)
            if to_html is None:
                raise ExecutedError("the last value has no HTML to show", self.lineno)
            return "", to_html()
        text = "" if value is None else repr(value)
        return ("" if ADDRESS.search(text) else text), ""

    def figures(self, opened: list[Any]) -> list[nodes.Node]:
        """Save the figures, and return their nodes; each needs a description in ``:alt:``."""
        alts = self.options["alt"].split(" | ") if "alt" in self.options else []
        if len(alts) != len(opened):
            message = (
                f"the example makes {len(opened)} picture(s), and :alt: describes {len(alts)}; "
                "describe each picture, with ' | ' between two"
            )
            raise ExecutedError(message, self.lineno)
        found: list[nodes.Node] = []
        for alt, figure in zip(alts, opened, strict=True):
            self.page.pictures += 1
            name = f"{self.env.docname.replace('/', '-')}-{self.page.pictures}.png"
            path = Path(self.env.doctreedir) / "executed" / name
            width = save_picture(figure, path)
            found.append(Picture(path=str(path), alt=" ".join(alt.split()), width=f"{width}px"))
        if "caption" in self.options and found:
            caption, _ = self.parse_inline(self.options["caption"], lineno=self.lineno)
            return [nodes.figure("", *found, nodes.caption("", "", *caption))]
        return found


class Console(Executed):
    """Run ``rosenblatt`` commands, one per line, and show each with its output."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "exit-code": directives.nonnegative_int,
        "wide": directives.flag,  # do not wrap lines, as in text pictures
    }

    def render(self) -> list[nodes.Node]:
        """Return each command with its output."""
        parts = [
            self.literal(self.transcript(command, self.first_line + number), "console", "console")
            for number, command in enumerate(self.content)
            if command.strip()
        ]
        wide = ["wide"] if "wide" in self.options else []
        return [nodes.container("", *parts, classes=["executed", *wide])]

    def transcript(self, command: str, line: int) -> str:
        """Run a command, and return it with its output."""
        words = shlex.split(command.removeprefix("$ "), comments=True)
        if not words or words[0] != "rosenblatt":
            raise ExecutedError(f"{command!r} is not a command of rosenblatt", line)
        expected = self.options.get("exit-code", 0)
        errors = io.StringIO()
        with self.page.capture() as output, contextlib.redirect_stderr(errors):
            try:
                code = run(words[1:])
            except Exception as error:
                trace = traceback.format_exc().rstrip()
                raise ExecutedError(f"{command!r} failed\n{trace}", line) from error
        if code != expected:
            message = f"{command!r} ended with {code}, not {expected}: {errors.getvalue().strip()}"
            raise ExecutedError(message, line)
        # On success, standard error only has progress and notes on compiling.
        printed = captured_text(output) + (errors.getvalue() if code else "")
        return f"$ {command.removeprefix('$ ')}\n{printed}".rstrip("\n")


def show_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Replace pictures by images, and delete the state of the page."""
    docname = app.env.docname
    for node in list(doctree.findall(Picture)):
        path = node["path"]
        image = nodes.image(
            uri=path,
            candidates={"*": path},
            alt=node["alt"],
            width=node["width"],
            classes=["dark-light"],
        )
        app.env.images.add_file(docname, path)
        node.replace_self(image)
    if page := PAGES.pop(docname, None):
        page.folder.cleanup()


def fail(app: Sphinx, _: Exception | None) -> None:
    """End the build with an error if a block failed, even without ``-W``."""
    if FAILED:
        app.statuscode = 1


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    mpl.use("agg")  # pictures are saved, never shown
    PAGES.clear()
    FAILED.clear()
    app.add_config_value("executed_files", [], "env", [list])
    app.add_node(Picture)
    app.add_directive("example", Example)
    app.add_directive("console", Console)
    app.connect("doctree-read", show_pictures, priority=900)
    app.connect("build-finished", fail)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
