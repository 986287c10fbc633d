"""Say what the built site would load from elsewhere: nothing, or `make docs` fails.

python docs/check_site.py build/site
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

LOADING = {  # attributes that make a browser fetch something
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "link": "href",
}
LINKS_THAT_LOAD_NOTHING = {"canonical", "prev", "next", "alternate"}
ELSEWHERE = re.compile(r"(?:https?:)?//", flags=re.I)
IN_STYLES = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)", flags=re.I)


class Loads(HTMLParser):
    """Collects the addresses that a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        given = dict(attrs)
        if tag == "link" and given.get("rel") in LINKS_THAT_LOAD_NOTHING:
            return
        address = given.get(LOADING.get(tag, "")) or ""
        if ELSEWHERE.match(address):
            self.addresses.append(address)


def loads_from_elsewhere(folder: Path) -> list[str]:
    """Return `file: address` for all that pages and styles of a site fetch from other hosts."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        text, parser = path.read_text(encoding="utf-8"), Loads()
        parser.feed(text)
        found += [f"{path}: {x}" for x in (*parser.addresses, *IN_STYLES.findall(text))]
    for path in sorted(folder.rglob("*.css")):
        found += [f"{path}: {x}" for x in IN_STYLES.findall(path.read_text(encoding="utf-8"))]
    return found


if __name__ == "__main__":
    loads = loads_from_elsewhere(Path(sys.argv[1]))
    sys.exit("\n".join(loads) if loads else 0)
