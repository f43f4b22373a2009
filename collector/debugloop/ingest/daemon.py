"""Starting, finding and stopping the collector of a session, from any process, without importing aiohttp.

The parent takes the collector's lock and binds its port, so what can go wrong is said where somebody reads it,
and clients may connect at once; both go to a detached child by descriptor. The lock lives exactly as long as that
child. The token is in no argument and in no environment: the child reads it from the session's files.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import debugloop
from debugloop.errors import CollectorFailed, CollectorRuns, LockBusy
from debugloop.session import collector_file, endpoint
from debugloop.session.journal import utc_now
from debugloop.session.locks import Lock, hold
from debugloop.session.pause import made_for_good

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from debugloop.session.endpoint import Endpoint
    from debugloop.session.session import Session

START_SECONDS: Final = 20.0
"""How long a starting collector may take until it serves, on a machine that is busy."""
TERM_SECONDS: Final = 5.0
"""How long a collector may take to end by itself before it is killed."""
_STOP: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""The signals that end a collector."""
_LOOK_SECONDS: Final = 0.01


def ensure(session: Session) -> Endpoint:
    """Attach to the session's collector, or start one detached; gives its endpoint once it serves.

    The address of before is used again if the session has one. Raises PortTaken, NoFreePort, CollectorFailed, or
    what is wrong with the session's files.
    """
    deadline = time.monotonic() + START_SECONDS
    while True:
        if collector_file.running(session.layout):
            if found := _serving(session):
                return found
        else:
            with suppress(LockBusy), hold(session.layout.collector_lock) as lock:
                return _start(session, lock)
        if time.monotonic() > deadline:
            raise CollectorFailed("another process holds its lock but does not serve")
        time.sleep(_LOOK_SECONDS)


def renew(session: Session) -> Endpoint:
    """Give the session a new address, whatever became of the old one, and serve on it. The old URL is dead for ever."""
    lock = _take(session)
    with lock:
        return _start(session, lock, renew=True)


def stop(session: Session) -> bool:
    """End the collector, with what it accepted on file; gives whether one ran. Its address stays the session's.

    Raises LockBusy if it does not end even when killed.
    """
    if not collector_file.running(session.layout):
        return False
    _take(session).release()
    return True


def serve(session: Session, ready: Callable[[Endpoint], None]) -> None:
    """Serve in this process until a signal. ``ready`` gets the endpoint once it serves. Raises CollectorRuns."""
    try:
        lock = hold(session.layout.collector_lock)
    except LockBusy as error:
        known = endpoint.load(session.layout)
        raise CollectorRuns(known.port if known else None) from error
    with lock:
        known, listener = _listen(session)
        with listener:
            run(session, known, listener, lambda: ready(known))


def run(session: Session, known: Endpoint, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve on a socket that listens, in this process, which holds the lock.

    ``ready`` is called before what takes long to import is there: who connects from then on is answered soon.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP)  # until somebody heeds them
    started = partial(replace, pid=os.getpid(), started=utc_now())
    collector_file.update(session.layout, session.settings, started)
    ready()
    # aiohttp builds a context with every CA certificate of the system as it is imported, a third of the time that
    # takes, and this process speaks no TLS; what an import makes stays, so collecting meanwhile finds no garbage
    nothing = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.devnull}
    before = {name: os.environ.get(name) for name in nothing}
    os.environ.update(nothing)
    try:
        with made_for_good():
            from debugloop.ingest import process
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    process.run(session, known, listener, _STOP)


def _take(session: Session) -> Lock:
    """End whatever collector runs and hold its lock."""
    started = time.monotonic()
    signalled = False
    while True:
        try:
            return hold(session.layout.collector_lock, _LOOK_SECONDS)
        except LockBusy:
            waited = time.monotonic() - started
            if waited > 2 * TERM_SECONDS:
                raise
        # believed only while the lock is held; None while a collector starts
        pid = collector_file.load(session.layout).pid
        if pid and (not signalled or waited > TERM_SECONDS):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if signalled else signal.SIGTERM)
            signalled = True


def _serving(session: Session) -> Endpoint | None:
    """The endpoint of the collector that holds the lock, once it serves."""
    known = endpoint.load(session.layout)
    if known is None or collector_file.load(session.layout).pid is None:
        return None
    try:
        socket.create_connection((known.host, known.port), timeout=1.0).close()
    except OSError:
        return None
    return known


def _listen(session: Session, *, renew: bool = False) -> tuple[Endpoint, socket.socket]:
    """The session's address, a new one if it has none or is to be renewed, and its socket that listens.

    The caller holds the lock.
    """
    layout = session.layout
    if collector_file.load(layout).pid is not None:  # of one that crashed: it may be another program's by now
        collector_file.update(layout, session.settings, lambda file: replace(file, pid=None))
    known = endpoint.load(layout)
    if known is not None and not renew:
        return known, endpoint.bind(known.port)
    known, listener = endpoint.new()
    try:
        endpoint.save(layout, known)
    except BaseException:
        listener.close()
        raise
    return known, listener


def _start(session: Session, lock: Lock, *, renew: bool = False) -> Endpoint:
    known, listener = _listen(session, renew=renew)
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as news:
        try:
            _spawn(session, (lock.descriptor, listener.fileno(), writer))
        finally:
            listener.close()
            os.close(writer)
        _await_ready(news.fileno())
    return known


def _spawn(session: Session, descriptors: Sequence[int]) -> None:
    """Start ``python -m debugloop.ingest`` with nothing of ours but three descriptors.

    It forks once more by itself, so that it is nobody's child: a parent that lives on has no zombie to reap.
    """
    import subprocess

    subprocess.run(
        # -P: the folder it runs in is not on its import path
        [sys.executable, "-P", "-m", "debugloop.ingest", str(session.layout.directory), *map(str, descriptors)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=descriptors,
        cwd="/",
        env=_environment(),
        start_new_session=True,
        umask=0o077,
        check=False,
    )


def _environment() -> dict[str, str]:
    """Our environment; a relative PYTHONPATH counts only if this very package was found by it."""
    environment = dict(os.environ)
    if path := environment.pop("PYTHONPATH", ""):
        home = Path(debugloop.__file__).resolve().parent.parent
        entries = [Path(entry) for entry in path.split(os.pathsep) if entry]
        kept = [str(entry.absolute()) for entry in entries if entry.is_absolute() or entry.resolve() == home]
        if kept:
            environment["PYTHONPATH"] = os.pathsep.join(kept)
    return environment


def _await_ready(news: int) -> None:
    """Wait for the child's word: ``ok``, or why it cannot serve. Raises CollectorFailed."""
    import select

    said = b""
    deadline = time.monotonic() + START_SECONDS
    while not said.endswith(b"\n"):
        if not select.select((news,), (), (), max(0.0, deadline - time.monotonic()))[0]:
            raise CollectorFailed(f"it did not serve within {START_SECONDS:.0f} seconds")
        part = os.read(news, 4_096)
        if not part:
            raise CollectorFailed("its process ended at once")
        said += part
    if said != b"ok\n":
        raise CollectorFailed(said.decode("utf-8", "replace").strip())
