"""Every word of the panel. A language is one instance of Words, so that none can lack a sentence."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Forms: TypeAlias = tuple[str, str]
"""A text for one and for several of something, each with ``{n}``. Languages without the difference repeat it."""


class Words(NamedTuple):  # a dataclass of so many fields takes ten milliseconds of the panel's start to make
    """The words of one language. ``{name}`` marks what is filled in; nothing filled in is ever read as markup."""

    code: str

    # the actions and what they ask
    reproduced: str
    resolved: str
    clear: str
    ask_no_events: str
    ask_resolved: str
    ask_clear: str
    yes_no: str

    # what the chosen action will do
    hint_reproduced: str
    hint_no_events: str
    hint_resolved: str
    hint_clear: str
    hint_finished: str

    # what was done
    sent: str
    sent_waiting: str
    sent_working: str
    sent_away: str
    sent_no_events: str
    cleared: str
    already_sent: str
    taken_back: str
    not_sent: str
    not_stored: str

    # the note
    note_prompt: str
    note_kept: str
    note_dropped: str

    # the header
    run: str
    agent_working: str
    agent_waiting: str
    agent_away: str
    finished: str

    # the counts
    events: Forms
    malformed: Forms
    rejected: Forms
    latest_reason: str
    sampled: Forms
    redacted: Forms
    cap: str
    cap_full: str
    press_unread: str
    press_handed: str
    press_settled: str

    # the log
    log: str
    following: str
    paused: str
    new_rows: Forms
    resume: str
    earlier_rows: Forms
    nothing_yet: str
    nothing_yet_restart: str
    nothing_yet_page: str
    nothing_yet_where: str
    nothing_yet_down: str
    nothing_yet_none: str
    nothing_yet_file: str
    malformed_row: str
    rest_of_row: str
    torn: str
    not_json: str
    not_an_object: str
    bom: str
    nul: str
    invalid_utf8: str
    too_long: str
    too_deep: str
    over_cap: str

    # what is searched, left out, typed and copied
    shown_of: str
    nothing_shown: str
    searching: str
    no_match: str
    folded: str
    too_slow: str
    search_prompt: str
    filter_prompt: str
    goto_prompt: str
    wrong_pattern: str
    wrong_place: str
    no_error: str
    row_chosen: str
    details: str
    copied: str
    asked_terminal: str
    message_word: str
    json_word: str
    times_clock: str
    times_run: str
    times_row: str
    times_off: str

    # the steps
    steps: str
    no_steps: str
    steps_over_http: str
    more_lines: Forms

    # states that must be told
    collector_down: str
    collector_starting: str
    collector_failed: str
    log_gone: str
    log_full: str
    last_rejection: str
    other_panel: str
    problem: str
    too_small: str

    # help
    help: str
    help_keys: str
    help_session: str
    help_directory: str
    help_log: str
    help_endpoint: str
    help_rejections: str
    help_none: str
    key_choose: str
    key_run: str
    key_reproduced: str
    key_resolved: str
    key_clear: str
    key_note: str
    key_scroll: str
    key_page: str
    key_ends: str
    key_follow: str
    key_row: str
    key_half_page: str
    key_search: str
    key_match: str
    key_filter: str
    key_hypothesis: str
    key_level: str
    key_error: str
    key_details: str
    key_copy: str
    key_goto: str
    key_wrap: str
    key_sideways: str
    key_times: str
    key_fold: str
    key_steps: str
    key_revive: str
    key_language: str
    key_help: str
    key_leave: str
    key_quit: str
    short_note: str
    short_follow: str
    short_search: str
    short_filter: str
    short_details: str
    short_steps: str
    short_help: str
    short_quit: str

    # choosing a session
    choose_title: str
    choose_hint: str
    choose_run: str

    # the run that is shown
    not_live: str
    not_live_short: str
    hint_past: str
    no_run_before: str
    no_run_after: str
    run_gone_on: str
    looking: str
    failed: str
    nothing_in_run: str

    # two runs compared
    compared: str
    compared_events: str
    compared_changed: str
    compared_new: str
    compared_gone: str
    compared_count: str
    compared_first: str
    compared_same: Forms
    compared_more: Forms
    compared_values: Forms
    compared_alike: str
    no_location: str
    no_value: str

    # the hypotheses
    hypotheses: str
    no_hypotheses: str
    not_in_ledger: str
    verdict_open: str
    verdict_confirmed: str
    verdict_rejected: str
    verdict_inconclusive: str

    # the palette
    palette: str
    palette_none: str
    pick: str
    hint_hypothesis: str
    hint_palette: str

    # handing over by hand
    sending: str
    away_by_hand: str
    handed_over: str
    paste_press: str
    paste_run: str

    # keys beside the log
    key_hypotheses: str
    key_run_before: str
    key_run_after: str
    key_compare: str
    key_hand_over: str
    key_palette: str


def count(forms: Forms, n: int) -> str:
    """``n`` of something, with the form that the number wants."""
    return forms[n != 1].format(n=f"{n:,}")
