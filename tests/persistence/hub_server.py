"""A hub on loopback: as much of the Hugging Face hub's HTTP API as an upload and a download need."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Hub:
    """Repositories by name: their files."""

    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    endpoint: str = ""

    def commit(self, files: dict[str, bytes]) -> str:
        return hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()


@contextmanager
def hub() -> Iterator[Hub]:
    found = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        def say(self, status: int, body: bytes = b"{}", **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def do_POST(self) -> None:
            found.tokens.add(self.headers.get("Authorization", ""))
            body = self.body()
            if self.path == "/api/repos/create":
                asked = json.loads(body)
                name = f"{asked.get('organization') or 'me'}/{asked['name'].split('/')[-1]}"
                found.repositories.setdefault(name, {})
                self.say(200, json.dumps({"url": f"{found.endpoint}/{name}"}).encode())
                return
            if self.path == "/api/validate-yaml":
                self.say(200, b'{"errors": [], "warnings": []}')
                return
            match = re.fullmatch(r"/api/models/([^/]+/[^/]+)/(preupload|commit)/([^/?]+).*", self.path)
            if match is None or match[1] not in found.repositories:
                self.say(404)
            elif match[2] == "preupload":
                files = [
                    {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                    for file in json.loads(body)["files"]
                ]
                self.say(200, json.dumps({"files": files}).encode())
            else:
                self.taken(match[1], body)

        def taken(self, name: str, body: bytes) -> None:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    found.repositories[name][line["value"]["path"]] = base64.b64decode(
                        line["value"]["content"]
                    )
            oid = found.commit(found.repositories[name])
            found.commits.append(oid)
            where = f"{found.endpoint}/{name}/commit/{oid}"
            self.say(200, json.dumps({"commitOid": oid, "commitUrl": where, "pullRequestUrl": None}).encode())

        def do_GET(self) -> None:
            match = re.fullmatch(
                r"/api/models/([^/]+/[^/]+)(/revision/[^/?]+|/tree/[^/?]+)?(\?.*)?", self.path
            )
            if match is not None and match[1] in found.repositories:
                files = found.repositories[match[1]]
                about: Any = {
                    "id": match[1], "modelId": match[1], "sha": found.commit(files), "private": False,
                    "tags": [], "siblings": [{"rfilename": file} for file in files],
                }  # fmt: skip
                if "/tree/" in self.path:
                    about = [
                        {"type": "file", "path": file, "size": len(content), "oid": "0"}
                        for file, content in files.items()
                    ]
                self.say(200, json.dumps(about).encode())
                return
            match = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^?]+)", self.path)
            if match is None or match[3] not in found.repositories.get(match[1], {}):
                self.say(404, b"{}", X_Error_Code="RepoNotFound", X_Error_Message="Repository not found")
                return
            content = found.repositories[match[1]][match[3]]
            etag = hashlib.sha1(content).hexdigest()
            commit = found.commit(found.repositories[match[1]])
            self.say(200, content, ETag=f'"{etag}"', X_Repo_Commit=commit)

        def do_HEAD(self) -> None:
            self.do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
