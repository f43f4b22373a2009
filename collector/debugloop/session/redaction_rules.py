"""What counts as a secret. The one place to read, and to change, the rules of redaction.

Two kinds of rule. A *key* rule hides every string of 8 or more characters under a key that names a secret.
A *shape* rule hides what looks like a credential inside any text. The shapes are those their issuers
document (the prefixes of AWS, GitHub, Slack and Stripe keys, RFC 6750 bearer tokens, RFC 7519 JWTs,
RFC 7468 PEM blocks).
"""

from __future__ import annotations

import re
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

SHAPES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "private-key",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
    ("jwt", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")),
    ("bearer", re.compile(r"(?<=\bbearer )[A-Za-z0-9._~+/-]{8,}=*", re.IGNORECASE)),
    ("basic", re.compile(r"(?<=authorization: basic )[A-Za-z0-9+/]{8,}=*", re.IGNORECASE)),
    ("cookie", re.compile(r"(?<=\bcookie: )(?!\[redacted:)[^\r\n]{8,}", re.IGNORECASE)),
    ("aws-key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("github-token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})")),
    ("slack-token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("slack-webhook", re.compile(r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}")),
    ("stripe-key", re.compile(r"\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}")),
)
"""Shapes inside any text, tried in this order; what matches is hidden, what stands around it stays."""

TRACE: Final = (
    rb"zation|k(?:ie|e[ny]|ia|_live|_test|\.com)|w(?<=passw)|cret|jsess|psess|ct.?sid|bearer|yj|sia(?<=asia)"
    rb"|_(?<=gh[pousr]_)|_(?<=github_)|_(?<=whsec_)|xox|\\u00"
)
"""What, in lower case, every record with something to hide holds somewhere; a record without it is not looked at
again. Each alternative begins at a letter of its rule that is rare, which makes the search three times as fast."""
