"""Opens a page in a browser, closes it, and prints what is left of it in this very process."""

import gc
import json
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from playwright.sync_api import sync_playwright

from nomdeplume.vocabulary import Vocabulary
from nomdeplume.web.server import Place, serve
from nomdeplume.web.studio import Studio

PATIENCE = 300  # seconds
OF_A_PAGE = ("Client", "ReleasePanel", "WordView", "AttackPanel", "CalibratePanel", "Latest")


def main(folder: Path, secret: str) -> None:
    place, up = Place.taken("127.0.0.1", 0), threading.Event()
    studio = Studio(Vocabulary.given(None), folder / "ledger")
    threading.Thread(target=serve, args=(studio, place, up.set), daemon=True).start()
    up.wait(PATIENCE)
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(place.address)
        page.get_by_label("Your text").fill(secret)
        page.wait_for_selector("[aria-label='Preview on a sample'] svg")
        page.get_by_role("tab", name="Attack yourself").click()
        page.wait_for_selector("text=Texts whose authors are known")
        file = {"name": "a.jsonl", "mimeType": "text/plain", "buffer": corpus(secret)}
        page.locator("input[type=file]").set_input_files(file)
        page.wait_for_selector("text=Your file")
        print(*left(secret))
        page.close()
        until = time.monotonic() + PATIENCE
        while sum(left(secret)) and time.monotonic() < until:
            time.sleep(0.1)
        print(*left(secret))
        browser.close()


def corpus(secret: str) -> bytes:
    """A file that can be attacked."""
    lines = [json.dumps({"text": secret, "author": author}) for author in "ab" * 3]
    return "\n".join(lines).encode()


def left(secret: str) -> tuple[int, int]:
    """Objects of pages, and texts or files that hold the secret."""
    objects = gc.get_objects()
    kinds = Counter(type(each).__name__ for each in objects)
    held = [v for each in objects if isinstance(each, dict) for v in list(each.values())]
    held += [
        getattr(each, "data", None) for each in objects if type(each).__name__ == "AttackPanel"
    ]
    known = (secret, corpus(secret))
    return sum(kinds[name] for name in OF_A_PAGE), sum(
        type(v) in (str, bytes) and v is not secret and v in known for v in held
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
