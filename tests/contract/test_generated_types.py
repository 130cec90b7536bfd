"""The page's TypeScript types are those of the protocol as it is now."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.mark.parametrize("page", ["daemon", "hub"])
def test_generated_types_are_of_the_present_protocol(page: str) -> None:
    dumped = subprocess.run(
        [sys.executable, str(WEB / "scripts" / "dump_openapi.py"), page],
        capture_output=True,
        check=True,
        timeout=60,
    )
    digest = json.loads(dumped.stdout)["digest"]
    generated = (WEB / "src" / "generated" / f"{page}.ts").read_text(encoding="utf-8")
    first_line = generated.partition("\n")[0]
    assert digest in first_line, "stale: run `npm run types` in web/"
