"""Programs that people use already: the `openai` package, LangChain and curl."""

import json
import shutil
import subprocess

import openai
import pytest
from langchain_openai import ChatOpenAI

QUESTION = [{"role": "user", "content": "At what pressure does the valve open?"}]


@pytest.fixture
def api(client):
    with openai.OpenAI(base_url=f"{client.base_url}/v1", api_key="none", max_retries=0) as made:
        yield made


def test_openai_whole(api):
    reply = api.chat.completions.create(model="fonte", messages=QUESTION)
    assert reply.choices[0].finish_reason == "stop"
    assert reply.choices[0].message.content
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    answer = reply.x_fonte["answer"]
    for note, citation in zip(reply.choices[0].message.annotations, answer["citations"], strict=True):
        assert note.type == "url_citation"
        assert note.url_citation.start_index == citation["answer_start"]


def test_openai_streamed_is_openai_whole(api):
    whole = api.chat.completions.create(model="fonte", messages=QUESTION).choices[0].message
    text, notes, finished = "", [], None
    with api.chat.completions.create(
        model="fonte", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    ) as chunks:
        for chunk in chunks:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                notes += getattr(choice.delta, "annotations", None) or []
                finished = choice.finish_reason or finished
            usage = chunk.usage
    assert (text, finished) == (whole.content, "stop")
    assert notes == [note.model_dump() for note in whole.annotations]
    assert usage.total_tokens >= 0


def test_openai_models_and_errors(api):
    assert [model.id for model in api.models.list()] == ["fonte", "fonte-quote", "fonte-write"]
    with pytest.raises(openai.NotFoundError, match="There is no model"):
        api.chat.completions.create(model="other", messages=QUESTION)
    with pytest.raises(openai.BadRequestError) as refused:
        api.chat.completions.create(model="fonte", messages=[])
    assert refused.value.code == "invalid_value"


def test_langchain_whole_and_streamed(client):
    chat = ChatOpenAI(model="fonte", base_url=f"{client.base_url}/v1", api_key="none", max_retries=0)
    said = chat.invoke(QUESTION[0]["content"])
    streamed = "".join(str(chunk.content) for chunk in chat.stream(QUESTION[0]["content"]))
    assert said.content
    assert streamed == said.content


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl(client):
    def curl(*arguments):
        return subprocess.run(["curl", "-sS", *arguments], capture_output=True, text=True, check=True).stdout

    address = f"{client.base_url}/v1/chat/completions"
    body = json.dumps({"model": "fonte", "messages": QUESTION})
    typed = ("-H", "Content-Type: application/json", "-d")
    assert json.loads(curl(address, *typed, body))["object"] == "chat.completion"
    streamed = curl("-N", address, *typed, json.dumps({"model": "fonte", "messages": QUESTION, "stream": True}))
    assert streamed.strip().endswith("data: [DONE]")
    assert json.loads(curl("-F", "file=@/dev/null;filename=empty.txt", f"{client.base_url}/v1/documents"))["id"]
