#!/usr/bin/env python3
"""Records TLS dialogues of OpenSSL with itself, one for each suite and each odd handshake, as captures with key logs.

usage: tls_dialogues.py FOLDER [suites] [later]

Writes suites.pcap, suites.keys and suites.witness.csv: a connection for each suite and version, whose server name says which; and the same
of later: clients that show a certificate, in the handshake or when they are asked after it, and records that are padded. Most
are made in this process, with memory in place of sockets; early data, updates of keys and renegotiation are made by the
programs `openssl s_server` and `openssl s_client`, through a relay on the loopback interface. The packets are made here: a segment for
each piece that a side sends, cut at 1,400 octets. The witness has what was sent before it was encrypted.
"""
import csv, os, socket, ssl, struct, subprocess, sys, tempfile, threading, time

SEGMENT = 1400


class Pcap:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101))
        self.now = 1_790_000_000_000_000
        self.port = 40_000

    def packet(self, octets):
        self.file.write(struct.pack("<IIII", self.now // 1_000_000, self.now % 1_000_000, len(octets), len(octets)))
        self.file.write(octets)
        self.now += 500

    def connection(self, turns):
        """turns: (is_client, octets), in the order of sending."""
        self.port += 1
        self.now += 1_000_000
        ends = {True: ("192.0.2.10", self.port), False: ("198.51.100.1", 443)}
        sequence = {True: 1000, False: 9000}

        def send(is_client, flags, payload=b""):
            source, target = ends[is_client], ends[not is_client]
            number = sequence[is_client]
            acknowledged = sequence[not is_client] if flags & 0x10 else 0
            tcp = struct.pack("!HHIIBBHHH", source[1], target[1], number, acknowledged, 5 << 4, flags, 65535, 0, 0)
            ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0,
                             socket.inet_aton(source[0]), socket.inet_aton(target[0]))
            total = sum(struct.unpack("!10H", ip))
            total = (total & 0xFFFF) + (total >> 16)
            ip = ip[:10] + struct.pack("!H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF) + ip[12:]
            self.packet(ip + tcp + payload)
            sequence[is_client] += len(payload) + (1 if flags & 3 else 0)

        send(True, 2)
        send(False, 0x12)
        send(True, 0x10)
        for is_client, octets in turns:
            for start in range(0, len(octets), SEGMENT):
                send(is_client, 0x18, octets[start:start + SEGMENT])
            send(not is_client, 0x10)
        send(True, 0x11)
        send(False, 0x11)
        send(True, 0x10)


def get(path, host, fields=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n".encode()


def ok(count):
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {count}\r\n\r\n".encode() + b"x" * count


def contexts(folder, version, ciphers, keys):
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(f"{folder}/{'ec' if ciphers and 'ECDSA' in ciphers else 'rsa'}.pem")
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    client.keylog_filename = keys
    for context in (server, client):
        context.minimum_version = context.maximum_version = version
        if ciphers:
            context.set_ciphers(ciphers + ":@SECLEVEL=0")
        context.set_alpn_protocols(["http/1.1"])
    return client, server


class Pipe:
    """Two ends in this process, and what they sent each other."""

    def __init__(self, client, server, host, session=None):
        self.turns = []
        self.memory = {end: (ssl.MemoryBIO(), ssl.MemoryBIO()) for end in (True, False)}
        self.ends = {
            True: client.wrap_bio(*self.memory[True], server_hostname=host, session=session),
            False: server.wrap_bio(*self.memory[False], server_side=True),
        }
        done = set()
        while len(done) < 2:
            for end in (True, False):
                try:
                    self.ends[end].do_handshake()
                    done.add(end)
                except ssl.SSLWantReadError:
                    pass
                self.carry(end)
        self.read(True)

    def carry(self, end):
        octets = self.memory[end][1].read()
        if octets:
            self.turns.append((end, octets))
            self.memory[not end][0].write(octets)

    def write(self, end, *pieces):
        """Each piece is a record at least; together they are sent."""
        for piece in pieces:
            self.ends[end].write(piece)
        self.carry(end)
        self.read(not end)

    def read(self, end):
        try:
            while self.ends[end].read(65536):
                pass
        except ssl.SSLWantReadError:
            pass

    def close(self):
        for end in (True, False):
            try:
                self.ends[end].unwrap()
            except ssl.SSLError:
                pass
            self.carry(end)


def talk(pipe, host, witness):
    """Requests and responses of every kind of lie in records."""
    requests = [get(f"/{number}", host) for number in range(4)]
    # More than a record holds, where it matters.
    bodies = [10, 20_000 if "gcm" in host or "tls10" in host else 2000, 0, 300]
    pipe.write(True, requests[0])
    pipe.write(False, ok(bodies[0]))
    pipe.write(True, requests[1])
    pipe.write(False, ok(bodies[1])[:50], ok(bodies[1])[50:])
    # Pipelined, a record that has the end of one request and the start of the next one.
    both = requests[2] + requests[3]
    pipe.write(True, both[:30], both[30:len(requests[2]) + 10], both[len(requests[2]) + 10:])
    pipe.write(False, ok(bodies[2]) + ok(bodies[3])[:40], ok(bodies[3])[40:])
    for request, body in zip(requests, bodies):
        witness.append((host, len(request), len(ok(body))))


def relay(port, target, turns, stop):
    listener = socket.create_server(("127.0.0.1", port))
    listener.settimeout(10)
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", target))
    lock = threading.Lock()

    def copy(source, sink, is_client):
        while octets := source.recv(65536):
            with lock:
                turns.append((is_client, octets))
            sink.sendall(octets)
        sink.shutdown(socket.SHUT_WR)

    threads = [threading.Thread(target=copy, args=(near, far, True)), threading.Thread(target=copy, args=(far, near, False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    listener.close()


def programs(folder, keys, host, server_options, client_options, lines, target=24430, port=24431):
    """A dialogue of the two programs: `lines` are (seconds before, text) for the client. Returns its turns."""
    turns = []
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", str(target), "-key", f"{folder}/rsa.pem", "-cert", f"{folder}/rsa.pem", "-quiet",
         "-naccept", "1", *server_options], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    thread = threading.Thread(target=relay, args=(port, target, turns, None))
    thread.start()
    time.sleep(0.2)
    client = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-servername", host, "-keylogfile", keys, *client_options],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for pause, text, end in lines:
        time.sleep(pause)
        process = client if end else server
        process.stdin.write(text)
        process.stdin.flush()
    time.sleep(0.5)
    for process in (client, server):
        process.stdin.close()
        time.sleep(0.2)
        process.terminate()
    client.wait(5)
    server.wait(5)
    thread.join(10)
    return turns


def begin(folder, name):
    """The names of the files of a capture: its packets, its key log, and what its witness is."""
    os.makedirs(folder, exist_ok=True)
    keys = os.path.join(folder, f"{name}.keys")
    if os.path.exists(keys):
        os.remove(keys)
    return keys, Pcap(os.path.join(folder, f"{name}.pcap")), []


def certificates(own):
    for name, option in (("rsa", ["rsa:2048"]), ("ec", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])):
        subprocess.run(["openssl", "req", "-x509", "-newkey", *option, "-nodes", "-keyout", f"{own}/{name}.key", "-out",
                        f"{own}/{name}.crt", "-subj", "/CN=test", "-days", "30"], check=True, capture_output=True)
        with open(f"{own}/{name}.pem", "wb") as both:
            both.write(open(f"{own}/{name}.key", "rb").read() + open(f"{own}/{name}.crt", "rb").read())


def write(folder, name, witness):
    with open(os.path.join(folder, f"{name}.witness.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["host", "request_bytes", "response_bytes"])
        writer.writerows(witness)


def later(folder):
    """Certificates of clients, and padding."""
    keys, pcap, witness = begin(folder, "later")
    with tempfile.TemporaryDirectory() as own:
        certificates(own)
        for version, host, asks_later in (
                (ssl.TLSVersion.TLSv1_2, "tls12-certificate.example", False),
                (ssl.TLSVersion.TLSv1_3, "tls13-certificate.example", False),
                (ssl.TLSVersion.TLSv1_3, "tls13-authentication.example", True)):
            client, server = contexts(own, version, None, keys)
            client.load_cert_chain(f"{own}/rsa.pem")
            server.load_verify_locations(f"{own}/rsa.crt")
            # RFC 8446 §4.6.2: the client says that it may be asked after the handshake.
            client.post_handshake_auth = server.post_handshake_auth = asks_later
            server.verify_mode = ssl.CERT_REQUIRED
            pipe = Pipe(client, server, host)
            assert asks_later == (pipe.ends[False].getpeercert() is None)
            talk(pipe, host, witness)
            if asks_later:
                pipe.ends[False].verify_client_post_handshake()
                # The request for a certificate goes with the next response, and the certificate with what the client sends next.
                for path in ("/asked", "/shown"):
                    pipe.write(True, get(path, host))
                    pipe.write(False, ok(40))
                    witness.append((host, len(get(path, host)), len(ok(40))))
                assert pipe.ends[False].getpeercert()
            pipe.close()
            pcap.connection(pipe.turns)
        # Whole multiples of 512 octets, from both sides (RFC 8446 §5.4).
        host = "tls13-padded.example"
        lines = []
        for path, body in (("/one", ok(30)), ("/two", ok(3000)), ("/three", ok(0))):
            lines += [(0.4, get(path, host), True), (0.3, body, False)]
            witness.append((host, len(get(path, host)), len(body)))
        padded = ["-tls1_3", "-record_padding", "512"]
        pcap.connection(programs(own, keys, host, padded, padded, lines))
    write(folder, "later", witness)


def suites(folder):
    keys, pcap, witness = begin(folder, "suites")
    with tempfile.TemporaryDirectory() as own:
        certificates(own)

        def dialogue(host, version, ciphers=None, prepare=None):
            client, server = contexts(own, version, ciphers, keys)
            if prepare:
                prepare(client, server)
            pipe = Pipe(client, server, host)
            talk(pipe, host, witness)
            pipe.close()
            pcap.connection(pipe.turns)
            return client, server, pipe

        dialogue("tls13-default.example", ssl.TLSVersion.TLSv1_3)
        for ciphers in [
                "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
                "ECDHE-ECDSA-AES128-CCM", "ECDHE-ECDSA-AES256-CCM8", "AES256-CCM", "ECDHE-RSA-AES128-SHA",
                "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384", "AES256-SHA256",
                "ECDHE-RSA-CAMELLIA128-SHA256"]:
            dialogue(f"tls12-{ciphers.lower()}.example", ssl.TLSVersion.TLSv1_2, ciphers)
        no_etm = 1 << 19

        def without_etm(client, server):
            client.options |= no_etm

        dialogue("tls12-no-etm.example", ssl.TLSVersion.TLSv1_2, "ECDHE-RSA-AES256-SHA384", without_etm)
        dialogue("tls12-no-etm-sha1.example", ssl.TLSVersion.TLSv1_2, "AES128-SHA", without_etm)
        for version, name in ((ssl.TLSVersion.TLSv1, "tls10"), (ssl.TLSVersion.TLSv1_1, "tls11")):
            dialogue(f"{name}-aes128-sha.example", version, "AES128-SHA")
            dialogue(f"{name}-no-etm.example", version, "ECDHE-RSA-AES256-SHA", without_etm)
        # A HelloRetryRequest: the client offers no share for the only group of the server.
        dialogue("tls13-retry.example", ssl.TLSVersion.TLSv1_3, None, lambda client, server: server.set_ecdh_curve("secp521r1"))
        # Sessions that are resumed.
        for version, name in ((ssl.TLSVersion.TLSv1_3, "tls13"), (ssl.TLSVersion.TLSv1_2, "tls12")):
            client, server, pipe = dialogue(f"{name}-first.example", version)
            host = f"{name}-resumed.example"
            resumed = Pipe(client, server, host, session=pipe.ends[True].session)
            assert resumed.ends[True].session_reused
            talk(resumed, host, witness)
            resumed.close()
            pcap.connection(resumed.turns)

        body = ok(30)

        def ask(host, path):
            request = get(path, host)
            witness.append((host, len(request), len(body)))
            return request

        for suite in ("AES_128_GCM", "AES_256_GCM", "CHACHA20_POLY1305", "AES_128_CCM", "AES_128_CCM_8"):
            full = f"TLS_{suite}_SHA{384 if suite == 'AES_256_GCM' else 256}"
            host = f"tls13-{suite.lower().replace('_', '-')}.example"
            lines = [(0.4, ask(host, "/one"), True), (0.2, body, False), (0.2, ask(host, "/two"), True), (0.2, body, False)]
            pcap.connection(programs(own, keys, host, ["-tls1_3", "-ciphersuites", full], ["-tls1_3", "-ciphersuites", full], lines))
        host = "tls13-key-update.example"
        lines = [(0.5, ask(host, "/before"), True), (0.3, body, False), (0.3, b"K\n", True), (0.3, ask(host, "/after"), True),
                 (0.3, body, False)]
        pcap.connection(programs(own, keys, host, ["-tls1_3"], ["-tls1_3"], lines))
        host = "tls12-renegotiation.example"
        lines = [(0.5, ask(host, "/before"), True), (0.3, body, False), (0.3, b"R\n", True), (0.6, ask(host, "/after"), True),
                 (0.3, body, False)]
        pcap.connection(programs(own, keys, host, ["-tls1_2", "-client_renegotiation"], ["-tls1_2"], lines))
        for host, accepts in (("tls13-early.example", True), ("tls13-early-refused.example", False)):
            early = f"{own}/early"
            with open(early, "wb") as file:
                file.write(get("/early", host))
            if accepts:
                witness.append((host, len(get("/early", host)), len(body)))
            server = subprocess.Popen(
                ["openssl", "s_server", "-accept", "24430", "-key", f"{own}/rsa.pem", "-cert", f"{own}/rsa.pem", "-quiet",
                 "-tls1_3", "-naccept", "2", "-early_data", "-no_anti_replay"], stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            session = f"{own}/session-{accepts}"
            client_options = ["-tls1_3", "-sess_out", session]
            for attempt in range(2):
                if attempt == 1 and not accepts:
                    # Another server knows nothing of the ticket.
                    server.terminate()
                    server.wait(5)
                    server = subprocess.Popen(
                        ["openssl", "s_server", "-accept", "24430", "-key", f"{own}/rsa.pem", "-cert", f"{own}/rsa.pem",
                         "-quiet", "-tls1_3", "-naccept", "1", "-early_data"], stdin=subprocess.PIPE,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    time.sleep(0.5)
                turns = []
                thread = threading.Thread(target=relay, args=(24431, 24430, turns, None))
                thread.start()
                time.sleep(0.2)
                client = subprocess.Popen(
                    ["openssl", "s_client", "-connect", "127.0.0.1:24431", "-servername",
                     host if attempt else "first-" + host, "-keylogfile", keys, *client_options],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(0.7)
                if attempt == 1 and accepts:
                    server.stdin.write(body)
                    server.stdin.flush()
                    time.sleep(0.4)
                client.stdin.write(b"Q\n")
                client.stdin.close()
                time.sleep(0.3)
                client.terminate()
                client.wait(5)
                thread.join(10)
                pcap.connection(turns)
                client_options = ["-tls1_3", "-sess_in", session, "-early_data", early]
            server.stdin.close()
            server.terminate()
            server.wait(5)
    write(folder, "suites", witness)


if __name__ == "__main__":
    for wanted in sys.argv[2:] or ["suites", "later"]:
        {"suites": suites, "later": later}[wanted](sys.argv[1])
