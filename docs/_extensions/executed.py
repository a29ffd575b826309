"""Directives that run what a page shows, so that no output and no picture is ever typed.

``{example}`` runs Python and shows the code, what it prints, the value of its last expression and the
figures that it opened. ``{console}`` runs commands of the ``rosenblatt`` program. Both run in the
process of the build: there is no kernel to start, and what one page has compiled is there for the next.

A page has one namespace and one folder, which starts with the files of ``executed_files``; examples and
consoles share both, in the order of the page. Nothing is shared between pages, so what a page shows
depends on that page alone. What fails is an error of the build, which names the page and the line, with
``-W`` or without; pages after it are still built, so that one build names all that is wrong.

Blocks change the working directory and the standard streams of the process while they run, so pages are
read one after the other (``parallel_read_safe`` is false).
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
DOTS_PER_INCH = 100  # of a picture as it is shown; files have twice as many
# The value of an object without a repr of its own says nothing, and differs in each build.
ADDRESS = re.compile(r" at 0x[0-9a-f]+>")
WIDTH = "84"  # columns, where a command asks how wide the terminal is: what a page has room for


class ExecutedError(Exception):
    """A block cannot be shown: what is wrong with it, and at which line of the page."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Page:
    """What the blocks of one page share: names, a folder, and how many pictures there are so far."""

    def __init__(self, files: list[Path]) -> None:
        self.names: dict[str, Any] = {"__name__": "page"}
        self.pictures = 0
        self.folder = tempfile.TemporaryDirectory(
            prefix="rosenblatt-page-", ignore_cleanup_errors=True
        )
        for file in files:
            shutil.copy(file, self.folder.name)
        random.seed(0)
        check_random_state(None).seed(0)  # NumPy's own, which whoever asks for no seed draws from
        mpl.rcdefaults()
        # Lines that a page draws by itself have the colors of the displays beside them.
        mpl.rcParams["axes.prop_cycle"] = mpl.cycler(color=list(style.PALETTE.values()))

    @contextlib.contextmanager
    def entered(self) -> Iterator[io.TextIOWrapper]:
        """Work in the folder of the page, and yield where the output goes."""
        output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)
        before, columns = Path.cwd(), os.environ.get("COLUMNS")
        os.chdir(self.folder.name)
        os.environ["COLUMNS"] = WIDTH
        try:
            with contextlib.redirect_stdout(output), warnings.catch_warnings():
                warnings.simplefilter("error")
                for of_libraries in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
                    warnings.simplefilter("ignore", of_libraries)
                yield output
        finally:
            os.chdir(before)
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns


def written(stream: io.TextIOWrapper) -> str:
    """Return what was written to a stream of `Page.entered`."""
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def execute(code: str, names: dict[str, Any], file: str, first_line: int) -> object:
    """Run a block, and return the value of its last expression, or None.

    The code is compiled as lines of the page, so that a traceback names them.
    """
    block = ast.parse("\n" * (first_line - 1) + code, file)
    last = block.body[-1] if block.body else None
    if not isinstance(last, ast.Expr) or code.rstrip().endswith(";"):
        exec(compile(block, file, "exec"), names)
        return None
    exec(compile(ast.Module(block.body[:-1], []), file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


def told(error: BaseException, file: str) -> tuple[str, int | None]:
    """Return the traceback from the page on, and the line of the page at which it begins."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return "".join(traceback.format_exception_only(error)).rstrip(), error.lineno
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace)).rstrip()
    return text, trace.tb_lineno if trace else None


def opened_figures(value: object) -> list[Any]:
    """Return the figures that pyplot holds, and that of a display which made one without it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
    shown = getattr(value, "figure_", None)
    if shown is not None and shown not in figures:
        figures.append(shown)
    return figures


def close_figures() -> None:
    """Close what pyplot holds, so that no block shows the figures of another."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def save_picture(figure: Any, path: Path) -> int:
    """Write a figure as PNG with two dots for each one shown, and return the width to show."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A figure with a layout has room for all; others are cut to what is drawn, which draws them twice.
    box = None if figure.get_layout_engine() else "tight"
    # Without the version of Matplotlib, so that a build can be compared with another.
    figure.savefig(path, dpi=2 * DOTS_PER_INCH, bbox_inches=box, metadata={"Software": None})
    width, _ = struct.unpack(">II", path.read_bytes()[16:24])
    return int(width) // 2


class Picture(nodes.Element):
    """Stands for an image until the images of the sources have been collected: it is not one of them."""


PAGES: dict[str, Page] = {}  # those that are being read
FAILED: list[str] = []  # the page of each block that failed in this build


class Executed(SphinxDirective):
    """What both directives do: enter the page, run, show, and report."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Run the block and return what is to be seen of it."""
        self.assert_has_content()
        try:
            return self.shown()
        except ExecutedError as error:
            FAILED.append(self.env.docname)
            LOGGER.error("%s", error, location=(self.env.docname, error.line))
            return [self.literal("\n".join(self.content), "text")]
        finally:
            close_figures()

    def shown(self) -> list[nodes.Node]:
        """Return the nodes of the block."""
        raise NotImplementedError

    @property
    def page(self) -> Page:
        """The page that is being read."""
        if self.env.docname not in PAGES:
            files = [Path(self.env.srcdir) / name for name in self.config.executed_files]
            for file in files:
                self.env.note_dependency(str(file))
            PAGES[self.env.docname] = Page(files)
        return PAGES[self.env.docname]

    @property
    def first_line(self) -> int:
        """The line of the page on which the content begins: MyST counts it from the directive."""
        return self.lineno + self.content_offset + 1

    def literal(self, text: str, language: str, *classes: str) -> nodes.literal_block:
        """Return a block of code or output."""
        block = nodes.literal_block(text, text, language=language, classes=list(classes))
        self.set_source_info(block)
        return block


class Example(Executed):
    """Run Python: the code, what it prints, its last value, its figures."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "hide-code": directives.flag,
        "html": directives.flag,
    }

    def shown(self) -> list[nodes.Node]:
        """Return the code and what came of it."""
        code, file = "\n".join(self.content), str(self.env.doc2path(self.env.docname))
        with self.page.entered() as output:
            try:
                value = execute(code, self.page.names, file, self.first_line)
                result, html = self.result(value)
                figures = self.figures(opened_figures(value))
            except ExecutedError:
                raise
            except (Exception, SystemExit) as error:
                text, line = told(error, file)
                raise ExecutedError(f"the example failed\n{text}", line or self.lineno) from error
        parts: list[nodes.Node] = []
        if "hide-code" not in self.options:
            parts.append(self.literal(code, "python"))
        if text := (written(output) + result).rstrip("\n"):
            parts.append(self.literal(text, "text", "output"))
        if html:
            parts.append(nodes.raw("", f'<div class="output">{html}</div>', format="html"))
        return [nodes.container("", *parts, *figures, classes=["executed"])]

    def result(self, value: object) -> tuple[str, str]:
        """Return what is shown of the last value: text, or HTML."""
        if "html" in self.options:
            render = getattr(value, "_repr_html_", None)
            if render is None:
                raise ExecutedError("the last value has no HTML to show", self.lineno)
            return "", render()
        text = "" if value is None else repr(value)
        return ("" if ADDRESS.search(text) else text), ""

    def figures(self, opened: list[Any]) -> list[nodes.Node]:
        """Save the figures, and return what shows them; each needs words for who cannot see it."""
        alts = self.options["alt"].split(" | ") if "alt" in self.options else []
        if len(alts) != len(opened):
            message = (
                f"the example makes {len(opened)} picture(s), and :alt: describes {len(alts)}; "
                "say what each shows, in words, with ' | ' between two"
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
            words, _ = self.parse_inline(self.options["caption"], lineno=self.lineno)
            return [nodes.figure("", *found, nodes.caption("", "", *words))]
        return found


class Console(Executed):
    """Run commands of the program, one a line: the command and its output."""

    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "exit-code": directives.nonnegative_int,
        "wide": directives.flag,  # lines that must not wrap, as those of a picture in letters
    }

    def shown(self) -> list[nodes.Node]:
        """Return each command and what it printed."""
        parts = [
            self.literal(self.transcript(command, self.first_line + number), "console", "console")
            for number, command in enumerate(self.content)
            if command.strip()
        ]
        wide = ["wide"] if "wide" in self.options else []
        return [nodes.container("", *parts, classes=["executed", *wide])]

    def transcript(self, command: str, line: int) -> str:
        """Run a command, and return it as typed and as answered."""
        words = shlex.split(command.removeprefix("$ "), comments=True)
        if not words or words[0] != "rosenblatt":
            raise ExecutedError(f"{command!r} is not a command of rosenblatt", line)
        expected = self.options.get("exit-code", 0)
        said = io.StringIO()
        with self.page.entered() as output, contextlib.redirect_stderr(said):
            try:
                code = run(words[1:])
            except Exception as error:
                trace = traceback.format_exc().rstrip()
                raise ExecutedError(f"{command!r} failed\n{trace}", line) from error
        if code != expected:
            message = f"{command!r} ended with {code}, not {expected}: {said.getvalue().strip()}"
            raise ExecutedError(message, line)
        # What a command that went well says beside its output is of the moment: progress, compiling.
        answer = written(output) + (said.getvalue() if code else "")
        return f"$ {command.removeprefix('$ ')}\n{answer}".rstrip("\n")


def show_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Make images of pictures, and forget the page: it has been read."""
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
    """End with an error if a block did, even where warnings are none."""
    if FAILED:
        app.statuscode = 1


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    mpl.use("agg")  # pictures are written, never shown
    PAGES.clear()
    FAILED.clear()
    app.add_config_value("executed_files", [], "env", [list])
    app.add_node(Picture)
    app.add_directive("example", Example)
    app.add_directive("console", Console)
    app.connect("doctree-read", show_pictures, priority=900)
    app.connect("build-finished", fail)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
