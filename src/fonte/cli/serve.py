"""`fonte serve`: the HTTP API and the web page for one corpus."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, flags
from fonte.cli.output import print_json, warn
from fonte.errors import MissingExtraError


def serve(
    corpus: CorpusOption = DEFAULT_CORPUS,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen at; other than this machine's own "
                                             "needs an API key.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Serve the corpus: OpenAI-compatible answers with citations, search, documents, effects, and a page at /.

    Without an API key (fonte key add) only this machine is answered. The address is printed when questions are
    answered. End it with Ctrl-C.
    """
    try:
        from fonte.serving.keys import KeyFile
        from fonte.serving.run import Running, is_loopback, listen, require_key
        from fonte.serving.service import Service
    except ImportError as missing:
        raise MissingExtraError(str(missing.name), "serving") from None

    settings = fonte.Settings.load(corpus, flags(serving={"host": host, "port": port}))
    keys = KeyFile()
    require_key(settings.serving.host, keys)
    if not corpus.exists():
        warn(
            f"There was no corpus at {corpus}; an empty one is made. Upload documents, or end this and check --corpus."
        )
    with fonte.Corpus.open(corpus, settings, create=True, tell=warn) as opened:
        bound = listen(settings.serving.host, settings.serving.port)
        service = Service(opened, keys, loopback=is_loopback(settings.serving.host))
        running = Running(service, bound)

        def tell(url: str) -> None:
            if service.trouble:
                warn(f"Documents and search are there, answers are not: {service.trouble}")
            if json:
                print_json({"url": url})
            else:
                typer.echo(f"Serving {corpus} at {url}")

        running.run(tell)
