"""The studio in a real browser: how soon it is there, how soon a picture follows a slider, and
what twenty browsers at once do to it.

    python benchmarks/studio.py [seconds]

A studio of its own is started on loopback and looked at with Debian's chromium. A picture is there
when its frame is drawn, counted from the key that moved the slider. Then twenty browsers move
sliders, change words and load the page anew, for a minute; every error on either side counts, and
the memory of the server is looked at all the while.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, Response, async_playwright

from common import record

BROWSERS, SECONDS = 20, 60.0
PREVIEW, MAP = 2, 0  # places of pictures in their panels
LOADS, MOVES = 7, 40
WORDS = ("bread", "winter", "doctor", "music", "river", "engine", "garden", "school")
PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0].startTime"""
WATCH = """place => {
  const panel = [...document.querySelectorAll(".q-tab-panel")].find(each => each.offsetParent);
  const picture = panel.querySelectorAll(".np-picture")[place];
  panel.querySelector("input[type=range]").focus();
  window.moved = new Promise(resolve => {
    let began = 0;
    const begin = () => began = performance.now();
    window.addEventListener("keydown", begin, {capture: true, once: true});
    new MutationObserver((_, watch) => {
      if (!began) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    }).observe(picture, {childList: true, subtree: true, attributes: true});
  });
}"""
LEFT, RIGHT = "ArrowLeft", "ArrowRight"


@dataclass
class Load:
    """What twenty browsers did, and what went wrong."""

    done: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def answered(self, response: Response) -> None:
        self.done["answers"] += 1
        if response.status >= 400:
            self.errors.append(response.url)

    def heard(self, _: object) -> None:
        self.done["messages"] += 1


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    with started() as (address, process):
        asyncio.run(looked(address, process, seconds))


@contextmanager
def started() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A studio, and its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nomdeplume", "studio", "--no-browser"]
        process = subprocess.Popen(
            [*command, "--ledger", f"{folder}/ledger"],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"HOME": folder},
        )
        try:
            line = process.stderr.readline() if process.stderr else ""
            yield re.findall(r"http\S+", line)[0], process
        finally:
            process.terminate()
            process.communicate(timeout=20)


async def looked(address: str, process: subprocess.Popen[str], seconds: float) -> None:
    async with async_playwright() as playwright:
        path = shutil.which("chromium")
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        found: dict[str, Any] = {
            "first paint, ms": await paints(browser, address),
            "slider to picture, ms": await slides(browser, address),
        }
        found[f"{BROWSERS} browsers"] = await loaded(browser, address, process, seconds)
        await browser.close()
    record("studio", found)


async def paints(browser: Browser, address: str) -> dict[str, Any]:
    """From asking for the page to its first paint, and to its first picture; nothing cached."""
    first, picture = [], []
    for _ in range(LOADS):
        page = await opened(browser)
        began = time.perf_counter()
        await page.goto(address)
        await page.wait_for_selector(".np-picture svg", state="visible")
        picture.append(1000 * (time.perf_counter() - began))
        first.append(await page.evaluate(PAINTED))
        await page.context.close()
    return {"first paint": spread(first[1:]), "first picture": spread(picture[1:])}


async def slides(browser: Browser, address: str) -> dict[str, Any]:
    page = await opened(browser)
    await page.goto(address)
    await page.wait_for_selector("[aria-label='Preview on a sample'] svg")
    found = {"release, whole text": await moves(page, PREVIEW)}
    await page.get_by_role("tab", name="Understand").click()
    await page.wait_for_selector(".np-picture svg >> visible=true")
    found["understand, word by word"] = await moves(page, MAP)
    await page.context.close()
    return found


async def moves(page: Page, place: int) -> dict[str, float]:
    """Over so many moves of the slider that is shown."""
    await asyncio.sleep(1)
    times = []
    for i in range(MOVES):
        key = RIGHT if i // 10 % 2 == 0 else LEFT
        times.append(await moved(page, key, place))
        await asyncio.sleep(0.25)
    return spread(times[2:])


async def moved(page: Page, key: str, place: int) -> float:
    """Milliseconds from a key on the slider to the picture of where it stands."""
    await page.evaluate(WATCH, place)
    await page.keyboard.press(key)
    return float(await page.evaluate("window.moved"))


async def loaded(
    browser: Browser, address: str, process: subprocess.Popen[str], seconds: float
) -> dict[str, Any]:
    load, until = Load(), time.monotonic() + seconds
    watching = asyncio.create_task(watched(load, process.pid, until))
    await asyncio.gather(*(visit(browser, address, load, i, until) for i in range(BROWSERS)))
    await watching
    print(*load.errors[:5], sep="\n", file=sys.stderr)
    third = len(load.memory) // 3
    middle, last = load.memory[third : 2 * third], load.memory[2 * third :]
    return {
        "seconds": seconds,
        "done": dict(load.done),
        "errors": len(load.errors) + (process.poll() is not None),
        "MiB at most": round(max(load.memory)),
        "last third over the middle one": round(statistics.mean(last) / statistics.mean(middle), 3),
    }


async def visit(browser: Browser, address: str, load: Load, number: int, until: float) -> None:
    """One browser: it loads the page, moves sliders, types words, and loads it again."""
    page = await opened(browser)
    page.on("pageerror", lambda error: load.errors.append(str(error)))
    page.on("console", lambda m: load.errors.append(m.text) if m.type == "error" else None)
    page.on("response", load.answered)
    page.on("websocket", lambda line: line.on("framereceived", load.heard))
    await page.goto(address)
    while time.monotonic() < until:
        await page.goto(address.partition("?")[0])
        load.done["pages"] += 1
        await page.wait_for_selector("[aria-label='Preview on a sample'] svg", timeout=30_000)
        for _ in range(8):
            await moved(page, RIGHT, PREVIEW)
            load.done["previews"] += 1
            await asyncio.sleep(0.5)
        await page.get_by_role("tab", name="Understand").click()
        await page.wait_for_selector(".np-picture svg >> visible=true", timeout=30_000)
        await page.get_by_label("A word").fill(WORDS[number % len(WORDS)])
        for _ in range(6):
            await moved(page, LEFT, MAP)
            load.done["maps"] += 1
            await asyncio.sleep(0.5)
    await page.context.close()


async def watched(load: Load, pid: int, until: float) -> None:
    while time.monotonic() < until:
        load.memory.append(resident(pid))
        await asyncio.sleep(0.5)


def resident(pid: int) -> float:
    """MiB of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def opened(browser: Browser) -> Page:
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    return await context.new_page()


def spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "nine in ten below": round(ordered[int(0.9 * (len(ordered) - 1))], 1),
        "most": round(ordered[-1], 1),
    }


if __name__ == "__main__":
    main()
