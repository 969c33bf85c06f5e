"""The tools every agent starts with."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from store.wait import ANYBODY, Answerers
from worker.tools.builtin.ask_user import ask_user_tool
from worker.tools.builtin.attachment import read_attachment
from worker.tools.builtin.channel import read_channel
from worker.tools.builtin.fetch_url import fetch_url_tool
from worker.tools.builtin.http_post import http_post_tool
from worker.tools.builtin.notes import append_note, read_notes
from worker.tools.builtin.present_plan import plan_tools
from worker.tools.builtin.thread import read_thread
from worker.tools.builtin.time import current_time
from worker.tools.tool import Tool


def builtin_tools(
    allowed_urls: Sequence[str] = (),
    fetch_ports: Collection[int] = (),
    answerers: Answerers = ANYBODY,
    approvers: Answerers = ANYBODY,
    patience: float = 0.0,
) -> tuple[Tool, ...]:
    """Reading this thread, its files, channels, the time, the workspace's notes; asking people, plans.

    answerers, approvers: who may answer questions, and decide on plans. patience: seconds until a question is given
    up, 0 for never. `http_post` only where some address is allowed, `fetch_url` only where it may use some port.
    """
    tools = [read_thread, read_attachment, read_channel, current_time, read_notes, append_note]
    tools += [ask_user_tool(answerers, patience), *plan_tools(approvers, patience)]
    if fetch_ports:
        tools.append(fetch_url_tool(fetch_ports))
    if allowed_urls:
        tools.append(http_post_tool(allowed_urls))
    return tuple(tools)
