import json, os, re, sys
from datetime import datetime
from pathlib import Path

PATTERNS = [re.compile(it) for it in (
    r"\brm\s+-", r"\brm\s", r"\bunlink\s", r"\brmdir\s", r"\bshred\s", r"\bmkfs", r"\bdd\s+.*of=/dev/",
    r">\s*~/\.claude/", r">>\s*~/\.claude/", r"\bgit\s+reset\s+--hard", r"\bgit\s+clean\s+-",
    r"\bpip3?\s+install", r"curl[^|]*\|\s*(ba)?sh", r":\(\)\s*\{",
)]
payload = json.load(sys.stdin)
command = payload.get("tool_input", {}).get("command", "")
hit = next((it.pattern for it in PATTERNS if it.search(command)), None)
log = Path.home() / ".claude" / "logs" / "file_operations.log"
log.parent.mkdir(parents=True, exist_ok=True)
with open(log, "a") as out:
    out.write(json.dumps({"timestamp": datetime.now().isoformat(), "operation": payload.get("tool_name"),
                          "command": command, "status": "blocked" if hit else "allowed"}) + "\n")
print(json.dumps({"decision": "block", "reason": hit} if hit else {}))
