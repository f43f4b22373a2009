"""The field for a note. A module of its own, as Textual's input is loaded only when somebody writes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.widgets import Input

from debugloop.evidence.visible import visible

if TYPE_CHECKING:
    from textual import events

LONGEST: Final = 2_000


class Note(Input):
    """One line of text. Enter keeps it, Esc leaves it as it was."""

    DEFAULT_CSS = "Note { width: 1fr; }"

    class Kept(Message):
        """The person ended the note with Enter."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, prompt: str, text: str) -> None:
        super().__init__(value=text, placeholder=prompt, max_length=LONGEST, compact=True, id="note")

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor(visible(event.text.rstrip("\r\n"))[: LONGEST - len(self.value)])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Kept(self.value.strip()))
