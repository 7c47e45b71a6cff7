"""The documents page in a real browser: what is there, and files that come, are replaced, fail and go."""

from fonte.corpus import Corpus
from tests.serving.conftest import running, tiny_settings, write_library
from tests.serving.page.conftest import chip_of


def test_documents_show_their_chunks_and_open_at_them(page, url):
    page.goto(f"{url}/#documents")
    entry = page.locator(".documents > li", has_text="valve.md")
    entry.locator("summary").click()
    entry.locator(".chunks li").first.wait_for()
    assert entry.locator(".metadata").inner_text().split() == ["language", "en", "year", "2024"]
    entry.get_by_role("button", name="Chunk 1").click()
    page.locator("#source mark").wait_for()
    assert "3 bar" in page.locator("#source mark").inner_text()


def test_a_filter_that_cannot_be_read_is_explained(page, url):
    page.goto(f"{url}/#documents")
    page.get_by_label("Only documents where").last.fill("color=red")
    page.keyboard.press("Enter")
    page.locator("#documents .trouble").wait_for()
    assert "year" in page.locator("#documents .trouble").inner_text()
    page.get_by_label("Only documents where").last.fill("year=2024")
    page.keyboard.press("Enter")
    page.locator("#documents", has_text="1 document").wait_for()


def test_files_come_are_replaced_fail_and_go(page, tmp_path):
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus, running(corpus) as (_, client):
        page.goto(str(client.base_url))
        page.get_by_role("heading", name="There are no documents yet").wait_for()
        page.get_by_role("link", name="Add documents").click()

        def send(label, name, content):
            page.get_by_label(label).set_input_files([{"name": name, "mimeType": "text/plain", "buffer": content}])

        send("Add files", "<b>fan.md", b"# Fan 3\n\nThe fan turns 900 times a minute.\n")
        page.locator(".uploads li[data-state=indexed]", has_text="fan.md").wait_for()
        entry = page.locator(".documents > li", has_text="Fan 3")
        entry.locator("summary").click()
        send("Replace with another file", "fan.md", b"# Fan 4\n\nThe fan turns 700 times a minute.\n")
        page.locator(".uploads li[data-state=replaced]").wait_for()
        page.locator(".documents > li", has_text="Fan 4").wait_for()
        send("Add files", "broken.pdf", b"%PDF-1.7 no more than this")
        failed = page.locator(".uploads li[data-state=failed]")
        failed.wait_for()
        assert failed.locator(".reason").inner_text()
        send("Add files", "program.exe", b"MZ")
        page.locator(".uploads li[data-state=failed]", has_text="program.exe").wait_for()

        entry = page.locator(".documents > li", has_text="Fan 4")
        entry.locator("summary").click()
        entry.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        page.locator("#documents", has_text="No documents.").wait_for()
        assert client.get("/v1/documents").json()["total"] == 0


def test_a_document_that_was_replaced_still_shows_the_passage_as_it_was(page, tmp_path):
    library = write_library(tmp_path / "library")
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus:
        corpus.add([library])
        with running(corpus) as (_, client):
            page.goto(str(client.base_url))
            page.get_by_label("Ask your documents").fill("How long does the pump run?")
            page.keyboard.press("Enter")
            page.locator(".turn .made").wait_for()
            (library / "pump.txt").write_text("Now it is about something else.\n", "utf-8")
            corpus.add([library])
            chip_of(page, client, "The pump runs for 40 hours.").click()
            page.locator("#source mark").wait_for()
            assert page.locator("#source mark").inner_text() == "The pump runs for 40 hours."
            assert "was replaced since" in page.locator("#source").inner_text()
