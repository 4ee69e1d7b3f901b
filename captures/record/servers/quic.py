"""An HTTP/3 server (aioquic), which answers every request with some words, and writes its TLS secrets.

    quic.py ADDRESS PORT CERTIFICATE KEY SECRETS [retry|second]

`retry` asks every client for a new Initial packet first; `second` prefers QUIC version 2.
"""
import asyncio, sys

from aioquic.asyncio import serve
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated
from aioquic.quic.packet import QuicProtocolVersion


class Server(QuicConnectionProtocol):
    http = None

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        for said in self.http.handle_event(event) if self.http else []:
            if isinstance(said, HeadersReceived) and said.stream_ended:
                path = dict(said.headers)[b":path"]
                body = b"amber birch cedar " * (20 if path == b"/" else 200)
                self.http.send_headers(said.stream_id, [(b":status", b"200"), (b"content-type", b"text/plain")])
                self.http.send_data(said.stream_id, body, True)
                self.transmit()


async def main(address, port, certificate, key, secrets, mode=""):
    settings = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, secrets_log_file=open(secrets, "a", buffering=1))
    settings.load_cert_chain(certificate, key)
    if mode == "second":
        settings.supported_versions = [QuicProtocolVersion.VERSION_2, QuicProtocolVersion.VERSION_1]
    await serve(address, int(port), configuration=settings, create_protocol=Server, retry=mode == "retry")
    await asyncio.Future()


asyncio.run(main(*sys.argv[1:]))
