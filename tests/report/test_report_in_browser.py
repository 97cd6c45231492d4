"""The report opened in a real browser, wide and narrow, in light and dark, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WIDTHS = {"desktop": (1280, 900), "phone": (360, 740)}


@pytest.fixture(scope="module")
def address(whole_report: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = whole_report.write(tmp_path_factory.mktemp("report") / "report.html")
    return path.as_uri()


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    width, height = WIDTHS[request.param]
    opened = browser.new_page(viewport={"width": width, "height": height})
    opened.said = []
    opened.on("console", lambda message: opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.on("request", lambda request: opened.said.append(request.url))
    opened.goto(address)
    yield opened
    opened.close()


def test_opens_without_complaint_and_without_network(page: Any, address: str) -> None:
    page.wait_for_load_state("networkidle")
    # The icon of the page is empty data, so that no browser asks a server for one.
    assert [said for said in page.said if said not in {address, "data:,"}
            and not said.startswith("data:image/png")] == []  # fmt: skip


def test_the_policy_keeps_the_style_and_refuses_scripts_and_requests(page: Any) -> None:
    """Even markup that slipped into the page could run nothing and fetch nothing."""
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") == "absolute"
    refused = page.evaluate(
        """async () => {
            const refused = [];
            document.addEventListener('securitypolicyviolation',
                event => refused.push(event.effectiveDirective));
            document.body.insertAdjacentHTML('beforeend',
                '<img src="http://127.0.0.1:9/x.png"><img src="x" onerror="window.ran = true">');
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            await fetch('http://127.0.0.1:9/').catch(() => 0);
            await new Promise(done => setTimeout(done, 300));
            return window.ran ? ['ran'] : refused;
        }"""
    )
    assert {"img-src", "script-src-elem", "connect-src"} <= set(refused), refused


def test_nothing_is_cut_off_or_needs_scrolling_sideways(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= page.viewport_size["width"]
    figures = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().width)"
    )
    assert figures
    assert min(figures) > 300
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('figure svg text')]"
        ".map(t => t.getBoundingClientRect().height))"
    )
    assert smallest >= 7  # still legible letters


def test_landmarks_headings_and_names(page: Any) -> None:
    for role in ("banner", "main", "contentinfo", "navigation"):
        assert page.get_by_role(role).count() == 1, role
    assert page.get_by_role("heading", level=1).count() == 1
    regions = page.locator("main section")
    assert regions.count() == page.get_by_role("heading", level=2).count() >= 8
    for section in regions.all():
        assert section.get_attribute("aria-labelledby")
    for image in page.get_by_role("img").all():
        assert len(image.get_attribute("aria-label")) > 20
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
        assert table.locator("th[scope=col]").count() > 0


def test_can_be_read_by_keyboard(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    box = page.locator(".skip").bounding_box()
    assert box["x"] >= 0  # seen when it has the focus
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    summary = page.locator("summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None


def test_letters_can_be_told_from_the_paper_in_the_dark(browser: Any, address: str) -> None:
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(address)
        paper = _rgb(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        inks = page.evaluate(
            "['body', 'figcaption', 'a', 'figure svg text', 'dt'].map("
            "q => { const s = getComputedStyle(document.querySelector(q));"
            " return q.includes('svg') ? s.fill : s.color })"
        )
        for ink in inks:
            assert _contrast(_rgb(ink), paper) >= 4.5, (scheme, ink)
        page.close()


def _rgb(color: str) -> list[float]:
    return [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]


def _contrast(one: list[float], other: list[float]) -> float:
    """Contrast ratio of the Web Content Accessibility Guidelines."""

    def luminance(rgb: list[float]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)
