"""Asking in a real browser: the answer, its citations, the place in the original, and what the answer rests on."""

import re

import pytest

from tests.serving.page.conftest import BOILER, HOSTILE, ask, chip_of

QUESTION = "How many degrees does the boiler reach?"


def test_an_answer_streams_in_and_its_citations_are_chips(page, url):
    answers = []
    page.on("response", lambda response: answers.append(response) if "chat/completions" in response.url else None)
    ask(page, url, QUESTION)
    assert "text/event-stream" in answers[0].headers["content-type"]
    assert BOILER in page.locator(".answer").inner_text().replace("\n", " ")
    chip = page.locator(".answer button.chip").first
    assert "Source" in chip.get_attribute("aria-label")
    assert "[1]" not in page.locator(".answer").inner_text()
    assert page.locator("#status").inner_text().startswith("Answer:")
    assert page.locator(".supported-row").first.inner_text().endswith("by quote overlap")


def test_the_highlight_is_on_the_right_words(page, url, served):
    _, client, library = served
    ask(page, url, QUESTION)
    chip_of(page, client, BOILER).click()
    highlights = page.locator("#source .highlight")
    highlights.first.wait_for()
    frame = page.locator("#source .page").bounding_box()
    drawn = [highlights.nth(number).bounding_box() for number in range(highlights.count())]
    size, words = printed(library / "boiler.pdf", 2)
    scale = frame["width"] / size[0]
    inside = {
        word
        for word, (left, top, right, bottom) in words
        if any(covers(box, frame, scale, (left + right) / 2, (top + bottom) / 2) for box in drawn)
    }
    assert inside == set(BOILER.split())
    assert highlights.first.evaluate("mark => mark.closest('.page').querySelector('img').naturalWidth") > 100


def covers(box, frame, scale, x, y):
    left, top = (box["x"] - frame["x"]) / scale, (box["y"] - frame["y"]) / scale
    return left <= x <= left + box["width"] / scale and top <= y <= top + box["height"] / scale


def printed(path, number):
    """Return the size of a page in points and its words with boxes from the top left corner, read without fonte."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        width, height = page.get_size()
        text = page.get_textpage()
        whole = text.get_text_range()
        words = []
        for found in re.finditer(r"\S+", whole):
            boxes = [text.get_charbox(index) for index in range(*found.span())]
            lefts, bottoms, rights, tops = zip(*boxes, strict=True)
            words.append((found.group(), (min(lefts), height - max(tops), max(rights), height - min(bottoms))))
        return (width, height), words


def test_a_text_source_opens_with_the_span_marked_and_closes_with_escape(page, url, served):
    ask(page, url, "How long does the pump run?")
    chip = chip_of(page, served[1], "The pump runs for 40 hours.")
    chip.focus()
    page.keyboard.press("Enter")
    page.locator("#source mark").wait_for()
    assert page.locator("#source mark").inner_text() == "The pump runs for 40 hours."
    assert page.evaluate("document.activeElement.closest('#source') !== null")
    page.keyboard.press("Escape")
    assert page.locator("#source").is_hidden()
    assert page.evaluate("document.activeElement.className") == "chip"


def test_a_link_of_the_api_opens_the_source(page, url, served):
    _, client, _ = served
    document = next(d for d in client.get("/v1/documents").json()["data"] if d["document"] == "pump.txt")
    page.goto(f"{url}/?document={document['document_id']}&start=4&end=8")
    page.locator("#source mark").wait_for()
    assert page.locator("#source mark").inner_text() == "pump"


def test_an_answer_is_still_there_when_the_page_is_loaded_again(page, url):
    ask(page, url, "How long does the pump run?")
    page.reload()
    page.locator(".answer button.chip").first.wait_for()
    assert page.locator(".turn h2").inner_text() == "How long does the pump run?"


def test_effects_are_measured_and_shown_as_the_api_tells_them(page, url, served):
    _, client, _ = served
    ask(page, url, "How long does the pump run?")
    effects = page.locator(".effect-row .value")
    assert set(effects.all_text_contents()) == {"not measured"}
    page.get_by_role("button", name="Measure what moved this answer").click()
    page.locator(".summary", has_text="95 % intervals").wait_for()
    record = client.get("/v1/answers?limit=1").json()["data"][0]["id"]
    told = client.get(f"/v1/answers/{record}/effects").json()["explanation"]
    by_id = {effect["passage_id"]: effect for effect in told["effects"]}
    page.locator(".rest summary").evaluate_all("all => all.forEach((each) => each.parentElement.open = true)")
    cards = page.locator(".passage")
    assert cards.count() == len(by_id)
    for number in range(cards.count()):
        card = cards.nth(number)
        effect = by_id[card.get_attribute("data-passage")]
        if effect["status"] == "no_measurable_effect":
            assert card.locator(".effect-row .value").inner_text() == "no measurable effect"
            assert card.locator(".whisker").count() == 0
        elif effect["status"] == "measured":
            assert f"{abs(effect['value']):.1f}" in card.locator(".effect-row .value").inner_text()
            assert card.locator(".whisker").count() == 1


def test_the_same_question_is_asked_again_without_a_passage(page, url):
    ask(page, url, "How long does the pump run?")
    page.get_by_role("button", name="Ask again without passage 1").click()
    verdict = page.locator(".experiment .verdict")
    verdict.filter(has_text=re.compile(r"\w")).wait_for()
    assert "40 hours" in page.locator(".experiment .side").first.inner_text()
    assert "40 hours" not in page.locator(".experiment .side").last.inner_text()
    assert "same" not in verdict.inner_text()


def test_two_settings_are_compared_side_by_side(page, url):
    page.goto(f"{url}/#compare")
    compare = page.locator("#compare")
    for options in (0, 1):
        compare.get_by_label("Answer").nth(options).select_option("quote")
    compare.get_by_label("Passages").nth(1).fill("1")
    page.get_by_label("A question for both").fill("How long does the pump run?")
    page.get_by_role("button", name="Compare").click()
    page.locator(".results .verdict").filter(has_text=re.compile(r"\w")).wait_for()
    for half in ("First settings", "Second settings"):
        assert "40 hours" in page.locator(".results .side", has_text=half).inner_text()
    assert page.locator(".results .found").last.locator("li").count() == 1
    assert page.locator(".results .found").first.locator(".only").count() >= 1


def test_markup_in_documents_and_their_names_stays_text(page, url):
    ask(page, url, "What colour is the lever?")
    page.locator(".evidence").wait_for()
    page.goto(f"{url}/#documents")
    page.locator(".documents > li").first.wait_for()
    assert HOSTILE in page.locator("#documents").inner_text()
    page.locator(".documents .title", has_text="<script>").click()
    page.locator("#source .words").wait_for()
    assert HOSTILE in page.locator("#source").inner_text()
    page.goto(f"{url}/")
    ask(page, url, HOSTILE)
    assert page.evaluate("typeof fonteBroken") == "undefined"
    assert page.locator("main img:not([alt='']), main script").count() == 0


def test_there_is_nothing_serious_for_axe_to_find(page, url):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    ask(page, url, QUESTION)
    page.locator(".answer button.chip").first.click()
    page.locator("#source .highlight, #source mark").first.wait_for()
    assert serious(axe.run(page)) == []
    for view in ("compare", "documents"):
        page.goto(f"{url}/#{view}")
        page.locator(f"#{view} h1").wait_for()
        assert serious(axe.run(page)) == []
    page.emulate_media(color_scheme="dark")
    ask(page, url, QUESTION)
    assert serious(axe.run(page)) == []


def serious(results):
    return [
        (found["id"], [node["html"] for node in found["nodes"]])
        for found in results.response["violations"]
        if found["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("width", [360, 800])
def test_nothing_is_wider_than_the_screen(page, url, width):
    page.set_viewport_size({"width": width, "height": 740})
    ask(page, url, QUESTION)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".answer button.chip").first.click()
    page.locator("#source h2").wait_for()
    if width == 360:
        assert page.evaluate("document.getElementById('main').inert")
        assert page.locator("#source").bounding_box()["width"] == width
    for view in ("compare", "documents"):
        page.goto(f"{url}/#{view}")
        page.locator(f"#{view} h1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
