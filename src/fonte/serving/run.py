"""A running server: the socket, uvicorn, and the moment when it is ready."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable

import uvicorn

from fonte.errors import UsageError
from fonte.serving.app import create_app
from fonte.serving.keys import KeyFile
from fonte.serving.service import Service

STOPPING_SECONDS = 10
IDLE_SECONDS = 30
# Bytes of request line and headers. Above it uvicorn closes the connection while the client may still be sending, who
# then sees a reset instead of the refusal; the longest query that a route takes, percent-encoded, is far below.
LONGEST_HEAD = 256 * 1024
# How long a thread computes in Python before another's turn: requests are accepted and answered between searches.
_SWITCH_SECONDS = 0.001


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach what listens at `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_key(host: str, keys: KeyFile) -> None:
    """Refuse to be reached from elsewhere without a key. Errors: `UsageError`."""
    if not is_loopback(host) and not keys.keys():
        raise UsageError(
            f"{host} can be reached from other machines, and there is no API key. Make one first: fonte key add NAME. "
            "Or leave out --host, to answer this machine only."
        )


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket; port 0 takes a free one. Errors: `UsageError` where that cannot be."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With the protocol named, asyncio sends small pieces at once; without, replies wait 40 ms for an ACK.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise UsageError(f"Cannot listen at {host}, port {port}: {error.strerror or error}. Choose another.") from None
    return bound


def address_of(bound: socket.socket) -> str:
    """Return the URL of a bound socket, without a slash at its end."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Running:
    """A server for `service` on a bound socket; `run` it in the main thread, or `start` it beside."""

    def __init__(self, service: Service, bound: socket.socket) -> None:
        self.url = address_of(bound)
        self._service = service
        self._bound = bound
        self._server = uvicorn.Server(
            uvicorn.Config(
                create_app(service),
                http="h11",  # of the parsers at hand, the one that bounds the head of a request
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=STOPPING_SECONDS,
                h11_max_incomplete_event_size=LONGEST_HEAD,
            )
        )

    def run(self, tell: Callable[[str], None]) -> None:
        """Serve until a signal comes; `tell` gets the URL once questions are answered, or cannot be."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        threading.Thread(target=self._tell_when_ready, args=(tell,), name="fonte-ready", daemon=True).start()
        self._server.run(sockets=[self._bound])

    def start(self) -> threading.Thread:
        """Serve in a thread, and return it once the server listens and the models are loaded or have failed to."""
        thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._bound]}, daemon=True)
        thread.start()
        self._wait()
        return thread

    def stop(self) -> None:
        """Ask the server to end."""
        self._server.should_exit = True

    def _wait(self) -> None:
        while not self._server.started or not (self._service.ready or self._service.trouble):
            if self._server.should_exit:
                return
            time.sleep(0.01)

    def _tell_when_ready(self, tell: Callable[[str], None]) -> None:
        self._wait()
        if self._server.started:
            tell(self.url)
