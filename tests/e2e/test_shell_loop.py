"""The whole loop by a shell script alone, on a program with a real bug; the person answers at its terminal."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.documents import in_terminal
from tests.support import ROOT, require

LOOP = r"""
set -x
git init -q . && git add . && git -c user.name=u -c user.email=u@example.org commit -qm "the bill"
debugloop start --session bill
debugloop hypothesis add "each share is rounded, so their sum is not the bill"
debugloop hypothesis add "the bill is read wrong"
line=$(grep -n 'return shares' split.py | cut -d: -f1)
debugloop instrument "split.py:$line" --hypothesis H1 --message shares --data 'sum(shares), bill'
debugloop instrument "split.py:$((line + 1))" --hypothesis H2 --message nowhere || test $? -eq 1
debugloop steps --title "A cent is missing" "Run split.py 100.00 3" "Add up the shares"
debugloop wait --timeout 0 && exit 9 || test $? -eq 3
python split.py 100.00 3
debugloop press reproduced --note "99.99 where 100.00 was due"
press=$(debugloop wait --json | python -c 'import json, sys; print(json.load(sys.stdin)["press"])')
row=$(debugloop logs --hypothesis H1 | head -1 | cut -d' ' -f1)
debugloop hypothesis set H1 confirmed --cite "$row"
debugloop hypothesis set H2 rejected --cite "$row"
debugloop wait --timeout 0 --after "$press" && exit 9 || test $? -eq 3
sed -i.old 's/\[share\] \* people/[share] * (people - 1) + [round(bill - share * (people - 1), 2)]/' split.py
rm split.py.old
debugloop finish && exit 9 || test $? -eq 1
debugloop steps "Run split.py 100.00 3" "Add up the shares"
python split.py 100.00 3
debugloop press resolved
debugloop wait --timeout 0
debugloop logs --compare 1 --json > ../compared.json
debugloop finish && exit 9 || test $? -eq 4
debugloop strip
debugloop scan
debugloop report > ../report.md
debugloop finish
git diff > ../fix.diff
"""


def test_the_whole_loop_works_from_a_shell_script(home: Path, workspace: Path) -> None:
    require("git")
    shutil.copy(ROOT / "examples/python/split.py", workspace)

    ran = in_terminal(LOOP, home=home, cwd=workspace)

    assert ran.code == 0, ran.screen
    [changed] = json.loads((workspace / "../compared.json").read_bytes())["changed"]
    assert changed["values"][0]["path"].startswith("data.")
    assert "99.99 where 100.00 was due" in (workspace / "../report.md").read_text()
    diff = (workspace / "../fix.diff").read_text().splitlines()
    assert [line[0] for line in diff if line[:1] in "+-" and line[:3] not in {"+++", "---"}] == ["-", "+"]
    status = subprocess.run(["git", "status", "--short"], cwd=workspace, check=True, capture_output=True, text=True)
    assert status.stdout == " M split.py\n"
