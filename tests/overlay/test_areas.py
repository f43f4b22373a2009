from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debugloop_overlay.areas import LEAST_HEIGHT, Areas, share

MANY = st.integers(0, 2_000)


@given(st.integers(LEAST_HEIGHT, 200), st.integers(1, 2_000), MANY, st.integers(1, 2_000), MANY, st.integers(1, 2_000))
def test_the_areas_fill_the_height_and_the_log_is_always_seen(
    height: int, steps: int, hypotheses: int, status: int, notice: int, hint: int
) -> None:
    areas = share(height, steps=steps, hypotheses=hypotheses, status=status, notice=notice, hint=hint)
    assert 3 + areas.steps + areas.hypotheses + areas.log + areas.status + areas.notice + areas.hint == height
    assert areas.log >= 1
    assert areas.status >= 1
    assert areas.hint >= 1
    assert 0 <= areas.steps <= steps
    assert 0 <= areas.hypotheses <= hypotheses
    assert areas.steps + areas.hypotheses <= areas.log + 1
    assert areas.steps
    assert areas.notice <= notice


def test_where_there_is_room_everything_has_what_it_wants() -> None:
    roomy = share(24, steps=4, hypotheses=3, status=1, notice=2, hint=1)
    assert roomy == Areas(steps=4, hypotheses=3, log=10, status=1, notice=2, hint=1)


def test_the_smallest_terminal_shows_something_of_everything() -> None:
    least = share(10, steps=60, hypotheses=60, status=1, notice=9, hint=1)
    assert least == Areas(steps=2, hypotheses=0, log=2, status=1, notice=1, hint=1)


def test_many_steps_leave_room_for_the_hypotheses() -> None:
    crowded = share(24, steps=60, hypotheses=60, status=1, notice=0, hint=1)
    assert crowded == Areas(steps=7, hypotheses=3, log=9, status=1, notice=0, hint=1)
