"""The host names that a service answers for (against DNS rebinding)."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request

ALL_ADDRESSES = ("0.0.0.0", "::")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class OwnHost:
    """The address a service listens on, and the Host headers it accepts there."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """The host name of the service; that of the machine where it listens on all addresses."""
        return socket.gethostname() if self.host in ALL_ADDRESSES else self.host

    @property
    def address(self) -> str:
        """The URL of the service, without a slash at its end."""
        return f"http://{bracket_ipv6(self.name)}:{self.port}"

    @property
    def accepted(self) -> set[str]:
        """The accepted values of the Host header."""
        return {f"{bracket_ipv6(name)}:{self.port}" for name in (*LOOPBACK, self.name)}

    def is_named_by(self, request: Request) -> bool:
        """Whether the Host header is an accepted name, or the address that was reached."""
        host = request.headers.get("host", "")
        if self.host in ALL_ADDRESSES and (server := request.scope.get("server")):
            return host in {*self.accepted, f"{bracket_ipv6(server[0])}:{self.port}"}
        return host in self.accepted


def bracket_ipv6(name: str) -> str:
    """Return a host name for a URL; an IPv6 address in brackets."""
    return f"[{name}]" if ":" in name else name


def is_loopback(origin: str) -> bool:
    """Whether an Origin header names a page of this machine, whatever its port."""
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK
    except ValueError:
        return False
