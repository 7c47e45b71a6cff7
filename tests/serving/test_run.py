"""The socket that a server listens at."""

import asyncio
import socket

from fonte.serving.run import address_of, listen


def test_small_replies_are_sent_at_once():
    """Without TCP_NODELAY on what is accepted, every reply waits 40 ms for the acknowledgement of the one before."""

    async def accepted():
        found = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, writer: found.set_result(writer), sock=listen("127.0.0.1", 0))
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        reply = await found
        delay_is_off = reply.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        reply.close()
        writer.close()
        server.close()
        return delay_is_off

    assert asyncio.run(accepted())


def test_a_free_port_is_taken():
    with listen("127.0.0.1", 0) as bound:
        assert address_of(bound).startswith("http://127.0.0.1:")
        assert not address_of(bound).endswith(":0")
