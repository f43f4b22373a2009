"""What every part of the panel stands on: one View, made anew at each change, and the board that shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import App

from debugloop.evidence.visible import visible
from debugloop.session.state import now_ms
from debugloop_overlay.view import View
from debugloop_overlay.widgets.board import Board

if TYPE_CHECKING:
    from collections.abc import Callable

    from debugloop.session.session import Session
    from debugloop_overlay.languages.words import Words
    from debugloop_overlay.paragraphs import Paragraph
    from debugloop_overlay.view import Reading


class Stage(App[None]):
    """Holds the state of the panel of one session. ``clock`` gives milliseconds since the epoch."""

    def __init__(self, session: Session, words: Words, clock: Callable[[], int] = now_ms) -> None:
        super().__init__(ansi_color=True)
        self.session = session
        layout = session.layout
        self._base = View(
            words, visible(session.id), str(layout.directory), str(layout.log), session.settings.log_bytes
        )
        self._feedback: Callable[[Words], str] | None = None
        self._collector: Callable[[Words], str] | None = None
        self._old_rejections: tuple[object, ...] = ()
        self._clock = clock
        self._board = Board(self._base)

    def _show(self, **changes: object) -> None:
        """Change the view and show it; a panel that is closing has nothing to show it on any more."""
        self._base = replace(self._base, **changes)  # type: ignore[arg-type] # the fields of View, by name
        words, now = self._base.words, self._base.now
        if not self._board.is_attached:
            return
        self._board.show(
            replace(
                self._base,
                feedback=self._feedback(words) if self._feedback else "",
                collector=self._collector(words) if self._collector else "",
                stale_rejection=now.latest[-1:] == self._old_rejections,
                elapsed=None if now.began is None or now.finished else max(self._clock() - now.began, 0) // 1000,
            )
        )

    def _tell(self, text: Callable[[Words], str] | None, **changes: object) -> None:
        """Tell the person something, in whatever language is chosen from now on; change the view, too."""
        self._feedback = text
        self._show(**changes)

    def _read(self, what: Reading, text: tuple[Paragraph, ...] = ()) -> None:
        """Read this in place of the log; once more, and the log is back."""
        self._board.picker.index = 0
        self._show(reading=None if self._base.reading == what else what, text=text, typed="")
        self._board.reader.go_to_start()
