"""Calls of gRPC, by grpcio, and of gRPC-Web, over HTTP/1.1 and HTTP/2, binary and as text.    grpc_calls.py WITNESS

WITNESS is a CSV with what this side knows of each call: path (each call has its own), how it went (`grpc`, `grpc-gzip`, `web`, `web-text`, `web-h2`,
`web-text-h2`), the messages of both directions, their octets without prefixes and codings, and the status. Needs grpcio, httpx and h2.
"""
import base64, csv, http.client, json, ssl, struct, sys

import grpc, httpx

rows = []
trust = ssl.create_default_context()
trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE


def frames_of(content):
    found, at = [], 0
    while at < len(content):
        size = struct.unpack_from(">I", content, at + 1)[0]
        found.append((content[at], content[at + 5:at + 5 + size]))
        at += 5 + size
    return found


def unpadded(text):
    """Base64 of several pieces, each with its padding."""
    return b"".join(base64.b64decode(text[at:at + 4]) for at in range(0, len(text), 4))


def note(path, how, asked, answered, status):
    rows.append([path, how, len(asked), sum(map(len, asked)), len(answered), sum(map(len, answered)), status])


def native(channel, how, path, asked):
    call, answered = channel.stream_stream(path)(iter(asked)), []
    try:
        for message in call:
            answered.append(message)
    except grpc.RpcError:
        pass
    note(path, how, asked, answered, call.code().value[0])


def web(post, how, path, asked):
    is_text = "text" in how
    content = b"".join(b"\0" + struct.pack(">I", len(m)) + m for m in asked)
    kind = "application/grpc-web-text+proto" if is_text else "application/grpc-web+proto"
    said = post(path, base64.b64encode(content) if is_text else content, kind)
    frames = frames_of(unpadded(said) if is_text else said)
    assert frames[-1][0] == 0x80
    status = next(int(l.split(b":")[1]) for l in frames[-1][1].splitlines() if l.startswith(b"grpc-status"))
    note(path, how, asked, [m for flag, m in frames if not flag & 0x80], status)


def asks(number):
    wanted = {"answers": (0, 1, 3, 12)[number % 4], "size": (0, 7, 300, 5000)[number // 4 % 4], "status": (0, 0, 5, 13)[number // 2 % 4]}
    return [json.dumps(wanted).encode()] + [b"x" * (17 * n) for n in range(number % 3)]


connection = http.client.HTTPConnection("192.0.2.2", 8080)
client = httpx.Client(http2=True, verify=trust)


def over_http1(path, content, kind):
    connection.request("POST", path, content, {"Content-Type": kind, "X-Grpc-Web": "1"})
    return connection.getresponse().read()


def over_http2(path, content, kind):
    answer = client.post("https://app.example.com" + path, content=content, headers={"Content-Type": kind, "X-Grpc-Web": "1"})
    assert answer.http_version == "HTTP/2"
    return answer.content


plain = grpc.insecure_channel("192.0.2.1:50051")
coded = grpc.insecure_channel("192.0.2.1:50051", compression=grpc.Compression.Gzip)
for number in range(16):
    native(plain, "grpc", f"/demo.Echo/Plain{number:02}", asks(number))
    native(coded, "grpc-gzip", f"/demo.Echo/Coded{number:02}", asks(number))
    for how, post in (("web", over_http1), ("web-text", over_http1), ("web-h2", over_http2), ("web-text-h2", over_http2)):
        web(post, how, f"/demo.Echo/{how}-{number:02}", asks(number))
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow("path how request_messages request_octets response_messages response_octets status".split())
    writer.writerows(rows)
print(len(rows), "calls")
