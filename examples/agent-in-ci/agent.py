"""A small booking agent: reads a case on standard input, prints its tool calls."""

import json
import re
import sys


def answer(messages):
    """Return the calls for the last user message; a text where no tool fits."""
    asked = re.search(r"Book (\d+) nights? in (\w+)", messages[-1]["content"])
    if asked is None:
        return {"text": "I can book stays."}
    return {"tool_calls": [{"name": "book", "arguments": {"city": asked[2], "nights": int(asked[1])}}]}


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin)["messages"])))
