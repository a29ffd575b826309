"""A directive that describes every command of the program, from the program itself.

``{commands}`` makes a section for each command: what it does, how it is called, and a list of its
arguments and options, in the words of ``--help``. It asks the objects that parse the command line, so
the reference cannot say anything else than they do.
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
    """The commands of the program, a section each."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, in the order of ``rosenblatt --help``."""
        for source in Path(rosenblatt.cli.__file__).parent.rglob("*.py"):
            self.env.note_dependency(str(source))
        group: Any = typer.main.get_command(program)
        return [section(self, name, command) for name, command in group.commands.items()]


def section(directive: SphinxDirective, name: str, command: Any) -> nodes.section:
    """Return what there is to say of one command."""
    context = command.context_class(command, info_name=f"rosenblatt {name}")
    usage = command.get_usage(context).removeprefix("Usage: ")
    place = f"rosenblatt {name}".replace(" ", "-")
    found = nodes.section("", nodes.title("", name), ids=[place], names=[name])
    directive.state.document.note_explicit_target(found)
    found += [nodes.paragraph("", part) for part in paragraphs(command.help)]
    found += nodes.literal_block(usage, usage, language="text")
    for kind, title in (("argument", "Arguments"), ("option", "Options")):
        records = [
            one.get_help_record(context) for one in command.params if one.param_type_name == kind
        ]
        if shown := [record for record in records if record]:
            found += [nodes.rubric("", title), listed(shown)]
    found += [nodes.paragraph("", part) for part in paragraphs(command.epilog)]
    kinds = getattr(command, "commands", {})  # of a command that has commands of its own
    found += [section(directive, f"{name} {kind}", one) for kind, one in kinds.items()]
    return found


def paragraphs(text: str | None) -> list[str]:
    """Return the paragraphs of a help text, each on one line."""
    return [" ".join(part.split()) for part in (text or "").split("\n\n")]


def listed(records: list[tuple[str, str]]) -> nodes.definition_list:
    """Return a list of names and what they mean."""
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
