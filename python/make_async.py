"""Makes the asynchronous groups from the synchronous ones, so that the two cannot differ; ``--check`` only compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent / "src" / "plinth"
FILES = {
    "query.py": "async_query.py",
    "resources.py": "async_resources.py",
    "dq.py": "async_dq.py",
    "perspectives.py": "async_perspectives.py",
    "followers.py": "async_followers.py",
    "notifications.py": "async_notifications.py",
}
HEAD = '"""Made from {name} by make_async.py: change that, then run this."""\n'
CHANGES = (
    (r'\A"""[^"]*"""\n', ""),
    (r"^    def (?!__)", "    async def "),
    (r"\bself\.(_transport\.send|[a-z_]+_statements?|list_[a-z]+|get_statement_result|_rest|_cancel_quietly)\(", r"await self.\1("),
    (r"\bwith self\._transport\.stream\(", "async with self._transport.stream("),
    (r'b""\.join\(chunks\)', 'b"".join([chunk async for chunk in chunks])'),
    (r"\bfor chunk in chunks:", "async for chunk in chunks:"),
    (r"\bfor (\w+) in self\.iter_", r"async for \1 in self.iter_"),
    (r"\bIterator\b", "AsyncIterator"),
    (r"\bTransport\b", "AsyncTransport"),
    (r"\b(Query|Metadata|Activity|Dq|Perspectives|Notifications|Followers)Group\b", r"Async\1Group"),
)


def asynchronous(name: str) -> str:
    text = (SOURCE / name).read_text()
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return HEAD.format(name=name) + text


def main() -> int:
    stale = 0
    for name, target in FILES.items():
        made = asynchronous(name)
        if (SOURCE / target).exists() and (SOURCE / target).read_text() == made:
            continue
        stale += 1
        if "--check" in sys.argv:
            print(f"{target} is not what {name} makes: run python make_async.py", file=sys.stderr)
        else:
            (SOURCE / target).write_text(made)
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
