"""What the areas of the panel say. Pure: a view in, paragraphs out; all foreign text is made visible here."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len

from debugloop.evidence.visible import visible
from debugloop_overlay.keys import help_rows
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.palette import Role
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop.session.actions import Action
    from debugloop.session.records import Steps
    from debugloop_overlay.snapshot import Snapshot
    from debugloop_overlay.view import View

Part: TypeAlias = tuple[str, Role]
"""A piece of a line and what it means."""

_MIB = 1_048_576
_GAP = " · "


def header(words: Words, now: Snapshot) -> list[Paragraph]:
    """Title, run and what the agent is doing."""
    if now.finished:
        state = ("○ " + words.finished, "muted")
    else:
        state = {
            "working": ("● " + words.agent_working, "good"),
            "waiting": ("◆ " + words.agent_waiting, "attention"),
            "away": ("○ " + words.agent_away, "muted"),
        }[now.agent]
    run = (words.run.format(run=now.run), "strong")
    return [Paragraph.of((" DEBUG LOGS ", "title"), ("  ", "text"), run, ("  ", "text"), state)]


@lru_cache(maxsize=2)
def steps(words: Words, published: Steps | None) -> list[Paragraph]:
    """The title and each numbered step, each a line of its own."""
    if published is None:
        return [Paragraph.of((words.no_steps, "muted"))]
    lines = [Paragraph.of((visible(published.title or words.steps), "strong"))]
    width = len(str(len(published.steps)))
    lines += [
        Paragraph.of((f" {number:>{width}}. ", "key"), (visible(step), "text"), hang=width + 3)
        for number, step in enumerate(published.steps, 1)
    ]
    if published.source == "http":
        lines.append(Paragraph.of((f" ! {words.steps_over_http}", "attention"), hang=3))
    return lines


def status(view: View, width: int) -> list[Part]:
    """The counts, and what became of the latest press; what does not fit is left to the notices and the help."""
    press, reasons = _press(view), True
    parts = _counts(view, reasons=reasons) + press
    for reasons, kept in ((False, press), (True, []), (False, [])):
        if cell_len(_joined(parts)) <= width:
            break
        parts = _counts(view, reasons=reasons) + kept
    return parts


def _counts(view: View, *, reasons: bool) -> list[Part]:
    words, now, counts, cap = view.words, view.now, view.counts, view.cap
    parts = [(count(words.events, counts.events), "strong" if counts.events else "muted")]
    if counts.malformed:
        parts.append((count(words.malformed, counts.malformed), "attention"))
    if now.rejected:
        told = ", ".join(f"{visible(code)} {times:,}" for code, times in now.rejected)
        rejected = count(words.rejected, sum(times for _, times in now.rejected))
        parts.append((f"{rejected} ({told})" if reasons else rejected, "bad"))
    if now.sampled:
        parts.append((count(words.sampled, now.sampled), "attention"))
    if now.bytes >= cap:
        return [*parts, (words.cap_full, "bad")]
    percent = words.cap.format(percent=now.bytes * 100 // cap, cap=f"{cap / _MIB:.3g} MiB")
    return [*parts, (percent, "muted")]


def _press(view: View) -> list[Part]:
    words, press = view.words, view.now.press
    if press is None:
        return []
    told = words.press_settled if press.settled else words.press_handed if press.delivered else words.press_unread
    return [(told.format(number=press.number, action=action_name(words, press.action)), "good")]


def action_name(words: Words, action: Action) -> str:
    """What a press is called; that no probe fired is told in the place of Reproduced."""
    return {"resolved": words.resolved, "clear": words.clear}.get(action, words.reproduced)


def notices(view: View, earlier: str) -> list[Paragraph]:
    """States that the person must know of, the gravest first. ``earlier`` says that rows are no longer kept, if so."""
    words, now = view.words, view.now
    bad: list[str] = []
    if now.problem:
        bad.append(words.problem.format(reason=visible(now.problem)))
    if view.collector:
        bad.append(view.collector)
    if now.gone and not now.finished and not now.problem:
        bad.append(words.log_gone)
    if now.bytes >= view.cap:
        bad.append(words.log_full)
    paragraphs = [Paragraph.of(("! ", "bad"), (text, "bad"), hang=2) for text in bad]
    if now.latest and not view.stale_rejection:
        paragraphs.append(_rejection(words, now))
    paragraphs += [
        Paragraph.of(("! ", "attention"), (text, "text"), hang=2)
        for text in (words.other_panel if now.other_panel else "", earlier)
        if text
    ]
    return paragraphs


def _rejection(words: Words, now: Snapshot, index: int = -1) -> Paragraph:
    rejection = now.latest[index]
    origin = f" {visible(rejection.origin)}" if rejection.origin else ""
    told = words.last_rejection.format(code=visible(rejection.code), origin=origin)
    mend = f" {visible(rejection.mend)}" if rejection.mend else ""
    return Paragraph.of(("! ", "attention"), (told, "attention"), (mend, "text"), hang=2)


def nothing_yet(words: Words, now: Snapshot, log_path: str) -> list[Paragraph]:
    """What the log says while it is empty: what to check, and where events go."""
    texts = [words.nothing_yet.format(run=now.run), words.nothing_yet_restart]
    if now.port:
        texts.append(words.nothing_yet_where.format(port=now.port))
    texts.append(words.nothing_yet_file.format(path=visible(log_path)))
    return [Paragraph.of((text, "muted" if line else "strong")) for line, text in enumerate(texts)]


def help_text(view: View) -> list[Paragraph]:
    """The help: every key, where the session lies, and the latest rejections in full."""
    words, now = view.words, view.now
    keys = help_rows(words)
    width = max(len(shown) for shown, _ in keys)
    lines = [Paragraph.of((words.help_keys, "strong"))]
    lines += [Paragraph.of((f" {shown:<{width}}  ", "key"), (told, "text"), hang=width + 3) for shown, told in keys]
    facts = [(words.help_directory, view.directory), (words.help_log, view.log)]
    if now.port:
        facts.append((words.help_endpoint, f"127.0.0.1:{now.port}"))
    lines += [Paragraph.of(), Paragraph.of((words.help_session, "strong"))]
    lines += [Paragraph.of((f" {name} ", "muted"), (visible(text), "text"), hang=2) for name, text in facts]
    lines += [Paragraph.of(), Paragraph.of((words.help_rejections, "strong"))]
    rejections = [_rejection(words, now, index) for index in range(len(now.latest) - 1, -1, -1)]
    return lines + (rejections or [Paragraph.of((f" {words.help_none}", "muted"))])


def rule(width: int, parts: Sequence[Part]) -> list[Paragraph]:
    """A line across the panel with words in it; where they are too long for that, the words alone."""
    pieces = [piece for part in parts for piece in ((_GAP, "muted"), part)][1:]
    rest = width - cell_len(_joined(parts)) - 4
    if rest < 0:
        return [Paragraph.of(*pieces)]
    return [Paragraph.of(("── ", "rule"), *pieces, (" " + "─" * rest, "rule"))]


def _joined(parts: Sequence[Part]) -> str:
    return _GAP.join(text for text, _ in parts)
