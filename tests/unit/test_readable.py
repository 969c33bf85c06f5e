"""A web page as text: what people read of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.tools.fetch.readable import readable

BASE = "https://example.com/docs/"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>One</h1><p>two <b>three</b></p>", "# One\n\ntwo three"),
        ("<ul><li>a<li>b</ul>c", "- a\n- b\nc"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b |"),
        ("<a href='/x?a=1&amp;b=2'>link</a>", "link (https://example.com/x?a=1&b=2)"),
        ('<a href="page">link</a> <a href="#top">up</a>', "link (https://example.com/docs/page) up"),
        ("<a href='javascript:alert(1)'>x</a> <a>y</a> <a href='http://['>z</a>", "x y z"),
        ("x<script>if (a < b) '<p>'</script>y<STYLE>p{}</STYLE >z", "xyz"),
        ("x<script>never closed", "x"),
        ("x<!-- a > b -->y<!-- never closed", "xy"),
        ("<!DOCTYPE html><?xml?><p>x", "x"),
        ("1 < 2 && 2 > 1 <3", "1 < 2 && 2 > 1 <3"),
        ("&lt;b&gt; &amp;amp; &eacute;", "<b> &amp; é"),
        ("a\r\n\r\n\r\n\r\nb", "a\n\nb"),
        ("", ""),
    ],
)
def test_a_page_reads_as_people_see_it(html: str, text: str) -> None:
    assert readable(html, BASE) == text


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["<", ">", "</", "<a href=", "<script>", "<!--", "-->", "x", "&", '"', "\n"])))
def test_however_broken_a_page_is_it_gives_some_text(pieces: list[str]) -> None:
    assert isinstance(readable("".join(pieces), BASE), str)


@pytest.mark.clause("SEC-3")
@pytest.mark.parametrize(
    "piece", ["<", "<a", "<!--", "<a href='x'>", "</script", "<script>", "<p", "&", "<p x='", "]]>"]
)
def test_a_page_made_to_be_slow_is_not(piece: str) -> None:
    html = piece * (1_000_000 // len(piece))
    began = time.process_time()
    readable(html, BASE)
    assert time.process_time() - began < 4
