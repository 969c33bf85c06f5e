"""A web page as text that can be read: one pass over it, however broken it is."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

_HIDDEN = frozenset({"script", "style", "noscript", "svg", "template", "iframe", "object"})
_LINES = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "form"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "option", "p", "pre", "section"}
    | {"table", "title", "tr", "ul"}
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_NAME = re.compile(r"[a-z][a-z0-9]*")
_HREF = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_LINKS = 300
"""Links whose addresses are shown."""


def readable(html: str, base: str) -> str:
    """The text of a page, a line per block, links with their addresses; scripts, styles and markup are left out."""
    return _Page(html, base).text()


class _Page:
    """Tags are found by searching for their ends, so that time grows with the page and no faster."""

    def __init__(self, html: str, base: str) -> None:
        self._html, self._base = html, base
        self._said: list[str] = []
        self._href, self._links = "", 0

    def text(self) -> str:
        at = 0
        while (tag := self._html.find("<", at)) >= 0:
            self._said.append(unescape(self._html[at:tag]))
            at = self._skip(tag)
        self._said.append(unescape(self._html[at:]))
        lines = (" ".join(line.split()) for line in "".join(self._said).replace("\r", "\n").split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def _skip(self, tag: int) -> int:
        """Where the text goes on behind the tag that begins here."""
        html = self._html
        if html.startswith("<!--", tag):
            return self._behind("-->", tag + 4)
        follows = html[tag + 1 : tag + 2]
        if not (follows.isalpha() or follows in ("/", "!", "?")):
            self._said.append("<")
            return tag + 1
        end = self._behind(">", tag)
        closing = follows == "/"
        name = _NAME.match(html[tag + 1 + closing : tag + 20].lower())
        word = name.group() if name else ""
        if word in _HIDDEN and not closing:
            found = re.compile(f"</{word}", re.IGNORECASE).search(html, end)
            return self._behind(">", found.end()) if found else len(html)
        self._mark(word, closing, html[tag : min(end, tag + 4_096)])
        return end

    def _mark(self, word: str, closing: bool, tag: str) -> None:
        if word == "a":
            self._link(closing, tag)
        elif word == "li" and not closing:
            self._said.append("\n- ")
        elif word in ("td", "th"):
            self._said.append(" | " if closing else "")
        elif word in _LINES:
            self._said.append("\n" + ("" if closing else _HEADINGS.get(word, "")))

    def _link(self, closing: bool, tag: str) -> None:
        if not closing:
            found = _HREF.search(tag)
            self._href = unescape(next(filter(None, found.groups()), "")) if found else ""
        elif self._href and self._links < _LINKS:
            self._links += 1
            try:
                address = urljoin(self._base, self._href)
            except ValueError:
                address = ""
            if address.startswith(("http://", "https://")) and not self._href.startswith("#"):
                self._said.append(f" ({address})")
            self._href = ""

    def _behind(self, mark: str, at: int) -> int:
        found = self._html.find(mark, at)
        return len(self._html) if found < 0 else found + len(mark)
