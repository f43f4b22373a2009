"""What counts as a secret. The one place to read, and to change, the rules of redaction.

Two kinds of rule. A *key* rule hides every string of 8 or more characters under a key that names a secret.
A *shape* rule hides what looks like a credential inside any text. The shapes are those their issuers
document (the prefixes of AWS, GitHub, Slack and Stripe keys, RFC 6750 bearer tokens, RFC 7519 JWTs,
RFC 7468 PEM blocks).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 8
"""Characters; what is shorter under a secret's key is a word such as ``none`` or ``basic``."""

KEY_WORDS: Final[dict[tuple[str, ...], str]] = {
    ("authorization",): "authorization",
    ("cookie",): "cookie",
    ("cookies",): "cookie",
    ("password",): "password",
    ("passwd",): "password",
    ("secret",): "secret",
    ("token",): "token",
    ("api", "key"): "api-key",
    ("apikey",): "api-key",
    ("private", "key"): "private-key",
    ("privatekey",): "private-key",
    # the names under which frameworks keep a session in a cookie; a plain sessionId is an event's own key
    ("jsessionid",): "cookie",
    ("phpsessid",): "cookie",
    ("connect", "sid"): "cookie",
}
"""Whole words in a row (camelCase and separators split, lower case) that make a key a secret's, and its kind."""

HARMLESS_AFTER: Final = frozenset(
    {"count", "counts", "length", "limit", "name", "number", "size", "type", "types", "usage", "used", "budget"}
)
"""Words that, right behind those of a secret, make the key a measure of it: ``tokenCount``, ``passwordLength``."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a credential looks like in any text. Where ``pattern`` matches, one of ``traces`` stands in lower case."""

    kind: str
    traces: tuple[bytes, ...]
    expression: str
    flags: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is needed, which re remembers: most logs hold no trace, and a short verb has no 10 ms."""
        return re.compile(self.expression, self.flags)


SHAPES: Final[tuple[Shape, ...]] = (
    Shape(
        "private-key",
        (b" private key-----",),
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)",
        re.DOTALL,
    ),
    Shape("jwt", (b"eyj",), r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    Shape("bearer", (b"bearer ",), r"(?<=\bbearer )[A-Za-z0-9._~+/-]{8,}=*", re.IGNORECASE),
    Shape("basic", (b"authorization: b",), r"(?<=authorization: basic )[A-Za-z0-9+/]{8,}=*", re.IGNORECASE),
    Shape("cookie", (b"cookie: ",), r"(?<=\bcookie: )(?!\[redacted:)[^\r\n]{8,}", re.IGNORECASE),
    Shape("aws-key", (b"akia", b"asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    Shape(
        "github-token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    Shape(
        "slack-token",
        (b"xoxa-", b"xoxb-", b"xoxe-", b"xoxo-", b"xoxp-", b"xoxr-", b"xoxs-"),
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    ),
    Shape(
        "slack-webhook",
        (b"hooks.slack.com",),
        r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}",
    ),
    Shape(
        "stripe-key",
        (b"k_live_", b"k_test_", b"whsec_"),
        r"\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}",
    ),
)
"""Tried in this order; what matches is hidden, what stands around it stays."""
