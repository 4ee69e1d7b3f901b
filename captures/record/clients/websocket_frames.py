"""WebSockets over HTTP/1.1 and HTTP/2, with and without permessage-deflate.    websocket_frames.py HOST WITNESS SECRETS

Port 80 has HTTP/1.1, and port 443 HTTP/2. WITNESS is a CSV with the figures of each WebSocket and direction, which `frames.py` counts in
the octets that this client sent and received. SECRETS gets those of TLS. Needs wsproto and h2.
"""
import csv, os, random, socket, ssl, sys

import h2.config, h2.connection, h2.events
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.extensions import PerMessageDeflate

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames

host, witness, secrets = sys.argv[1:]
rng = random.Random(8441)
rows = []


class Socket:
    """The frames of one WebSocket, and all octets of both directions."""

    def __init__(self, path, accepted):
        self.path, self.sent, self.got, self.closed = path, b"", b"", False
        extension = PerMessageDeflate()
        if accepted:
            extension.finalize(accepted)
        self.frames = Connection(ConnectionType.CLIENT, extensions=[extension] if accepted else [])

    def send(self, event):
        octets = self.frames.send(event)
        self.sent += octets
        return octets

    def receive(self, octets):
        """Takes octets. Returns the ones that answer them."""
        if not octets:
            return b""
        self.got += octets
        self.frames.receive_data(octets)
        answer = b""
        for event in self.frames.events():
            if isinstance(event, Ping):
                answer += self.send(event.response())
            elif isinstance(event, CloseConnection):
                self.closed = True
                answer += b"" if self.frames.state == ConnectionState.CLOSED else self.send(event.response())
        return answer

    def talk(self, closes=False):
        """The octets of some messages, in pieces; then this side closes, or asks the other one to close."""
        for number in range(12):
            if number % 4 == 1:
                yield self.send(Ping(b"are you there"))
            text, size = "amber birch cedar " * rng.randrange(0, 60), rng.choice((0, 1, 125, 126, 700, 3000))
            if number % 3 == 2:
                yield self.send(BytesMessage(rng.randbytes(size)))
            else:
                yield self.send(TextMessage(text, message_finished=False)) + self.send(TextMessage(text[:7]))
        yield self.send(CloseConnection(1000) if closes else TextMessage("close"))

    def note(self, carrier):
        assert self.closed
        for direction, octets in (("request", self.sent), ("response", self.got)):
            found = frames.counted(octets, direction == "request")
            rows.append([self.path, carrier, direction] + [found[name] for name in frames.COLUMNS])


def over_http1(path, offer):
    wire = socket.create_connection((host, 80))
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    head += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" + (f"Sec-WebSocket-Extensions: {offer}\r\n" if offer else "") + "\r\n"
    wire.sendall(head.encode())
    said = b""
    while b"\r\n\r\n" not in said:
        said += wire.recv(65536)
    head, rest = said.split(b"\r\n\r\n", 1)
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    web = Socket(path, fields.get(b"sec-websocket-extensions", b"").decode())
    assert not rest
    for piece in web.talk():
        wire.sendall(piece)
    while not web.closed:
        wire.sendall(web.receive(wire.recv(65536)))
    wire.close()
    web.note("http1")


def over_http2(paths, offer):
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode, trust.keylog_filename = False, ssl.CERT_NONE, secrets
    trust.set_alpn_protocols(["h2"])
    wire = trust.wrap_socket(socket.create_connection((host, 443)), server_hostname=host)
    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    http.initiate_connection()
    wire.sendall(http.data_to_send())
    webs, waiting, ended = {}, {}, set()

    def flush():
        for stream in list(waiting):
            while waiting[stream]:
                room = min(http.local_flow_control_window(stream), http.max_outbound_frame_size, len(waiting[stream]))
                if room == 0:
                    break
                http.send_data(stream, waiting[stream][:room])
                waiting[stream] = waiting[stream][room:]
            if webs[stream].closed and not waiting[stream]:
                ended.add(stream)
        wire.sendall(http.data_to_send())

    for path in paths:
        fields = [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":authority", host), (":path", path)]
        fields += [("sec-websocket-version", "13")] + ([("sec-websocket-extensions", offer)] if offer else [])
        stream, webs_before = http.get_next_available_stream_id(), len(webs)
        http.send_headers(stream, fields)
        wire.sendall(http.data_to_send())
        while len(webs) == webs_before:
            for event in http.receive_data(wire.recv(65536)):
                if isinstance(event, h2.events.ResponseReceived):
                    webs[stream] = Socket(path, dict(event.headers).get("sec-websocket-extensions", ""))
        waiting[stream] = b""
    talks = {stream: web.talk(closes=True) for stream, web in webs.items()}
    while talks:
        stream = rng.choice(sorted(talks))
        piece = next(talks[stream], None)
        if piece is None:
            del talks[stream]
        else:
            waiting[stream] += piece
    flush()
    while len(ended) < len(webs):
        for event in http.receive_data(wire.recv(65536)):
            if isinstance(event, h2.events.DataReceived):
                waiting[event.stream_id] += webs[event.stream_id].receive(event.data)
                http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        flush()
    wire.close()
    for web in webs.values():
        web.note("http2")


for number, offer in enumerate(("", "permessage-deflate", "permessage-deflate; client_no_context_takeover; server_no_context_takeover")):
    for turn in range(2):
        over_http1(f"/http1/{number}/{turn}", offer)
    over_http2([f"/http2/{number}/{turn}" for turn in range(3)], offer)
with open(witness, "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["path", "carrier", "direction"] + frames.COLUMNS)
    writer.writerows(rows)
print(len(rows), "directions")
