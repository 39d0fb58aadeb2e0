"""Outgoing hosts: a spec is hostile until the administrator says otherwise."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.errors import InputError
from chatsearch.hosts import DEFAULT_HOSTS, AllowedHosts, HostRefusedError, HostRule, is_internal, plain_host, secret
from chatsearch.settings import load_settings


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name has these addresses."""

    async def getaddrinfo(self: object, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize(
    "url",
    ["https://mosaic.ows.eu/service/api", "http://mosaic.ows.eu", "http://localhost:8008", "http://127.0.0.1:8008/search"],
)
def test_by_default_mosaic_may_be_asked_in_public_and_on_its_port_here(url: str) -> None:
    assert AllowedHosts().check(url).hostname


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8000/",
        "http://localhost/",
        "http://127.0.0.1:9200",
        "http://127.1:8008",
        "http://2130706433:8008",
        "http://[::1]:8008",
        "http://169.254.169.254/latest/meta-data/",
        "https://mosaic.ows.eu:22/",
        "https://mosaic.ows.eu.evil.example/",
        "https://evil.example/?mosaic.ows.eu",
        "https://xmosaic.ows.eu/",
    ],
)
def test_by_default_nothing_else_may_and_the_message_names_the_setting(url: str) -> None:
    with pytest.raises(HostRefusedError, match="CHATSEARCH_ALLOWED_HOSTS=mosaic.ows.eu,"):
        AllowedHosts().check(url)


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://mosaic.ows.eu/", "gopher://mosaic.ows.eu/", "//mosaic.ows.eu/", "mosaic.ows.eu", ""),
        *("http://", "http://[::1", "http://mosaic.ows.eu:99999/", "http://mosaic.ows.eu\\@evil.example/"),
        *("http://mosaic.ows.eu/\r\nHost: x", "http://mosaic.ows.eu /", "javascript:alert(1)", "http://mosaic.ows.eu:x/"),
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(HostRefusedError, match="not valid"):
        AllowedHosts(["*"]).check(url)


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(HostRefusedError, match="mosaic.ows.eu holds a user name or a password") as caught:
        AllowedHosts().check("https://admin:hunter2@mosaic.ows.eu/?key=hunter3")
    assert "hunter" not in str(caught.value)
    with pytest.raises(HostRefusedError) as caught:
        AllowedHosts().check("https://evil.example/hunter4?token=hunter5")
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "allowed", "refused"),
    [
        ("search.example.org", ["https://search.example.org", "http://SEARCH.example.org."], ["https://search.example.org:8443"]),
        ("search.example.org:8443", ["https://search.example.org:8443"], ["https://search.example.org"]),
        ("localhost:*", ["http://localhost:1", "http://localhost"], ["http://127.0.0.1"]),
        ("*.example.org", ["https://a.example.org", "https://a.b.example.org"], ["https://example.org", "https://aexample.org"]),
        ("[::1]:8000", ["http://[::1]:8000"], ["http://[::1]:8001"]),
        ("*", ["https://any.example", "http://any.example:8000"], ["http://any.example:22", "http://any.example:25"]),
        ("bücher.example", ["https://bücher.example", "https://xn--bcher-kva.example"], ["https://bucher.example"]),
    ],
)
def test_what_an_entry_allows(entry: str, allowed: list[str], refused: list[str]) -> None:
    hosts = AllowedHosts([plain_host(entry) if not entry.isascii() else entry])
    for url in allowed:
        hosts.check(url)
    for url in refused:
        with pytest.raises(HostRefusedError):
            hosts.check(url)


@pytest.mark.parametrize(
    "entry", ["", "https://example.org", "a b", "example.org/path", "user@host", "host:0", "host:70000", "**"]
)
def test_an_entry_that_is_none_names_its_setting(entry: str) -> None:
    with pytest.raises(ValueError, match="is not a host|no valid port"):
        HostRule.parse(entry)
    with pytest.raises(InputError, match="CHATSEARCH_ALLOWED_HOSTS"):
        load_settings(allowed_hosts=[entry])


def test_the_environment_lists_hosts_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_ALLOWED_HOSTS", "a.example, localhost:9200 *.b.example")
    assert load_settings().allowed_hosts == ("a.example", "localhost:9200", "*.b.example")
    monkeypatch.delenv("CHATSEARCH_ALLOWED_HOSTS")
    assert load_settings().allowed_hosts == DEFAULT_HOSTS


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1"),
        *("::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "ff02::1"),
    ],
)
def test_internal_addresses_are_known_in_every_disguise(address: str) -> None:
    assert is_internal(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111"])
def test_public_addresses_are_not(address: str) -> None:
    assert not is_internal(address)


async def test_a_public_name_of_an_internal_address_is_refused_unless_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "93.184.216.34", "10.0.0.7")
    with pytest.raises(HostRefusedError, match=r"intern\.example has an internal address.*ALLOWED_HOSTS") as caught:
        await AllowedHosts(["*"]).addresses("intern.example", 443)
    assert "10.0.0.7" not in str(caught.value)
    for entry in ("intern.example", "*.example"):
        assert await AllowedHosts(["*", entry]).addresses("intern.example", 443) == ["93.184.216.34", "10.0.0.7"]


async def test_numbers_that_mean_this_machine_are_refused_by_what_they_resolve_to() -> None:
    for host in ("2130706433", "127.1", "0x7f.1", "localhost"):
        with pytest.raises(HostRefusedError, match="has an internal address"):
            await AllowedHosts(["*"]).addresses(host, 8000)


def test_what_the_administrator_listed_is_not_shown_to_whoever_wrote_the_spec() -> None:
    with pytest.raises(HostRefusedError, match="CHATSEARCH_ALLOWED_HOSTS=…,evil.example") as caught:
        AllowedHosts(["search.intern.example"]).check("https://evil.example/")
    assert "intern" not in str(caught.value)


class TestSecrets:
    URL = "https://search.example.org:7700/x"

    def test_a_secret_goes_to_a_host_that_the_list_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI", " k3y ")
        for name in ("MEILI", "meili", "CHATSEARCH_SECRET_MEILI"):
            assert secret(name, self.URL, AllowedHosts(["search.example.org:7700"])) == "k3y"

    def test_a_spec_cannot_have_it_sent_to_a_host_that_only_the_star_allows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI", "k3y")
        with pytest.raises(HostRefusedError, match="may not be sent to evil.example.*MEILI_HOST") as caught:
            secret("MEILI", "https://evil.example/", AllowedHosts(["*"]))
        assert "k3y" not in str(caught.value)

    def test_its_own_hosts_win_over_the_list(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI", "k3y")
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI_HOST", "search.example.org:7700")
        assert secret("MEILI", self.URL, AllowedHosts(["*"])) == "k3y"
        with pytest.raises(HostRefusedError):
            secret("MEILI", "https://other.example/", AllowedHosts(["other.example"]))

    @pytest.mark.parametrize("name", ["OPENAI_API_KEY", "NOT_SET", "MEILI_HOST", "a b", "../x", "MEILI=", ""])
    def test_other_variables_cannot_be_named(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI_HOST", "search.example.org")
        with pytest.raises(HostRefusedError, match="CHATSEARCH_SECRET_"):
            secret(name, self.URL, AllowedHosts(["*"]))

    def test_one_that_would_break_a_header_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI", "a\r\nX: b")
        with pytest.raises(HostRefusedError, match="cannot be sent"):
            secret("MEILI", self.URL, AllowedHosts(["search.example.org:7700"]))


@given(st.text(max_size=60))
def test_any_text_is_refused_or_allowed_and_nothing_else(text: str) -> None:
    for url in (text, f"http://{text}", f"https://mosaic.ows.eu{text}"):
        try:
            parts = AllowedHosts().check(url)
        except HostRefusedError:
            continue
        assert plain_host(parts.hostname or "") in ("mosaic.ows.eu", "localhost", "127.0.0.1")
