"""The chunks of a stream add up to the reply in one piece, for a thousand answers of every kind."""

import json
import random

from fonte.corpus.answering import Inquiry, Retrieved
from fonte.errors import EndpointError
from fonte.generation.answering import write_answer
from fonte.generation.events import fold
from fonte.serving.asking import Done
from fonte.serving.chat_reply import ChatReply, failed
from fonte.serving.json_response import json_text
from fonte.serving.rewriting import Rewriting
from fonte.settings import Settings
from fonte.values import Place
from tests.generation.samples import PASSAGES, QUESTION, labels_of
from tests.generation.scripted import ScriptedLanguageModel

LABELS = labels_of()
PIECES = (
    *(
        "The valve of the Corvessa 12 opens at 2 bar",
        ". ",
        " [",
        "]",
        "[x9]",
        "It is made of brass.",
        "\n",
        "é",
        "👩‍👧",
    ),
    *("【", "】", "3", "NOT", "Do not run the pump dry", "!", " and ", *(f" [{label}]" for label in LABELS)),
)


def a_reply(chance):
    deltas = [chance.choice(PIECES) for _ in range(chance.randrange(12))]
    if chance.random() < 0.1:
        deltas.append(EndpointError("gone"))
    return ScriptedLanguageModel(deltas, finish_reason=chance.choice(("stop", "stop", "length")))


def steps_of(chance):
    settings = Settings().generation.model_copy(update={"max_tokens": 1 + chance.randrange(50)})
    events = list(write_answer(QUESTION, PASSAGES, a_reply(chance), settings, lambda *_: Place(page=2)))
    inquiry = Inquiry(QUESTION, Settings())
    answer = fold(events, QUESTION, PASSAGES)
    rewriting = Rewriting(inquiry.question, inquiry.question, "none")
    return [rewriting, Retrieved(inquiry, PASSAGES), *events, Done(answer, 3, 4)]


def added_up(chunks):
    """Return content, annotations, reason, usage and extension as a client would add them up."""
    content, notes, reason, usage, told = "", [], None, None, None
    for chunk in chunks:
        usage = chunk.get("usage", usage)
        for choice in chunk["choices"]:
            content += choice["delta"].get("content", "")
            notes += choice["delta"].get("annotations", [])
            reason = choice["finish_reason"] or reason
        if chunk.get("x_fonte", {}).get("type") == "finished":
            told = {key: value for key, value in chunk["x_fonte"].items() if key != "type"}
    return content, notes, reason, usage, told


def test_a_thousand_streams_are_their_whole_replies():
    chance = random.Random(8)
    kinds = set()
    for _ in range(1000):
        steps = steps_of(chance)
        done = steps[-1]
        streamed = ChatReply("fonte", "http://here", include_usage=True)
        chunks = [json.loads(json_text(chunk)) for step in steps for chunk in streamed.chunks(step)]
        whole = ChatReply("fonte", "http://here")
        for step in steps:
            list(whole.chunks(step))
        status, reply = whole.whole(done)
        reply = json.loads(json_text(reply))
        kinds.add((done.answer.status, status))
        if failed(done.answer):
            assert (status, chunks[-1]) == (502, reply)
            continue
        message = reply["choices"][0]["message"]
        told = message["content"], message["annotations"], reply["choices"][0]["finish_reason"]
        assert added_up(chunks) == (*told, reply["usage"], reply["x_fonte"])
    assert {status for status, _ in kinds} >= {"answered", "incomplete"}
    assert ("incomplete", 502) in kinds
