from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debugloop_overlay.areas import LEAST_HEIGHT, Areas, share

MANY = st.integers(0, 2_000)


@given(st.integers(LEAST_HEIGHT, 200), st.integers(1, 2_000), st.integers(1, 2_000), MANY, st.integers(1, 2_000))
def test_the_areas_fill_the_height_and_the_log_is_always_seen(
    height: int, steps: int, status: int, notice: int, hint: int
) -> None:
    areas = share(height, steps=steps, status=status, notice=notice, hint=hint)
    assert 3 + areas.steps + areas.log + areas.status + areas.notice + areas.hint == height
    assert areas.log >= 1
    assert areas.status >= 1
    assert areas.hint >= 1
    assert 0 <= areas.steps <= steps
    assert areas.log >= areas.steps or areas.steps <= areas.log + 1
    assert areas.notice <= notice


def test_where_there_is_room_everything_has_what_it_wants() -> None:
    assert share(24, steps=5, status=1, notice=2, hint=1) == Areas(steps=5, log=12, status=1, notice=2, hint=1)


def test_the_smallest_terminal_shows_something_of_everything() -> None:
    assert share(10, steps=60, status=1, notice=9, hint=1) == Areas(steps=2, log=2, status=1, notice=1, hint=1)
