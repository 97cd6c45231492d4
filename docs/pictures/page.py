"""Takes the pictures of the guide's page on labelling in the browser, from `rarebit label --demo`.

python docs/pictures/page.py
"""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from rarebit.demo import rare_digit_table

FOLDER = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
N_LABELS = 90
PACE = 400  # milliseconds per row, so that the model learns between answers as it does with people
DIGITS = rare_digit_table().target


@contextmanager
def demo(folder: Path) -> Iterator[str]:
    """Run the command, and give the link that it prints."""
    command = [sys.executable, "-m", "rarebit", "label", "--demo", "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def answer(page: Page) -> None:
    """Answer the question that is shown: by a key, or by the name of a digit that is new."""
    row = page.locator(".question .id").inner_text()
    assert DIGITS is not None
    digit = str(DIGITS[int(re.sub(r"\D", "", row)) - 1])
    # The name of a button is its class, its key stands beside it.
    button = page.locator(".classes button").filter(has_text=re.compile(rf"(^|\s){digit}\s*$"))
    if button.count():
        button.first.click()
    else:
        page.keyboard.press("n")
        page.fill("dialog input", digit)
        page.keyboard.press("Enter")
    page.locator(".saving", has_text=f"{row} is {digit}").wait_for()


def take(page: Page, name: str) -> None:
    """Write what a page shows as a small file."""
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE).save(
        FOLDER / name, optimize=True
    )


def main() -> None:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with (
        tempfile.TemporaryDirectory() as folder,
        demo(Path(folder)) as link,
        sync_playwright() as running,
    ):
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(link)
        page.wait_for_selector(".question")
        for _ in range(N_LABELS):
            answer(page)
            page.wait_for_timeout(PACE)
        take(page, "page-label.png")
        page.get_by_role("link", name="Progress").click()
        page.wait_for_selector("canvas, svg")
        page.get_by_text("Model up to date").wait_for()
        page.wait_for_timeout(2000)
        take(page, "page-progress.png")
        page.get_by_role("link", name="Answers").click()
        page.wait_for_selector("table")
        take(page, "page-answers.png")
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="dark")
        page.get_by_role("link", name="Label", exact=True).click()
        page.wait_for_selector(".question")
        page.wait_for_timeout(1000)
        take(page, "page-telephone.png")
        browser.close()


if __name__ == "__main__":
    main()
