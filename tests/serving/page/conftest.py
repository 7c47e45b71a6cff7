"""Chromium, and a server with tiny models whose library holds a PDF and a document that would like to run scripts."""

from __future__ import annotations

import os
import shutil

import pytest

from fonte.corpus import Corpus
from fonte.serving.keys import KeyFile
from tests.serving.conftest import running, tiny_settings, write_library

WAIT = 30_000
BOILER = "The boiler reaches ninety degrees."
HOSTILE = "<img src=x onerror=fonteBroken=1>"


# No longer than a module: while it runs, its event loop stands in the way of tests that start one.
@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed; apt-get install chromium")
    with playwright.sync_playwright() as running_playwright:
        # The sandbox of Chromium cannot be had as root.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = running_playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A page in a context of its own; whatever goes wrong in its scripts fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT)
    opened = context.new_page()
    wrong, foreign = [], []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda line: wrong.append(line.text) if "Content Security Policy" in line.text else None)
    opened.on("request", lambda request: foreign.append(request.url) if not is_own(request.url) else None)
    yield opened
    assert wrong == []
    assert foreign == []
    context.close()


def is_own(url):
    return url.startswith(("http://127.0.0.1:", "blob:http://127.0.0.1:"))


def write_pdf(path):
    from reportlab.lib.pagesizes import A5
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=A5, invariant=True)
    canvas.setTitle("Boiler 4")
    canvas.drawString(60, 500, "This page is about something else.")
    canvas.showPage()
    for line, text in enumerate(["Always wear gloves near it. The boiler reaches", "ninety degrees. Let it cool."]):
        canvas.drawString(60, 400 - 16 * line, text)
    canvas.save()


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """Yield the service, a client and the library's folder."""
    folder = tmp_path_factory.mktemp("page")
    library = write_library(folder / "library")
    write_pdf(library / "boiler.pdf")
    (library / f"{HOSTILE.replace('/', '')}.md").write_text(
        f"# <script>fonteBroken = 2</script> {HOSTILE}\n\nThe lever is <script>fonteBroken = 3</script> {HOSTILE} red.",
        "utf-8",
    )
    with Corpus.open(folder / "corpus", tiny_settings(), create=True) as corpus:
        corpus.add([library])
        with running(corpus, keys=KeyFile(folder / "keys.json")) as (service, client):
            yield service, client, library


@pytest.fixture
def url(served):
    return str(served[1].base_url).rstrip("/")


def ask(page, url, question):
    """Ask on a fresh page, and return when the answer has ended."""
    page.goto(url)
    page.get_by_label("Ask your documents").fill(question)
    page.keyboard.press("Enter")
    page.locator(".turn .made").wait_for()


def chip_of(page, client, quote):
    """Return the chip of the citation of `quote`: the tiny models are random, and may cite more than was asked for."""
    record = client.get("/v1/answers?limit=1").json()["data"][0]["id"]
    citations = client.get(f"/v1/answers/{record}").json()["citations"]
    number = next(n for n, each in enumerate(citations) if " ".join(each["quote"].split()) == quote)
    return page.locator(".answer button.chip").nth(number)
