"""``debugloop completion``: what a shell sources to complete our verbs and options."""

from __future__ import annotations

import click

from debugloop.cli.verb import Call, verb


@verb(example="debugloop completion bash > ~/.debugloop-completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(call: Call, shell: str) -> None:
    """Print the completion of a shell; source it in that shell's startup file."""
    from click.shell_completion import get_completion_class

    from debugloop.cli.program import COMPLETION, program

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 -- tells the type checkers
    source = kind(program, {}, "debugloop", COMPLETION).source()
    call.answer({"shell": shell, "source": source}, source)
