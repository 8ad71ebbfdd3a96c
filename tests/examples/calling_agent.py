"""Agent that calls tools as it works.

Run it with `fiducial generate --agent 'python calling_agent.py' --agent-calls`.
"""

import json
from typing import Any


def ask(line: dict[str, Any]) -> Any:
    print(json.dumps(line), flush=True)
    return json.loads(input())


case = json.loads(input())
told = ask({"call": {"name": "mkdir", "arguments": {"dir_name": "a"}}})["result"]
more = ask({"calls": [{"name": "ls", "arguments": {}}, {"name": "ls", "arguments": {}}]})["results"]
for turn in case["messages"][1:]:
    assert ask({"say": f"done: {told}"})["messages"] == turn
print(json.dumps({"text": f"there is {more[0]}"}), flush=True)
