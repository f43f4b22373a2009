"""A list to choose from: by a click, and where it is marked by the arrows and Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from debugloop_overlay.paragraphs import Paragraph
from debugloop_overlay.widgets.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class Picker(Lines):
    """Items, each a paragraph, one of them marked; moving moves the mark, and the mark is always in sight."""

    class Chosen(Message):
        """The person chose the item of this index."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, marked: bool, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marked = marked
        self._items: tuple[Paragraph, ...] = ()
        self.index = 0

    def offer(self, items: Sequence[Paragraph]) -> None:
        """Show these items; the mark stays on the index that it is on, if there is one."""
        self._items = tuple(items)
        self.index = max(min(self.index, len(self._items) - 1), 0)
        self._tell()

    def _tell(self) -> None:
        if not self._marked:
            self.show(self._items)
            return
        self.show(
            Paragraph((("▸ ", "key") if index == self.index else ("  ", "text"), *item.parts), item.hang + 2)
            for index, item in enumerate(self._items)
        )

    def move(self, lines: int) -> None:
        """Move the mark, up where negative; without one, scroll."""
        if not self._marked:
            super().move(lines)
            return
        self.index = max(min(self.index + lines, len(self._items) - 1), 0)
        self._tell()
        self.lines_at(self._width)
        of_item = [line for line, item in enumerate(self._item_of_line()) if item == self.index]
        if of_item:
            first = self._first()
            beyond = max(of_item[-1] - first - self._height + 1, 0)
            super().move(min(of_item[0] - first, 0) or min(beyond, of_item[0] - first))

    def go_to_start(self) -> None:
        self.move(-len(self._items))

    def go_to_end(self) -> None:
        self.move(len(self._items))

    def _item_of_line(self) -> list[int]:
        items: list[int] = []
        for _, line in self._lines:
            items.append((items[-1] if items else -1) + (line == 0))
        return items

    def on_click(self, event: events.Click) -> None:
        event.stop()
        of_line = self._item_of_line()
        line = self._first() + event.y
        if line < len(of_line):
            self.index = of_line[line]
            self._tell()
            self.post_message(self.Chosen(self.index))
