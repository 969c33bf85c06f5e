"""Where files are uploaded to and downloaded from: the two addresses that are no Web API methods."""

from __future__ import annotations

from aiohttp import web

from playground.standins.slack.standin import Standin

LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to Everthread</body></html>"
"""What Slack answers, with status 200, to whoever asks for a private file without a valid token."""


def routes(slack: Standin) -> list[web.RouteDef]:
    async def upload(request: web.Request) -> web.StreamResponse:
        return await _upload(slack, request)

    async def download(request: web.Request) -> web.StreamResponse:
        return _download(slack, request)

    return [
        web.post("/upload/v1/{key}", upload),
        web.get("/files-pri/{id}/{name}", download),
        web.get("/files-pri/{id}/download/{name}", download),
    ]


async def _upload(slack: Standin, request: web.Request) -> web.StreamResponse:
    """The raw body, or the first part of a form; its length must be the one that was announced."""
    file = slack.world.files.uploading(request.match_info["key"])
    if file is None:
        return web.Response(status=404, text="no such upload")
    content = await _content(request)
    if len(content) != file.length:
        return web.Response(status=400, text=f"announced {file.length} bytes, got {len(content)}")
    file.content = content
    slack.journal.add("file.uploaded", file=file.id, name=file.name, size=len(content))
    return web.Response(text=f"OK - {len(content)}")


async def _content(request: web.Request) -> bytes:
    if request.content_type != "multipart/form-data":
        return await request.read()
    for value in (await request.post()).values():
        if isinstance(value, web.FileField):
            return value.file.read()
        return value.encode() if isinstance(value, str) else bytes(value)
    return b""


def _download(slack: Standin, request: web.Request) -> web.StreamResponse:
    file = slack.world.files.by_id.get(request.match_info["id"].partition("-")[2])
    if file is None or file.content is None or file.deleted:
        return web.Response(status=404, text="file not found")
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    scopes = slack.settings.scopes
    allowed = token == slack.settings.bot_token and not slack.token_revoked and (not scopes or "files:read" in scopes)
    slack.journal.add("file.asked", file=file.id, allowed=allowed)
    if not allowed:
        return web.Response(text=LOGIN_PAGE, content_type="text/html")
    return web.Response(body=file.content, content_type=file.mimetype)
