"""Asks an HTTP/3 server for paths, each on a connection of its own (aioquic).

    quic.py first|second|compatible HOST PORT PATH...

`first` and `second` speak QUIC version 1 and 2; `compatible` begins with version 1, and takes 2 when the server prefers it.
"""
import asyncio, ssl, sys

from aioquic.asyncio import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.packet import QuicProtocolVersion

FIRST, SECOND = QuicProtocolVersion.VERSION_1, QuicProtocolVersion.VERSION_2


class Client(QuicConnectionProtocol):
    http = done = None

    async def get(self, host, path):
        self.http, self.done = H3Connection(self._quic), asyncio.get_running_loop().create_future()
        stream = self._quic.get_next_available_stream_id()
        fields = [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", host.encode()), (b":path", path.encode())]
        self.http.send_headers(stream, fields, True)
        self.transmit()
        await asyncio.wait_for(self.done, 10)

    def quic_event_received(self, event):
        for said in self.http.handle_event(event) if self.http else []:
            if isinstance(said, DataReceived) and said.stream_ended and not self.done.done():
                self.done.set_result(None)


async def main(mode, host, port, *paths):
    for path in paths:
        settings = QuicConfiguration(is_client=True, alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE, server_name=host)
        settings.supported_versions = {"first": [FIRST], "second": [SECOND], "compatible": [SECOND, FIRST]}[mode]
        settings.original_version = SECOND if mode == "second" else FIRST
        async with connect(host, int(port), configuration=settings, create_protocol=Client) as client:
            await client.get(host, path)


asyncio.run(main(*sys.argv[1:]))
