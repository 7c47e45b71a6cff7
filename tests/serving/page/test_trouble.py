"""What the page says when things go wrong: no key, no server, a model that gives out, one question too many."""

import pytest

from fonte.corpus import Corpus
from fonte.errors import EndpointError
from fonte.serving.keys import KeyFile
from tests.generation.scripted import ScriptedLanguageModel
from tests.serving.conftest import running, tiny_settings, write_library
from tests.serving.test_faults import Endless

GOOD = "The pump runs for 40 hours. "


@pytest.fixture
def corpus(tmp_path):
    with Corpus.open(tmp_path / "corpus", tiny_settings(mode="write"), create=True) as opened:
        opened.add([write_library(tmp_path / "library")])
        yield opened


def asked(page, question="How long does the pump run?"):
    page.get_by_label("Ask your documents").fill(question)
    page.keyboard.press("Enter")


def test_a_key_is_asked_for_and_kept_in_the_tab_only(page, corpus, tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    key, _ = keys.add("reader")
    with running(corpus, keys=keys) as (_, client):
        page.goto(str(client.base_url))
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Key").fill("wrong")
        page.keyboard.press("Enter")
        page.get_by_text("The server does not accept this key.").wait_for()
        page.get_by_role("dialog").get_by_label("Key").fill(key)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Ask your documents").wait_for()
        assert page.evaluate("[Object.values(sessionStorage).length, localStorage.length, document.cookie]") == [
            1,
            0,
            "",
        ]
        page.reload()
        page.get_by_role("heading", name="Ask your documents").wait_for()
        assert page.get_by_role("dialog").count() == 0


def test_without_a_key_the_page_says_so_and_offers_another_try(page, corpus, tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    keys.add("reader")
    with running(corpus, keys=keys) as (_, client):
        page.goto(str(client.base_url))
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        page.locator("#trouble .trouble").wait_for()
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("dialog").wait_for()


def test_a_server_that_is_gone_is_named_and_the_question_is_kept(page, corpus):
    with running(corpus) as (_, client):
        page.goto(str(client.base_url))
        page.get_by_role("heading", name="Ask your documents").wait_for()
    asked(page)
    page.locator(".turn .trouble", has_text="The server does not answer").wait_for()
    page.get_by_role("button", name="Try again").click()
    page.locator(".turn .trouble", has_text="The server does not answer").wait_for()
    assert page.locator(".turn h2").inner_text() == "How long does the pump run?"


def test_a_model_that_gives_out_leaves_what_there_was_and_says_so(page, corpus):
    model = ScriptedLanguageModel([GOOD, EndpointError("connection lost")], [GOOD, EndpointError("connection lost")])
    with running(corpus, model) as (_, client):
        page.goto(str(client.base_url))
        asked(page)
        page.locator(".turn .trouble", has_text="connection lost").wait_for()
        assert "40 hours" in page.locator(".answer").inner_text()


def test_what_the_sources_do_not_answer_is_said_in_words(page, corpus):
    with running(corpus) as (_, client):
        page.goto(str(client.base_url))
        asked(page, "xylophone")
        page.locator(".answer .notice", has_text="The sources do not answer this.").wait_for()
        assert page.get_by_role("button", name="Measure what moved this answer").count() == 0
        assert page.locator(".effect-row").count() == 0


def test_an_answer_can_be_stopped_and_the_work_ends(page, corpus):
    model = Endless()
    with running(corpus, model) as (_, client):
        page.goto(str(client.base_url))
        asked(page)
        page.locator(".answer", has_text="word9").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.locator(".turn .state", has_text="Stopped").wait_for()
        assert model.stopped.wait(60)
        page.get_by_role("button", name="Ask", exact=True).wait_for()
