"""A gRPC server of grpcio, and a bridge of gRPC-Web before it.    grpc_echo.py GRPC_ADDRESS WEB_ADDRESS…

The first message of a call says in JSON what is answered: {"answers": n, "size": m, "status": s}: n messages of m octets, then that
status. The bridge takes gRPC-Web over HTTP/1.1 (application/grpc-web, and -text in base64), asks the gRPC server with grpcio,
and answers with its messages, each as a chunk, and the trailer fields as the last frame; the text has padding after each frame.
"""
import base64, json, struct, sys, threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc

WORDS = b"amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper "
CODES = {code.value[0]: code for code in grpc.StatusCode}


class Any(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(self.answer)

    def answer(self, messages, context):
        asked = list(messages)
        wanted = json.loads(asked[0])
        for number in range(wanted["answers"]):
            yield (WORDS * 200)[number:number + wanted["size"]]
        if wanted["status"]:
            context.abort(CODES[wanted["status"]], "as asked")


class Bridge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        is_text = self.headers["Content-Type"].startswith("application/grpc-web-text")
        frames = base64.b64decode(content) if is_text else content
        messages, at = [], 0
        while at < len(frames):
            size = struct.unpack_from(">I", frames, at + 1)[0]
            messages.append(frames[at + 5:at + 5 + size])
            at += 5 + size
        self.send_response(200)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

        def write(flag, payload):
            frame = bytes([flag]) + struct.pack(">I", len(payload)) + payload
            frame = base64.b64encode(frame) if is_text else frame
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))

        call = channel.stream_stream(self.path)(iter(messages))
        try:
            for message in call:
                write(0, message)
        except grpc.RpcError:
            pass
        write(0x80, b"grpc-status:%d\r\ngrpc-message:%s\r\n" % (call.code().value[0], (call.details() or "").encode()))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


server = grpc.server(ThreadPoolExecutor(8), handlers=[Any()], compression=grpc.Compression.Gzip)
server.add_insecure_port(sys.argv[1])
server.start()
channel = grpc.insecure_channel(sys.argv[1])
bridges = []
for place in sys.argv[2:]:
    address, port = place.rsplit(":", 1)
    bridges.append(ThreadingHTTPServer((address, int(port)), Bridge))
for bridge in bridges:
    threading.Thread(target=bridge.serve_forever).start()
server.wait_for_termination()
