"""What the documentation site does to pages: MkDocs calls these functions when it builds.

Pages link to sources, and CONTRIBUTING and CHANGELOG lie outside of docs/. The site makes pages of
these two and of the notebooks, and shows links to sources as plain text.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES_OF_THE_ROOT = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Any, config: Any) -> Any:
    """Return the files of the site, with a page for each document of the root folder."""
    from mkdocs.structure.files import File

    made = {
        page: relink((ROOT / source).read_text(encoding="utf-8"), "", within="docs")
        for source, page in PAGES_OF_THE_ROOT.items()
    }
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        made |= notebook_files(path)
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page without links that lead out of docs/."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]
    return relink(markdown, posixpath.dirname(page.file.src_uri))


def relink(text: str, folder: str, within: str = "") -> str:
    """Return a text whose links are those of the site.

    `folder` is where the page lies below docs/. With `within`, links begin at the root folder and
    only those below `within` are pages.
    """

    def mended(match: re.Match[str]) -> str:
        words, link = match[1], match[2]
        if re.match(r"[a-z]+:|#", link):
            return match[0]
        if within:
            stays = link.startswith(f"{within}/")
            return f"[{words}]({link.removeprefix(f'{within}/')})" if stays else words
        if link.endswith(".ipynb"):
            return f"[{words}]({link.removesuffix('.ipynb')}.md)"
        path = posixpath.normpath(posixpath.join(folder, link))
        if path in {f"../{name}" for name in PAGES_OF_THE_ROOT}:
            here = posixpath.relpath(PAGES_OF_THE_ROOT[posixpath.basename(path)], folder or ".")
            return f"[{words}]({here})"
        return words if path.startswith("..") else match[0]

    return LINK.sub(mended, text)


def notebook_files(path: Path) -> dict[str, str]:
    """Return the page of a notebook as it was last run, and its pictures, by name in the site."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts, files = [], {}
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "image/svg+xml" in data:
                picture = f"{path.stem}-{number}.svg"
                files[f"notebooks/{picture}"] = "".join(data["image/svg+xml"])
                parts.append(f"![{alternative(cell)}]({picture})")
            elif "text/html" in data:
                html = re.sub(r"\n\s*", "\n", "".join(data["text/html"])).strip()
                parts.append(f'<div class="lighttea-output">\n{html}\n</div>')
            else:
                parts.append(f"```text\n{''.join(data['text/plain']).rstrip()}\n```")
    return {f"notebooks/{path.stem}.md": "\n\n".join(parts) + "\n", **files}


def alternative(cell: dict[str, Any]) -> str:
    """Return what a picture shows: the comment that its cell begins with."""
    return "".join(cell["source"]).splitlines()[0].removeprefix("# ")


def on_config(config: Any) -> Any:
    """Return the configuration with a line of navigation for every page on a decision."""
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    listed = [f"decisions/{path.name}" for path in pages if path.stem != "index"]
    about = next(section["About"] for section in config.nav if "About" in section)
    decisions = next(part["Decisions"] for part in about if "Decisions" in part)
    decisions.extend(listed)
    return config
