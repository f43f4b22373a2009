"""Every error of debugloop: one type for each, with its attributes and its sentence.

    DebugloopError
    ├── UsageError                      exit 2: the call itself is wrong
    │   ├── InvalidSetting              InvalidSessionId
    │   ├── InvalidSteps                InvalidOrigin
    │   ├── InvalidHypothesis           InvalidCitation
    │   ├── InvalidTime                 InvalidArguments
    │   ├── UnknownLanguage             InvalidPlace
    │   ├── InvalidData                 InvalidPattern
    │   └── InvalidCapture              InvalidFolder
    ├── StateError                      the files of a session
    │   ├── CorruptFile                 NewerFormat
    │   ├── UnsafeFile                  StateUnwritable
    │   └── LockBusy
    ├── SessionError                    which session
    │   ├── NoSession                   SeveralSessions
    │   ├── SessionNotFound             SessionExists
    │   └── SessionInUse                SessionFinished
    ├── JournalError                    debug.jsonl
    │   ├── WriteFailed                 RunNotFound
    │   └── SessionGone
    ├── CollectorError                  the server
    │   ├── PortTaken                   NoFreePort
    │   ├── CollectorFailed             CollectorRuns
    │   └── EventsHindered              PageUnreadable
    ├── LoopError                       the order of the loop
    │   ├── UnreadResolved              NotResolved
    │   ├── PressNotDelivered           NothingPublished
    │   ├── NoTerminal                  Declined
    │   └── RunChanged
    ├── ProbeError                      instrumentation in files
    │   ├── BrokenMarkers               OutsideWorkspace
    │   ├── FileUnwritable              FileUnreadable
    │   ├── NoPlace                     EditedProbes
    │   └── GitFailed                   DemoFailed
    ├── PanelError                      the terminal of the panel
    │   └── TmuxRefused
    └── InstallError                    what is installed beside it
        ├── ExtraMissing                ConfigRefused
        └── InstallationIncomplete

A sentence says what is wrong and what to do next; the CLI prints it, the MCP server returns it, and with
``--json`` it stands beside ``code``. No error carries the token.
"""

from __future__ import annotations

from debugloop.errors.base import DebugloopError
from debugloop.errors.collector import (
    CollectorError,
    CollectorFailed,
    CollectorRuns,
    EventsHindered,
    NoFreePort,
    PageUnreadable,
    PortTaken,
)
from debugloop.errors.install import ConfigRefused, ExtraMissing, InstallationIncomplete, InstallError
from debugloop.errors.journal import JournalError, RunNotFound, SessionGone, WriteFailed
from debugloop.errors.loop import (
    Declined,
    LoopError,
    NoTerminal,
    NothingPublished,
    NotResolved,
    PressNotDelivered,
    RunChanged,
    UnreadResolved,
)
from debugloop.errors.panel import PanelError, TmuxRefused
from debugloop.errors.probes import (
    BrokenMarkers,
    DemoFailed,
    EditedProbes,
    FileUnreadable,
    FileUnwritable,
    GitFailed,
    NoPlace,
    OutsideWorkspace,
    ProbeError,
)
from debugloop.errors.state import CorruptFile, LockBusy, NewerFormat, StateError, StateUnwritable, UnsafeFile
from debugloop.errors.usage import (
    InvalidArguments,
    InvalidCapture,
    InvalidCitation,
    InvalidData,
    InvalidFolder,
    InvalidHypothesis,
    InvalidOrigin,
    InvalidPattern,
    InvalidPlace,
    InvalidSessionId,
    InvalidSetting,
    InvalidSteps,
    InvalidTime,
    UnknownLanguage,
    UsageError,
)
from debugloop.errors.which import (
    NoSession,
    SessionError,
    SessionExists,
    SessionFinished,
    SessionInUse,
    SessionNotFound,
    SeveralSessions,
)

__all__ = [
    "BrokenMarkers",
    "CollectorError",
    "CollectorFailed",
    "CollectorRuns",
    "ConfigRefused",
    "CorruptFile",
    "DebugloopError",
    "Declined",
    "DemoFailed",
    "EditedProbes",
    "EventsHindered",
    "ExtraMissing",
    "FileUnreadable",
    "FileUnwritable",
    "GitFailed",
    "InstallError",
    "InstallationIncomplete",
    "InvalidArguments",
    "InvalidCapture",
    "InvalidCitation",
    "InvalidData",
    "InvalidFolder",
    "InvalidHypothesis",
    "InvalidOrigin",
    "InvalidPattern",
    "InvalidPlace",
    "InvalidSessionId",
    "InvalidSetting",
    "InvalidSteps",
    "InvalidTime",
    "JournalError",
    "LockBusy",
    "LoopError",
    "NewerFormat",
    "NoFreePort",
    "NoPlace",
    "NoSession",
    "NoTerminal",
    "NotResolved",
    "NothingPublished",
    "OutsideWorkspace",
    "PageUnreadable",
    "PanelError",
    "PortTaken",
    "PressNotDelivered",
    "ProbeError",
    "RunChanged",
    "RunNotFound",
    "SessionError",
    "SessionExists",
    "SessionFinished",
    "SessionGone",
    "SessionInUse",
    "SessionNotFound",
    "SeveralSessions",
    "StateError",
    "StateUnwritable",
    "TmuxRefused",
    "UnknownLanguage",
    "UnreadResolved",
    "UnsafeFile",
    "UsageError",
    "WriteFailed",
]
