from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from debugloop.agent import loop

if TYPE_CHECKING:
    from debugloop.session.session import Session
    from debugloop.settings import Settings


@pytest.fixture
def started(settings: Settings, workspace: Path) -> Session:
    """A session whose collector serves."""
    return loop.start(settings, workspace, environment={}).session
