"""HTTP/3 before site.py (aioquic): passes every request on over HTTP/1.1, and its answer back as it comes.

    h3_front.py SITE_PORT CERTIFICATE KEY SECRETS LOG ADDRESS:PORT…

SECRETS gets the secrets of TLS. LOG has a JSON line for each stream with a request, in the columns of truth.py that a log is compared
by: `ordinal` is the number of the stream. `_head` and `_frames` are aioquic's: the encoded field section, and the frames of the content
with their headers. `_texts` and `_fields` are those of the regular fields, `_expanded_header` what they and the authority have in the spelling of HTTP/1.1.
"""
import asyncio, json, signal, sys, time

from aioquic.asyncio import serve
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset
from aioquic.quic.logger import QuicLogger, QuicLoggerTrace

site_port = log = None
servers = []
HOP = (b"connection", b"transfer-encoding", b"keep-alive")


class Trace(QuicLoggerTrace):
    """Hands on what the connection says of its frames, and keeps nothing."""

    frames = None

    def log_event(self, *, category, event, data):
        if self.frames is not None and category == "http" and event in ("frame_created", "frame_parsed"):
            self.frames(event, data)


class Logger(QuicLogger):
    def start_trace(self, is_client, odcid):
        return Trace(is_client=is_client, odcid=odcid)

    def end_trace(self, trace):
        pass


class Stream:
    def __init__(self, server, number, fields):
        self.server, self.number, self.fields = server, number, fields
        self.inbound, self.ended, self.task = asyncio.Queue(), False, None
        self.request = {"fields": [f for f in fields if f[0][:1] != b":"], "body": 0, "whole": False, "first": time.time(), "last": time.time()}
        self.response = {"fields": [], "body": 0, "whole": False, "first": 0, "last": 0, "status": ""}

    async def run(self):
        said = dict(self.fields)
        method, path, host = said[b":method"], said[b":path"], said[b":authority"]
        regular = [(n, v) for n, v in self.fields if n[:1] != b":" and n not in HOP + (b"host", b"te")]
        reader, writer = await asyncio.open_connection("127.0.0.1", site_port)
        try:
            cookies = [v for n, v in regular if n == b"cookie"]
            regular = [f for f in regular if f[0] != b"cookie"] + ([(b"cookie", b"; ".join(cookies))] if cookies else [])
            first = None if self.ended and self.inbound.empty() else await self.inbound.get()
            chunked = first is not None and not any(n == b"content-length" for n, _ in regular)
            head = [b"%s %s HTTP/1.1" % (method, path), b"host: " + host, b"connection: close"] + [b"%s: %s" % f for f in regular]
            if chunked:
                head.append(b"transfer-encoding: chunked")
            writer.write(b"\r\n".join(head) + b"\r\n\r\n")
            sending = asyncio.ensure_future(self.send(writer, first, chunked))
            await self.answer(reader, method)
            sending.cancel()
        finally:
            writer.close()

    async def send(self, writer, data, chunked):
        while data is not None:
            if data:
                writer.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
                await writer.drain()
            data = await self.inbound.get()
        if chunked:
            writer.write(b"0\r\n\r\n")

    async def answer(self, reader, method):
        while True:
            status, fields = await self.head(reader)
            if status >= 200:
                break
        length = next((int(v) for n, v in fields if n == b"content-length"), None)
        chunked = any(n == b"transfer-encoding" for n, _ in fields)
        fields = [(n, v) for n, v in fields if n not in HOP]
        bodiless = method == b"HEAD" or status in (204, 304) or length == 0
        self.response.update(fields=fields, status=str(status))
        self.put(lambda http: http.send_headers(self.number, [(b":status", b"%d" % status)] + fields, bodiless))
        if bodiless:
            return self.end()
        whole, trailer = False, []
        try:
            if chunked:
                while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                    self.data(await reader.readexactly(size))
                    await reader.readexactly(2)
                while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
                    name, value = line.split(b":", 1)
                    trailer.append((name.lower(), value.strip()))
                whole = True
            else:
                left = length
                while (left is None or left) and (data := await reader.read(min(left or 16384, 16384))):
                    self.data(data)
                    left = None if left is None else left - len(data)
                whole = not left
        except asyncio.IncompleteReadError:
            pass
        if not whole:           # The site went away in the middle: so does the stream.
            self.server._quic.reset_stream(self.number, 0x0102)
            self.server.transmit()
            return
        if trailer:
            self.put(lambda http: http.send_headers(self.number, trailer, True))
        else:
            self.put(lambda http: http.send_data(self.number, b"", True))
        self.end()

    async def head(self, reader):
        lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[:-2]
        pairs = [line.split(b":", 1) for line in lines[1:]]
        return int(lines[0].split(b" ")[1]), [(n.lower(), v.strip()) for n, v in pairs]

    def data(self, data):
        self.response["body"] += len(data)
        self.put(lambda http: http.send_data(self.number, data, False))

    def end(self):
        self.response["whole"] = True

    def put(self, act):
        now = time.time()
        self.response["first"] = self.response["first"] or now
        self.response["last"] = now
        act(self.server.http)
        self.server.transmit()

    def row(self, frames):
        said = dict(self.fields)
        text = lambda name: said.get(name, b"").decode("latin-1")
        field = lambda half, name: next((v.decode("latin-1") for n, v in half["fields"] if n == name), "")
        row = {"client": self.server.peer[0], "connection": self.server.peer[1], "server": "", "server_port": 443, "ordinal": self.number,
               "method": text(b":method"), "target": text(b":path"), "host": text(b":authority"), "status": self.response["status"],
               "x_id": field(self.request, b"x-id"), "x_serial": field(self.response, b"x-serial"), "interim": 0}
        authority = 8 + len(said.get(b":authority", b""))
        for half, message in (("request", self.request), ("response", self.response)):
            head, content = frames.get((half, self.number), (0, 0))
            cookies = [v for n, v in message["fields"] if n == b"cookie"]
            expanded = 2 + sum(len(n) + len(v) + 4 for n, v in message["fields"] if n != b"cookie")
            expanded += (10 + len(b"; ".join(cookies)) if cookies else 0) + (authority if half == "request" else 0)
            row.update({f"{half}_expanded_header": expanded, f"{half}_body": message["body"], f"{half}_whole": int(message["whole"]), f"{half}_fields": len(message["fields"]),
                        f"{half}_texts": sum(len(n) + len(v) for n, v in message["fields"]), f"{half}_head": head, f"{half}_frames": content,
                        f"{half}_bytes": head + content, f"{half}_first": f"{message['first']:.9f}", f"{half}_last": f"{message['last']:.9f}"})
        return row


class Server(QuicConnectionProtocol):
    http = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self.streams, self.frames, self.peer = {}, {}, None
        servers.append(self)

    def datagram_received(self, data, addr):
        self.peer = self.peer or addr
        super().datagram_received(data, addr)

    def tell(self):
        """Writes what is known of each stream."""
        for stream in self.streams.values():
            stream.task.cancel()
            log.write(json.dumps(stream.row(self.frames)) + "\n")
        self.streams = {}

    def count(self, event, data):
        """A frame of HEADERS or DATA: its type takes an octet, its length as many as it needs."""
        kind, length = data["frame"]["frame_type"], data["length"]
        key = "response" if event == "frame_created" else "request", data["stream_id"]
        head, content = self.frames.get(key, (0, 0))
        if kind == "headers":
            head += length
        size = 1 + (1 if length < 64 else 2 if length < 16384 else 4) + (length if kind == "data" else 0)
        self.frames[key] = head, content + size

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self._quic._quic_logger.frames = self.count
            self.http = H3Connection(self._quic)
        if isinstance(event, (StreamReset, StopSendingReceived)) and (stream := self.streams.get(event.stream_id)):
            stream.task.cancel()
        if isinstance(event, ConnectionTerminated):
            self.tell()
        for said in self.http.handle_event(event) if self.http else []:
            stream = self.streams.get(said.stream_id) if hasattr(said, "stream_id") else None
            if isinstance(said, HeadersReceived) and stream is None:
                stream = self.streams[said.stream_id] = Stream(self, said.stream_id, said.headers)
                stream.ended = said.stream_ended
                stream.task = asyncio.ensure_future(stream.run())
            elif isinstance(said, DataReceived) and stream:
                stream.request["body"] += len(said.data)
                stream.request["last"] = time.time()
                stream.inbound.put_nowait(said.data)
            if stream and getattr(said, "stream_ended", False):
                stream.request["whole"] = True
                stream.inbound.put_nowait(None)


async def main(port, certificate, key, secrets, path, *places):
    global site_port, log
    site_port, log = int(port), open(path, "w", buffering=1)
    settings = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, secrets_log_file=open(secrets, "a", buffering=1), quic_logger=Logger(),
                                 max_data=1 << 24, max_stream_data=1 << 22, idle_timeout=20)
    settings.load_cert_chain(certificate, key)
    for place in places:
        address, number = place.rsplit(":", 1)
        await serve(address, int(number), configuration=settings, create_protocol=Server)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    for server in servers:
        server.tell()


asyncio.run(main(*sys.argv[1:]))
