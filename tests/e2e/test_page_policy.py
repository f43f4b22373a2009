"""What `doctor` says of a page's content security policy is what a real browser does with it."""

from __future__ import annotations

import json
from pathlib import Path

from debugloop.ingest.policy import Policy, forbidding
from debugloop.session.endpoint import Endpoint
from tests.e2e.chromium import visit

POLICIES = (
    "connect-src 'self'",
    "connect-src 'none'",
    "connect-src",
    "connect-src *",
    "connect-src http:",
    "connect-src https:",
    "connect-src http://127.0.0.1",
    "connect-src http://127.0.0.1:*",
    "connect-src http://127.0.0.1:{port}",
    "connect-src http://127.0.0.1:{port}/debug/",
    "connect-src http://127.0.0.1:{port}/debug",
    "connect-src http://localhost:{port}",
    "connect-src 127.0.0.1:{port}",
    "connect-src *:{port}",
    "connect-src *; connect-src 'none'",
    "default-src 'none'; script-src 'unsafe-inline'",
    "default-src 'none'; script-src 'unsafe-inline'; connect-src *",
)


def test_chromium_forbids_what_it_says_is_forbidden_and_allows_what_it_proposes(
    known: Endpoint, tmp_path: Path
) -> None:
    policies = [policy.format(port=known.port) for policy in POLICIES]
    page = "http://localhost:1/"
    judged = [forbidding([Policy("meta", policy)], page, known.url) for policy in policies]
    proposed = [found.instead for (found,) in filter(None, judged)]
    script = f"""
      const heard = {{}}; let left = 0;
      addEventListener("message", event => {{
        heard[event.data.number] = event.data.status; if (--left === 0) tell(heard); }});
      const policies = {json.dumps([*policies, *proposed])}; left = policies.length;
      policies.forEach((policy, number) => {{
        const frame = document.createElement("iframe");
        frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${{policy}}"><script>
          fetch("${{url}}", {{method: "POST", body: "{{}}"}}).then(answer => answer.status, () => 0)
            .then(status => parent.postMessage({{number: ${{number}}, status}}, "*"));<\\/script>`;
        document.body.append(frame);
      }});
    """
    with visit(
        "localhost", f"document.body || await new Promise(r => onload = r); {script}", known.url, tmp_path
    ) as it:
        heard = {int(number): status for number, status in it.found.items()}
    assert {policies[number]: heard[number] == 204 for number in range(len(policies))} == {
        policy: not found for policy, found in zip(policies, judged, strict=True)
    }
    assert {heard[number] for number in range(len(policies), len(policies) + len(proposed))} == {204}
