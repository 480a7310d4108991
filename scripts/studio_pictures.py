"""Takes the pictures of the studio in docs/pictures, with a real studio and Debian's chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
LETTER = ROOT / "examples" / "letters" / "bread.txt"
WIDE, PHONE, WALL = (1280, 1000), (360, 740), (3840, 2160)
LONG = 600_000  # ms that an attack may take where many share the cores


def main() -> None:
    with started() as address, sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = opened(browser, address, WIDE)
        preview = page.get_by_role("region", name="Preview on a sample")
        preview.screenshot(path=PICTURES / "studio-library.png")
        released(page)
        page.screenshot(path=PICTURES / "studio-release.png")
        understood(page)
        page.screenshot(path=PICTURES / "studio-understand.png")
        attacked(page)
        page.screenshot(path=PICTURES / "studio-attack.png", full_page=True)
        calibrated(page)
        page.screenshot(path=PICTURES / "studio-calibrate.png")
        phone = opened(browser, address, PHONE, dark=True)
        understood(phone)
        phone.screenshot(path=PICTURES / "studio-phone-dark.png", full_page=True)
        wall = opened(browser, address, WALL, dark=True)
        wall.screenshot(path=PICTURES / "studio-wall-dark.png")
        browser.close()


@contextmanager
def started() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nomdeplume", "studio", "--no-browser"]
        process = subprocess.Popen(
            [*command, "--ledger", f"{folder}/ledger"], stderr=subprocess.PIPE, text=True
        )
        try:
            yield re.findall(r"http\S+", process.stderr.readline() if process.stderr else "")[0]
        finally:
            process.terminate()
            process.communicate(timeout=20)


def opened(browser: Browser, address: str, size: tuple[int, int], *, dark: bool = False) -> Page:
    view = {"width": size[0], "height": size[1]}
    page = browser.new_page(viewport=view, color_scheme="dark" if dark else "light")  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_selector("[aria-label='Preview on a sample'] svg")
    page.wait_for_selector("text=The exact promise")
    return page


def released(page: Page) -> None:
    page.get_by_label("Your text").fill(LETTER.read_text(encoding="utf-8"))
    button = page.get_by_role("button", name="Release my text")
    button.click()
    page.wait_for_selector("[aria-label='Your release'] .np-released")
    page.wait_for_selector(".q-notification", state="detached")
    page.evaluate("document.activeElement.blur(); document.querySelector('textarea').scrollTop = 0")
    page.evaluate("scrollTo(0, 0)")


def understood(page: Page) -> None:
    page.get_by_role("tab", name="Understand").click()
    page.wait_for_selector("text=It stays")
    page.wait_for_timeout(800)


def attacked(page: Page) -> None:
    page.get_by_role("tab", name="Attack yourself").click()
    page.get_by_role("button", name="Attack", exact=True).click()
    page.wait_for_selector("text=Named correctly", timeout=LONG)
    page.wait_for_timeout(800)


def calibrated(page: Page) -> None:
    page.get_by_role("tab", name="Calibrate").click()
    page.get_by_role("button", name="Find it").click()
    page.wait_for_selector("text=Take it to Release", timeout=LONG)
    page.wait_for_timeout(800)


if __name__ == "__main__":
    main()
