"""``debugloop status``: where a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debugloop.agent.stage import stage
from debugloop.cli.verb import Call, verb
from debugloop.evidence.visible import visible
from debugloop.session import actions, collector_file, endpoint, files, runs
from debugloop.session import session as sessions

if TYPE_CHECKING:
    from debugloop.session.session import Session


@verb(example="debugloop status")
def command(call: Call) -> None:
    """Show where the session stands: run, collector, events, losses, agent, panel. Changes nothing."""
    status = _status(call.open())
    call.answer(status, "\n".join(f"{name:<10} {text}" for name, text in _lines(status)))


def _status(session: Session) -> dict[str, Any]:
    layout = session.layout
    state = session.state()
    run, rows = runs.read(session, redacting=False)
    address = endpoint.load(layout)
    collector = collector_file.load(layout)
    running = collector_file.running(layout)
    log = files.signature(layout.log)
    return {
        "session": session.id,
        "workspace": state.workspace,
        "directory": str(layout.directory),
        "mode": state.mode,
        "stage": stage(state, actions.presses(session)),
        "run": run,
        "collector": {
            "running": running,
            "port": address.port if address else None,
            # it forgets its pid as it ends, unless it was killed
            "crashed": not running and collector.pid is not None,
        },
        "events": runs.count_events(rows),
        "malformed": sum(row.malformed is not None for row in rows),
        "rejected": collector.rejected,
        "latest": [{"code": each.code, "origin": each.origin, "mend": each.mend} for each in collector.latest[-3:]],
        "sampled": collector.sampled,
        "sampled_keys": collector.sampled_keys,
        "redacted": collector.redacted,
        "redact": collector.redact,
        "sampling": collector.sampling,
        "bytes": log[2] if log else 0,
        "cap": session.settings.log_bytes,
        "agent": sessions.agent_state(session),
        "panel": sessions.panel_state(session),
        "steps": state.steps.to_json() if state.steps else None,
        "unread": [
            {"press": each.number, "action": each.action, "run": each.run}
            for each in actions.unread(session)
            if not each.delivered
        ],
    }


def _lines(status: dict[str, Any]) -> list[tuple[str, str]]:
    malformed = f", {status['malformed']} of them malformed" if status["malformed"] else ""
    lines = [
        ("session", status["session"]),
        ("workspace", visible(status["workspace"])),
        ("mode", f"{status['mode']}, run {status['run']}"),
        ("stage", status["stage"]),
        ("collector", _collector(status["collector"])),
        ("events", f"{status['events']}{malformed}; {status['bytes']:,} of {status['cap']:,} bytes"),
        ("agent", status["agent"]),
        ("panel", status["panel"]),
    ]
    if status["rejected"] or status["sampled"]:
        counted = [f"{count} {visible(code)}" for code, count in status["rejected"].items()]
        lines.append(
            ("not stored", ", ".join([*counted, *([f"{status['sampled']} sampled"] if status["sampled"] else [])]))
        )
    if status["sampled_keys"]:
        lines.append(("", "most from: " + ", ".join(map(visible, list(status["sampled_keys"])[:3]))))
    if status["redacted"] or not status["redact"]:
        lines.append(("secrets", f"{status['redacted']} hidden" + ("" if status["redact"] else "; redaction is off")))
    mends = dict.fromkeys(each["mend"] for each in status["latest"] if each["mend"])
    lines += [("", f"to mend: {visible(mend)}") for mend in mends]
    if steps := status["steps"]:
        title = [visible(steps["title"])] if steps["title"] else []
        listed = [*title, *(f"{number}. {visible(step)}" for number, step in enumerate(steps["steps"], 1))]
        lines += [("" if place else "steps", text) for place, text in enumerate(listed)]
    lines += [("press", f"{each['press']}, {each['action']} in run {each['run']}, unread") for each in status["unread"]]
    return lines


def _collector(collector: dict[str, Any]) -> str:
    if collector["running"]:
        return f"running on port {collector['port']}"
    if collector["port"] is None:
        return "none; `debugloop start` starts one"
    how = "it was killed or crashed" if collector["crashed"] else "it was stopped"
    return f"not running, {how}; `debugloop start` brings it back on port {collector['port']}"
