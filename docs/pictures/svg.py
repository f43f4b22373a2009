"""The screen of the panel as an SVG picture: the same bytes on every machine, no script and nothing from elsewhere."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from rich.cells import cell_len, get_character_cell_size

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import App

_CELL: Final = (8.4, 18)
_EDGE: Final = 14
_PAPER, _INK = "#1b1e24", "#d7dae0"
_COLOURS: Final = {
    "red": "#f0717b",
    "green": "#9ccc65",
    "yellow": "#ffcb6b",
    "cyan": "#6fd0e0",
    "magenta": "#d79bf0",
}
_FONT: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"


def picture(app: App[Any], title: str) -> str:
    """What ``app`` shows now."""
    strips = app.screen._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] -- Textual's own pictures come from here
    width, height = app.size
    size = width * _CELL[0] + 2 * _EDGE, height * _CELL[1] + 2 * _EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.1f} {size[1]:.1f}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{_PAPER}"/>',
        f'<g font-family="{_FONT}" font-size="14" fill="{_INK}" xml:space="preserve">',
    ]
    for y, strip in enumerate(strips):
        x = 0
        for segment in strip:
            # letters of one width at a time: a font that has other widths must not shift what follows
            for _, letters in groupby(segment.text, get_character_cell_size):
                text = "".join(letters)
                lines += _drawn(text, segment.style, _EDGE + x * _CELL[0], _EDGE + y * _CELL[1])
                x += cell_len(text)
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _drawn(said: str, style: Style | None, x: float, y: float) -> list[str]:
    """One piece of a line: its background where it has one, and its text, exactly as wide as its cells."""
    width = cell_len(said) * _CELL[0]
    ink, paper = _INK, ""
    if style and style.color:
        ink = _COLOURS.get(style.color.name, _INK)
    if style and style.reverse:
        ink, paper = _PAPER, ink
    drawn = [f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_CELL[1]}" fill="{paper}"/>'] if paper else []
    text = said.strip()
    if text:
        x += (len(said) - len(said.lstrip())) * _CELL[0]
        width -= (len(said) - len(text)) * _CELL[0]
        look = "" if ink == _INK else f' fill="{ink}"'
        look += ' font-weight="bold"' if style and style.bold else ""
        look += ' opacity="0.6"' if style and style.dim else ""
        drawn.append(
            f'<text x="{x:.1f}" y="{y + 13.5:.1f}" textLength="{width:.1f}"{look} '
            f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )
    return drawn
