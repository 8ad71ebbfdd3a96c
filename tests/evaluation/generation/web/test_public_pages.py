"""Pages from a web that nobody may use to look into this machine's network."""

from __future__ import annotations

import asyncio
import gzip
import socket
from typing import Any

import pytest
from aiohttp.resolver import ThreadedResolver
from each_row import failing
from small_web import SmallWeb, slowly

from fiducial.evaluation.generation.web.engine import PageError
from fiducial.evaluation.generation.web.public_pages import Bounds, fetch, is_public

AREA = "the web of agents"

OTHER_SPELLINGS = [
    "\u0661\u0662\u0667.\u0660.\u0660.\u0661",
    "\u0967\u0968\u096d.\u0966.\u0966.\u0967",
    "\U0001d7cf\U0001d7d0\U0001d7d5.\U0001d7ce.\U0001d7ce.\U0001d7cf",
    "\u00b9\u00b2\u2077.\u2070.\u2070.\u00b9",
    "\u2460\u2461\u2466\uff61\u24ea\uff61\u24ea\uff61\u2460",
    "127\uff0e0\uff0e0\uff0e1",
    "127\uff610\uff610\uff611",
    "127.0.0.\u200b1",
    "127.0.0\u00ad.1",
    "127\u2060.0.0.1",
    "12\ufe0f7.0.0.1",
    "0177.0.0.1",
    "0x7f000001",
    "017700000001",
    "0x7f.1",
    "127.0.1",
    "127.0.0.1.",
    "127.0.0.1..",
    "0",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127.0.0.1%00.example.com",
    "LOCALHOST",
    "localhost.",
    "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
    "loc\u00adalhost",
    "localho\u017ft",
    "\U0001d425ocalhost",
    "someone@127.0.0.1",
    "example.com@127.0.0.1",
    "example.com\\@127.0.0.1",
    "127.0.0.1\\@example.com",
    "[0:0:0:0:0:0:0:1]",
    "[::1%25lo]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]",
    "[100::1]",
    "[2001:db8::1]",
    "[ff02::1]",
    "[fd00:ec2::254]",
    "100.64.0.1",
    "198.18.0.1",
    "203.0.113.1",
    "240.0.0.1",
    "255.255.255.255",
    "192.88.99.1",
    "2852039166",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
]
"""Further spellings of this machine and of networks that nobody outside reaches."""

HERE = Bounds(allowed={"127.0.0.1"})


def got(url: str, bounds: Bounds = HERE) -> Any:
    return asyncio.run(fetch(url, bounds))


@pytest.mark.attack(AREA)
def test_a_page_comes_with_its_address_and_whether_it_is_html(web: SmallWeb):
    web.pages["/a"] = (200, {}, "<p>Grüße</p>".encode())
    web.pages["/b"] = (200, {"Content-Type": "text/plain; charset=latin-1"}, "Grüße".encode("latin-1"))
    assert got(f"{web.root}/a") == (f"{web.root}/a", "<p>Grüße</p>", True)
    assert got(f"{web.root}/b") == (f"{web.root}/b", "Grüße", False)


HOSTS = [
    "127.0.0.1",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "0.0.0.0",
    "10.0.0.1",
    "169.254.169.254",
    "192.168.1.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1%25lo]",
    "[fc00::1]",
    "224.0.0.1",
    "１２７.0.0.1",  # noqa: RUF001 - such digits are the attack
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "⑯⑨。②⑤④。⑯⑨。②⑤④",
    "ｌｏｃａｌｈｏｓｔ",  # noqa: RUF001 - such letters, too
    "[64:ff9b:1::7f00:1]",
    "[fec0::1]",
    "[::7f00:1]",
    "[::ffff:0:7f00:1]",
    "192.0.0.8",
    "192.0.0.10",
    *OTHER_SPELLINGS,
]


@pytest.mark.attack(AREA, forms=len(HOSTS))
def test_no_address_of_this_machine_or_its_network_is_asked(web: SmallWeb):
    web.pages["/"] = (200, {}, b"secret")

    def attempt(host: str) -> None:
        with pytest.raises(PageError):
            got(f"http://{host}:{web.port}/", Bounds())
        assert web.asked == []

    assert failing(HOSTS, attempt) == {}


@pytest.mark.attack(AREA)
def test_a_name_that_stands_for_a_private_address_is_not_asked(
    web: SmallWeb, monkeypatch: pytest.MonkeyPatch
):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", web.port))]

    def looked_up(*_: Any, **__: Any) -> Any:
        return found

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    with pytest.raises(PageError, match="no public address"):
        got(f"http://innocent.example:{web.port}/", Bounds())
    assert web.asked == []


@pytest.mark.attack(AREA)
def test_a_redirect_to_a_private_address_is_not_followed(web: SmallWeb):
    web.pages["/out"] = (302, {"Location": f"http://localhost:{web.port}/in"}, b"")
    with pytest.raises(PageError, match="no public address"):
        got(f"{web.root}/out")
    assert web.asked == ["/out"]


@pytest.mark.attack(AREA)
@pytest.mark.parametrize("host", ["１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①"])  # noqa: RUF001 - such digits are the attack
def test_a_redirect_to_letters_that_become_numbers_is_not_followed(web: SmallWeb, host: str):
    location = f"http://{host}:{web.port}/in".encode().decode("latin-1")
    web.pages["/out"] = (302, {"Location": location}, b"")
    web.pages["/in"] = (200, {}, b"secret")
    with pytest.raises(PageError, match="no public address"):
        got(f"http://localhost:{web.port}/out", Bounds(allowed={"localhost"}))
    assert "/in" not in web.asked


@pytest.mark.attack(AREA)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_an_address_is_checked_when_its_socket_is_made_whatever_was_read_before(
    web: SmallWeb, monkeypatch: pytest.MonkeyPatch, host: str
):
    def nothing(*_: Any) -> None:
        return None

    monkeypatch.setattr("fiducial.evaluation.generation.web.public_pages._require_no_numbers", nothing)

    async def any_address(_guard: Any, host: str, port: int = 0, family: Any = socket.AF_UNSPEC) -> Any:
        return await ThreadedResolver().resolve(host, port, family)

    monkeypatch.setattr("fiducial.evaluation.generation.web.public_pages._Guard.resolve", any_address)
    with pytest.raises(PageError):
        got(f"http://{host}:{web.port}/", Bounds())
    assert web.asked == []


CHARSETS = (
    *("punycode", "idna", "utf-7", "unicode_escape", "rot13", "zlib", "cp65001", "PUNYCODE", "u7", "raw_unicode_escape"),
    *("base64", "bz2", "hex", "quopri", "uu", "undefined", "charmap", "utf-8-sig", "utf_32", "hz", "iso2022_kr", "mbcs"),
    *("'punycode'", '"utf-7"', "x" * 5_000, "../utf-8"),
)  # fmt: skip


@pytest.mark.attack(AREA, forms=len(CHARSETS))
def test_an_encoding_that_is_not_of_the_web_is_read_as_utf_8(web: SmallWeb):
    text = "a-" * 50_000

    def attempt(charset: str) -> None:
        web.pages["/"] = (200, {"Content-Type": f"text/plain; charset={charset}"}, text.encode())
        assert got(f"{web.root}/").text == text

    assert failing(CHARSETS, attempt) == {}


LOCATIONS = (
    *("//127.0.0.1:{}/in", "///127.0.0.1:{}/in", "http:127.0.0.1:{}/in", "http:/127.0.0.1:{}/in"),
    *("http:\\\\127.0.0.1:{}/in", "/\\127.0.0.1:{}/in", "\thttp://127.0.0.1:{}/in", "http://127.0.0.1:{}\\@localhost/in"),
    *("http://localhost@127.0.0.1:{}/in", "HTTP://127.1:{}/in", "http://0x7f000001:{}/in", "http://127.0.0.1.:{}/in"),
    *("https://127.0.0.1:{}/in", "ftp://127.0.0.1:{}/in", "data:text/plain,secret", "gopher://127.0.0.1:{}/in"),
)  # fmt: skip


@pytest.mark.attack(AREA, forms=len(LOCATIONS))
def test_a_redirect_reaches_no_private_address_in_any_spelling(web: SmallWeb):
    web.pages["/in"] = (200, {}, b"secret")

    def attempt(location: str) -> None:
        web.pages["/out"] = (302, {"Location": location.format(web.port)}, b"")
        with pytest.raises(PageError):
            got(f"http://localhost:{web.port}/out", Bounds(allowed={"localhost"}))
        assert "/in" not in web.asked

    assert failing(LOCATIONS, attempt) == {}


@pytest.mark.attack(AREA)
@pytest.mark.parametrize("header", ["Refresh", "Content-Location", "Link", "Alt-Svc"])
def test_no_other_header_leads_elsewhere(web: SmallWeb, header: str):
    there = f"http://127.0.0.1:{web.port}/in"
    web.pages["/out"] = (
        200,
        {header: f"0; url={there}"},
        f'<meta http-equiv="refresh" content="0; url={there}">'.encode(),
    )
    web.pages["/in"] = (200, {}, b"secret")
    assert "secret" not in got(f"{web.root}/out").text
    assert web.asked == ["/out"]


@pytest.mark.attack(AREA)
def test_redirects_are_followed_so_many_times(web: SmallWeb):
    web.pages["/0"] = (302, {"Location": "/1"}, b"")
    web.pages["/1"] = (200, {}, b"there")
    assert got(f"{web.root}/0").text == "there"
    web.pages["/loop"] = (302, {"Location": "/loop"}, b"")
    with pytest.raises(PageError, match="more than 5 redirects"):
        got(f"{web.root}/loop")
    assert web.asked.count("/loop") == 6


@pytest.mark.attack(AREA)
def test_a_redirect_to_a_file_is_no_page(web: SmallWeb):
    web.pages["/file"] = (302, {"Location": "file:///etc/passwd"}, b"")
    with pytest.raises(PageError, match="must begin with http"):
        got(f"{web.root}/file")


NO_URLS = ("", "x", "ftp://a/b", "file:///etc/passwd", "http://", "http://a:b@c/", "http://[", "http://a:x/")


@pytest.mark.attack(AREA, forms=len(NO_URLS))
def test_what_is_no_address_of_the_web_is_refused():
    def attempt(url: str) -> None:
        with pytest.raises(PageError):
            got(url, Bounds())

    assert failing(NO_URLS, attempt) == {}


@pytest.mark.attack(AREA)
def test_a_page_is_cut_off_at_its_size_also_when_it_was_packed_small(web: SmallWeb):
    web.pages["/"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 5_000_000))
    assert len(got(f"{web.root}/", HERE._replace(size=1000)).text) == 1000


@pytest.mark.attack(AREA)
def test_a_page_that_never_ends_ends(web: SmallWeb):
    web.pages["/"] = slowly
    with pytest.raises(PageError, match=r"no page within 0\.3 seconds"):
        got(f"{web.root}/", HERE._replace(seconds=0.3))


@pytest.mark.attack(AREA)
@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_error_is_told_as_a_browser_would(web: SmallWeb, status: int):
    web.pages["/"] = (status, {}, b"")
    with pytest.raises(PageError, match=f"{status} (Client|Server) Error"):
        got(f"{web.root}/")


@pytest.mark.attack(AREA)
def test_what_is_no_text_is_not_read(web: SmallWeb):
    web.pages["/"] = (200, {"Content-Type": "image/png"}, b"\x89PNG")
    with pytest.raises(PageError, match="not a text: image/png"):
        got(f"{web.root}/")


@pytest.mark.attack(AREA)
def test_nothing_listens(web: SmallWeb):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(PageError, match="ClientConnectorError"):
        got(f"http://127.0.0.1:{port}/")


@pytest.mark.attack(AREA)
def test_an_unknown_encoding_is_read_as_utf_8(web: SmallWeb):
    web.pages["/"] = (200, {"Content-Type": "text/plain; charset=nonsense"}, b"\xff")
    assert got(f"{web.root}/").text == "\ufffd"


NOT_PUBLIC = (
    *("100.64.0.1", "100.100.100.200", "168.63.129.16", "169.254.169.254", "192.88.99.1", "198.18.0.1", "203.0.113.1"),
    *("240.0.0.1", "255.255.255.255", "0.1.2.3", "2002:7f00:1::", "2002:a9fe:a9fe::", "2001:0:7f00:1::", "100::1"),
    *("64:ff9b::a9fe:a9fe", "64:ff9b::a83f:8110", "::ffff:168.63.129.16", "::ffff:169.254.169.254", "2001:db8::1"),
    *("3fff::1", "5f00::1", "2001:20::1", "2001:2::1", "::ffff:0:808:808", "fd00:ec2::254", "ff02::1", "fe80::1", "::7f00:1"),
)  # fmt: skip


@pytest.mark.attack(AREA, forms=len(NOT_PUBLIC))
def test_addresses_of_clouds_relays_and_documents_are_not_public():
    assert [address for address in NOT_PUBLIC if is_public(address)] == []


def test_open_addresses_are_public():
    for address in ("93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"):
        assert is_public(address), address


@pytest.mark.attack(AREA)
def test_the_agents_own_addresses_are_all_that_is_asked(monkeypatch: pytest.MonkeyPatch, web: SmallWeb):
    monkeypatch.setenv("http_proxy", web.root)
    with pytest.raises(PageError):
        got("http://nowhere.invalid/", Bounds(seconds=5))
    assert web.asked == []
    assert Bounds().allowed == ()
