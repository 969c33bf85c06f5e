"""Which addresses may be fetched: http and https, on the public internet, written plainly."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Network, ip_address

import httpx2

from worker.tools.tool import ToolError

MAX_URL = 2_000
STANDARD_PORTS = frozenset({80, 443})

_SCHEMES = {"http": 80, "https": 443}
_UNWRITTEN = re.compile(r"[\x00-\x20\x7f\\]")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
"""Where a network without IPv4 keeps the addresses of those that have nothing else: the last 32 bits say which."""
_CARRIERS = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))
"""6to4 and Teredo: they carry an IPv4 address that nobody checked."""
_PLATFORMS = frozenset({ip_address("168.63.129.16"), ip_address("192.88.99.1")})
"""Public by number, but a host's own services: Azure's metadata, 6to4 relays."""


def checked_url(text: str, ports: Collection[int] = STANDARD_PORTS) -> httpx2.URL:
    """The URL without its fragment; `ToolError` says in a sentence why it may not be fetched.

    One parser decides for the check and for the call. Nothing is looked up here.
    """
    if len(text) > MAX_URL or _UNWRITTEN.search(text):
        raise ToolError(f"Not fetched: {text[:100]!r} is no URL; it is too long or has characters that do not belong.")
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise ToolError(f"Not fetched: {text[:100]} is no URL: {error}.") from error
    if url.scheme not in _SCHEMES:
        raise ToolError(f"Not fetched: only http and https are read, not {url.scheme or 'a URL without a scheme'}.")
    if url.userinfo:
        raise ToolError("Not fetched: the URL holds a name or password; give one without.")
    if (port := url.port or _SCHEMES[url.scheme]) not in ports:
        raise ToolError(f"Not fetched: port {port} is not open to me; only {_listed(ports)}.")
    _check_host(url.raw_host.decode("ascii"))
    return url.copy_with(fragment=None)


def port_of(url: httpx2.URL) -> int:
    return url.port or _SCHEMES[url.scheme]


def is_public(address: str) -> bool:
    """Whether a numeric address is one that everybody on the internet could reach; everything doubtful is not."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if ip in _NAT64:
        return is_public(str(IPv4Address(int(ip) & 0xFFFF_FFFF)))
    if ip in _PLATFORMS or ip.is_multicast or ip.is_reserved or not ip.is_global:
        return False
    if isinstance(ip, IPv4Address):
        return True
    return ip in _GLOBAL_UNICAST and not any(ip in carrier for carrier in _CARRIERS)


def _check_host(host: str) -> None:
    """A name, or a number in its one plain form; 2130706433, 0x7f.1 and 127.1 are other spellings of 127.0.0.1."""
    if ":" in host:
        if "%" in host or not is_public(host):
            raise private(host)
    elif not _NAME.fullmatch(host) or len(host) > 253:
        raise ToolError(f"Not fetched: {host[:100]!r} is not the name of a host.")
    elif _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        try:
            plain = str(IPv4Address(host))
        except ValueError as error:
            raise ToolError(f"Not fetched: {host} is an address in disguise; write it as four numbers.") from error
        if not is_public(plain):
            raise private(host)


def private(host: str) -> ToolError:
    """The refusal of a host that is not on the public internet; it does not say where it leads."""
    return ToolError(
        f"Not fetched: {host} is not on the public internet but leads to a private, local or reserved address.",
        code="private_address",
        retryable=False,
    )


def _listed(ports: Collection[int]) -> str:
    return ", ".join(str(port) for port in sorted(ports))
