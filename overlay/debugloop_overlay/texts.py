"""What the areas of the panel say. Pure: a view in, paragraphs out; all foreign text is made visible here."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len

from debugloop.evidence.visible import visible
from debugloop_overlay.keys import KEYS, help_rows
from debugloop_overlay.languages.words import Words, count
from debugloop_overlay.palette import Role
from debugloop_overlay.paragraphs import Paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debugloop.session.actions import Action
    from debugloop.session.ledger import Verdict
    from debugloop.session.records import Steps
    from debugloop_overlay.snapshot import Snapshot
    from debugloop_overlay.view import View

Part: TypeAlias = tuple[str, Role]
"""A piece of a line and what it means."""

_MIB = 1_048_576
_GAP = " · "
_TITLE = " DEBUG LOGS "
_BAR_CELLS = 10
_MOST_REJECTIONS = 3
_MOST_UNKNOWN = 20
"""Ids that no hypothesis has, as a program wrote them, that are listed."""
_VERDICT_MARKS: dict[Verdict, Part] = {
    "open": ("?", "muted"),
    "confirmed": ("✓", "good"),
    "rejected": ("✗", "bad"),
    "inconclusive": ("~", "attention"),
}


def header(view: View, width: int) -> list[Paragraph]:
    """Title, run and for how long, what the agent is doing, the collector's port; the last ones give way first."""
    words, now = view.words, view.now
    run: list[Part] = [(words.run.format(run=view.seen.run), "strong")]
    elapsed: list[Part] = []
    if view.past:
        run.append((words.not_live.format(run=now.run), "attention"))
    elif view.elapsed is not None:
        elapsed.append((lasted(view.elapsed), "muted"))
    port: list[Part] = [(f"127.0.0.1:{now.port}", "muted")] if now.port and now.collector == "running" else []
    # an earlier run that is taken for the live one misleads more than an agent whose state is not told
    narrow = [run, [run[0], (words.not_live_short, "attention")]] if view.past else [[*run, _state(words, now)]]
    candidates = [[*run, *elapsed, _state(words, now), *port], [*run, *elapsed, _state(words, now)], *narrow]
    return [_header(next((said for said in candidates if _header_cells(said) <= width), candidates[-1]))]


def _state(words: Words, now: Snapshot) -> Part:
    if now.finished:
        return "○ " + words.finished, "muted"
    return {
        "working": ("● " + words.agent_working, "good"),
        "waiting": ("◆ " + words.agent_waiting, "attention"),
        "away": ("○ " + words.agent_away, "muted"),
    }[now.agent]


def _header(said: Sequence[Part]) -> Paragraph:
    return Paragraph.of((_TITLE, "title"), *(piece for part in said for piece in (("  ", "text"), part)))


def _header_cells(said: Sequence[Part]) -> int:
    return cell_len(_header(said).text)


def lasted(seconds: int) -> str:
    """A length of time: ``0:42``, ``12:03``, ``1:02:03``."""
    hours, minutes = seconds // 3_600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


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
    ways = ((True, True, True), (True, False, True), (False, False, True), (True, False, False), (False, False, False))
    candidates = [
        _counts(view, reason=reason, bar=bar) + (_press(view) if press else []) for reason, bar, press in ways
    ]
    return next((parts for parts in candidates if cell_len(_joined(parts)) + 4 <= width), candidates[-1])


def _counts(view: View, *, reason: bool, bar: bool) -> list[Part]:
    words, now, counts = view.words, view.now, view.seen.counts
    parts: list[Part] = [(count(words.events, counts.events), "strong" if counts.events else "muted")]
    if counts.malformed:
        parts.append((count(words.malformed, counts.malformed), "attention"))
    if view.past:  # the other counts are of the session or of the live run
        return parts
    if now.rejected:
        rejected = count(words.rejected, sum(times for _, times in now.rejected))
        latest = visible(now.latest[-1].code if now.latest else now.rejected[-1][0])
        parts.append((words.latest_reason.format(rejected=rejected, code=latest) if reason else rejected, "bad"))
    if now.sampled:
        parts.append((count(words.sampled, now.sampled), "attention"))
    if now.redacted:
        parts.append((count(words.redacted, now.redacted), "attention"))
    return [*parts, _cap(view, bar=bar)]


def _cap(view: View, *, bar: bool) -> Part:
    used, cap = view.now.bytes, view.cap
    filled = min(used * _BAR_CELLS // cap, _BAR_CELLS)
    drawn = "█" * filled + "░" * (_BAR_CELLS - filled) + " " if bar else ""
    if used >= cap:
        return drawn + view.words.cap_full, "bad"
    told = view.words.cap.format(percent=used * 100 // cap, cap=f"{cap / _MIB:.3g} MiB")
    return drawn + told, "muted"


def hypotheses(view: View) -> list[tuple[str, Paragraph]]:
    """The id and the line of each hypothesis: its verdict, how many events speak for it, and what it says.

    Those that events name and the ledger does not have come last.
    """
    words, heard = view.words, dict(view.seen.heard)
    known = {each.id for each in view.now.hypotheses}
    strangers = [name for name in heard if name and name not in known][:_MOST_UNKNOWN]
    rows = [
        (each.id, _VERDICT_MARKS[each.verdict], _verdict(words, each.verdict), each.text)
        for each in view.now.hypotheses
    ]
    rows += [(name, ("·", "muted"), words.not_in_ledger, "") for name in strangers]
    names = max((cell_len(visible(name)) for name, *_ in rows), default=0)
    verdicts = max((cell_len(verdict) for _, _, verdict, _ in rows), default=0)
    times = max((len(f"{heard.get(name, 0):,}") for name, *_ in rows), default=0)
    return [
        (
            name,
            Paragraph.of(
                (f"{_padded(visible(name), names)} ", "tag"),
                (f"{mark[0]} ", mark[1]),
                (f"{_padded(verdict, verdicts)} ", mark[1]),
                (f"{heard.get(name, 0):>{times},}\N{MULTIPLICATION SIGN} ", "strong" if heard.get(name) else "muted"),
                (visible(text), "text"),
                hang=4,
            ),
        )
        for name, mark, verdict, text in rows
    ]


def _padded(text: str, cells: int) -> str:
    return text + " " * (cells - cell_len(text))


def _verdict(words: Words, verdict: Verdict) -> str:
    return {
        "open": words.verdict_open,
        "confirmed": words.verdict_confirmed,
        "rejected": words.verdict_rejected,
        "inconclusive": words.verdict_inconclusive,
    }[verdict]


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
    by_hand = now.agent == "away" and now.press and not (now.press.delivered or now.finished)
    told = (
        words.away_by_hand.format(number=now.press.number) if now.press and by_hand else "",
        words.other_panel if now.other_panel else "",
        earlier,
    )
    paragraphs += [Paragraph.of(("! ", "attention"), (text, "text"), hang=2) for text in told if text]
    return paragraphs


def _rejection(words: Words, now: Snapshot, index: int = -1) -> Paragraph:
    rejection = now.latest[index]
    origin = f" {visible(rejection.origin)}" if rejection.origin else ""
    told = words.last_rejection.format(code=visible(rejection.code), origin=origin)
    mend = f" {visible(rejection.mend)}" if rejection.mend else ""
    return Paragraph.of(("! ", "attention"), (told, "attention"), (mend, "text"), hang=2)


def nothing_yet(view: View) -> list[Paragraph]:
    """What the log says while it is empty: what to check, where events go, and which were refused in this run."""
    words, now = view.words, view.now
    if now.collector == "running":
        where = words.nothing_yet_where.format(port=now.port)
    else:
        where = words.nothing_yet_down if now.collector == "down" else words.nothing_yet_none
    checks = [
        words.nothing_yet_restart,
        words.nothing_yet_page,
        where,
        words.nothing_yet_file.format(path=visible(view.log)),
    ]
    lines = [Paragraph.of((words.nothing_yet.format(run=view.seen.run), "strong"))]
    if now.finished:
        return lines
    lines += [Paragraph.of(("· ", "muted"), (text, "muted"), hang=2) for text in checks]
    if view.stale_rejection:
        return lines
    return lines + [_rejection(words, now, -1 - back) for back in range(min(len(now.latest), _MOST_REJECTIONS))]


def palette(words: Words, typed: str) -> list[tuple[str, Paragraph]]:
    """Every action of the key table that has all the words that were typed, with its keys and its help."""
    wanted = typed.casefold().split()
    rows = [(key, getattr(words, key.help)) for key in KEYS if key.help]
    found = [(key, told) for key, told in rows if all(word in f"{key.shown} {told}".casefold() for word in wanted)]
    width = max((cell_len(key.shown) for key, _ in rows), default=0)
    return [
        (key.action, Paragraph.of((f"{_padded(key.shown, width)}  ", "key"), (told, "text"), hang=width + 2))
        for key, told in found
    ]


def by_hand(view: View) -> str:
    """What a person pastes to an agent that is away: which command gives it the press."""
    words, press = view.words, view.now.press
    if press is None:
        return words.paste_run.format(session=view.session, run=view.now.run)
    return words.paste_press.format(
        session=view.session, run=press.run, number=press.number, action=action_name(words, press.action)
    )


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
    parts = [part for part in parts if part[0]]
    pieces = [piece for part in parts for piece in ((_GAP, "muted"), part)][1:]
    rest = width - cell_len(_joined(parts)) - 4
    if rest < 0:
        return [Paragraph.of(*pieces)]
    return [Paragraph.of(("── ", "rule"), *pieces, (" " + "─" * rest, "rule"))]


def _joined(parts: Sequence[Part]) -> str:
    return _GAP.join(text for text, _ in parts)
