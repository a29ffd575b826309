"""The ``{commands}`` directive: the command-line reference, generated from the program.

Each command gets a section with its description, usage, arguments and options, worded as in ``--help``.
They come from the objects that parse the command line, so the reference cannot differ from the program.
"""

from pathlib import Path
from typing import Any

import typer.main
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import rosenblatt.cli
from rosenblatt.cli.app import app as program


class Commands(SphinxDirective):
    """One section per command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections in the order of ``rosenblatt --help``."""
        for source in Path(rosenblatt.cli.__file__).parent.rglob("*.py"):
            self.env.note_dependency(str(source))
        group: Any = typer.main.get_command(program)
        return [section(self, name, command) for name, command in group.commands.items()]


def section(directive: SphinxDirective, name: str, command: Any) -> nodes.section:
    """Return the section of one command, with its subcommands."""
    context = command.context_class(command, info_name=f"rosenblatt {name}")
    usage = command.get_usage(context).removeprefix("Usage: ")
    anchor = f"rosenblatt {name}".replace(" ", "-")
    found = nodes.section("", nodes.title("", name), ids=[anchor], names=[name])
    directive.state.document.note_explicit_target(found)
    found += [nodes.paragraph("", part) for part in paragraphs(command.help)]
    found += nodes.literal_block(usage, usage, language="text")
    for kind, title in (("argument", "Arguments"), ("option", "Options")):
        records = [
            param.get_help_record(context)
            for param in command.get_params(context)
            if param.param_type_name == kind and param.name != "help"
        ]
        if shown := [record for record in records if record]:
            found += [nodes.rubric("", title), definition_list(shown)]
    found += [nodes.paragraph("", part) for part in paragraphs(command.epilog)]
    subcommands = getattr(command, "commands", {})
    found += [section(directive, f"{name} {sub}", part) for sub, part in subcommands.items()]
    return found


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text, each on one line."""
    return [" ".join(part.split()) for part in (text or "").split("\n\n")]


def definition_list(records: list[tuple[str, str]]) -> nodes.definition_list:
    """Return the list of names and their meanings."""
    items = [
        nodes.definition_list_item(
            "",
            nodes.term("", "", nodes.literal("", name)),
            nodes.definition("", nodes.paragraph("", meaning)),
        )
        for name, meaning in records
    ]
    return nodes.definition_list("", *items)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
