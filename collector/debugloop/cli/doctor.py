"""``debugloop doctor``: what keeps events from the log, and whether what was installed in a host answers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import click
import orjson

from debugloop.agent.hosts import NAMES, named
from debugloop.cli.verb import Call, verb
from debugloop.errors import EventsHindered, InstallationIncomplete

_SECONDS: Final = 60.0
_HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}},
}


@verb(example="debugloop doctor")
@click.argument("name", metavar="[HOST]", type=click.Choice(NAMES), required=False)
@click.option("--page", metavar="URL", help="Fetch this page of yours, and tell whether it may send events.")
@click.option("--user/--project", default=None, help="Which installation to look at; by default the one that is there.")
def command(call: Call, name: str | None, page: str | None, user: bool | None) -> None:
    """Tell what keeps events from the log, or check what was installed in a host. Changes nothing.

    Without HOST: whether the collector answers, whether the log has room, what was refused of late, and of a page its
    origin and its content security policy, with the directive to use. With HOST: whether every file holds what it
    must, and whether the MCP server and the hooks answer.
    """
    if name is None:
        _look_at_session(call, page)
    elif page is not None:
        raise click.UsageError("--page is about the session. Leave the host away.")
    else:
        _look_at_host(call, name, user=user)


def _look_at_session(call: Call, page: str | None) -> None:
    from debugloop.agent.reach import hindrances, hindrances_of_page

    session = call.open()
    problems = [*hindrances(session), *(hindrances_of_page(session, page) if page else ())]
    if problems:
        raise EventsHindered(tuple(problems))
    call.answer({"session": session.id, "page": page}, "Events reach the log.")


def _look_at_host(call: Call, name: str, *, user: bool | None) -> None:
    from debugloop.agent.hosts.host import Place
    from debugloop.agent.hosts.installer import is_there, missing

    host = named(name)
    project, home = (Place.of(call.folder, user=each) for each in (False, True))
    if user is None:
        user = is_there(call.settings, host, home) and not is_there(call.settings, host, project)
    place = home if user else project
    problems = [
        f"{path} {'does not hold what it must' if path.exists() else 'is not there'}." for path in missing(host, place)
    ]
    if name != "pi" and not _answers(place.command):
        problems.append(f"`{' '.join(place.command)} mcp` does not answer.")
    problems += [
        f"The hook `{event}` fails: {said}" for event in host.hooks if (said := _fails(name, event, place.root))
    ]
    if problems:
        raise InstallationIncomplete(name, tuple(problems), user)
    files = len({operation.path for operation in host.operations(place)})
    answer = {"host": name, "files": files, "answers": name != "pi", "hooks": list(host.hooks)}
    call.answer(answer, "All is well.")


def _answers(own: tuple[str, ...]) -> bool:
    """Whether the server answers a first greeting."""
    try:
        ran = subprocess.run(
            [*own, "mcp"], input=orjson.dumps(_HELLO) + b"\n", capture_output=True, timeout=_SECONDS, check=False
        )
        return bool(orjson.loads(ran.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "debugloop")
    except (OSError, subprocess.TimeoutExpired, IndexError, KeyError, orjson.JSONDecodeError):
        return False


def _fails(name: str, event: str, root: Path) -> str:
    """What is wrong with a hook; empty where it answers as it must."""
    from debugloop.agent.hosts.host import own_hook

    try:
        ran = subprocess.run(
            own_hook(name, event), input=b"{}", cwd=root, capture_output=True, timeout=_SECONDS, check=False
        )
        if ran.stdout:
            orjson.loads(ran.stdout)
    except (OSError, subprocess.TimeoutExpired, orjson.JSONDecodeError) as error:
        return f"{error}."
    return ran.stderr.decode("utf-8", "replace").strip() or (f"exit code {ran.returncode}." if ran.returncode else "")
