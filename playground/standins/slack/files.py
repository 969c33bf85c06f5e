"""Files of the workspace: what was asked for, uploaded, completed, and where it is shared."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from playground.standins.journal import wall
from playground.standins.slack.errors import SlackError

Json = dict[str, Any]


@dataclass(slots=True)
class File:
    """A file; `content` is None until it was uploaded. shares: channel id → ts of the messages that show it."""

    id: str
    name: str
    length: int
    user: str
    key: str
    created: float = field(default_factory=wall)
    title: str = ""
    content: bytes | None = None
    completed: bool = False
    deleted: bool = False
    external: bool = False
    shares: dict[str, list[str]] = field(default_factory=dict)

    @property
    def mimetype(self) -> str:
        return mimetypes.guess_type(self.name)[0] or "application/octet-stream"


class Files:
    """All files, by id and by the key in their upload address."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.by_id: dict[str, File] = {}

    def ask(self, name: str, length: int, user: str) -> File:
        """A place to upload to."""
        number = next(self._numbers)
        file = File(f"F0{number:08d}", name, length, user, f"up{number}")
        self.by_id[file.id] = file
        return file

    def add(self, name: str, content: bytes, user: str) -> File:
        """What a person's client uploads."""
        file = self.ask(name, len(content), user)
        file.content, file.title, file.completed = content, name, True
        return file

    def uploading(self, key: str) -> File | None:
        return next((file for file in self.by_id.values() if file.key == key and file.content is None), None)

    def need(self, file_id: str) -> File:
        """A completed file that stands; `SlackError` as Slack refuses others."""
        file = self.by_id.get(file_id)
        if file is None or not file.completed:
            raise SlackError("file_not_found")
        if file.deleted:
            raise SlackError("file_deleted")
        return file


def file_json(file: File, url: str) -> Json:
    """A file as `files.info` and messages show it; `url` is the stand-in's own."""
    if file.deleted:
        return {"id": file.id, "mode": "tombstone"}
    private = f"{url}/files-pri/T0EVERTHRD-{file.id}"
    kind = file.name.rpartition(".")[2].lower() if "." in file.name else "binary"
    return {
        "id": file.id,
        "created": int(file.created),
        "timestamp": int(file.created),
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.mimetype,
        "filetype": {"txt": "text", "md": "markdown", "py": "python"}.get(kind, kind),
        "pretty_type": kind.upper(),
        "user": file.user,
        "user_team": "T0EVERTHRD",
        "editable": False,
        "size": file.length,
        "mode": "hosted",
        "is_external": False,
        "external_type": "",
        "is_public": True,
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": f"{private}/{file.name}",
        "url_private_download": f"{private}/download/{file.name}",
        "permalink": f"https://everthread.slack.com/files/{file.user}/{file.id}/{file.name}",
        "has_rich_preview": False,
        "file_access": "visible",
    }


def file_stub(file: File) -> Json:
    """What a message in a channel shared with another workspace says of its file: ask `files.info`."""
    created = int(file.created)
    return {
        "id": file.id,
        "mode": "file_access",
        "file_access": "check_file_info",
        "created": created,
        "timestamp": created,
    }
