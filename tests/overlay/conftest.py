from __future__ import annotations

import pytest

from debugloop.session.session import Session
from tests.overlay.house import append, publish
from tests.overlay.log_house import MANY


@pytest.fixture
def full(session: Session) -> Session:
    """A session whose run has the forty rows."""
    publish(session)
    append(session, *MANY)
    return session
