"""Collectors end as users end them, so that what they ran is measured too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from debugloop.ingest import daemon
from debugloop.session.endpoint import Endpoint
from debugloop.session.session import Session


@pytest.fixture
def stopped(session: Session) -> Iterator[None]:
    yield
    if session.layout.directory.exists():
        daemon.stop(session)


@pytest.fixture
def known(session: Session) -> Iterator[Endpoint]:
    yield daemon.ensure(session)
    daemon.stop(session)
