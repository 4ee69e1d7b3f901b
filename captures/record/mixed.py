#!/usr/bin/env python3
"""Write the curl sessions of the mixed recording: every shape of request, in an order fixed by a seed.

    mixed.py SITE FOLDER COUNT APACHE_COUNT

Leaves FOLDER/NNN.curl; sessions of nginx first, then (a…) those of Apache.
"""
import os, random, sys
from curl_sessions import write_session

SITE, FOLDER, COUNT, APACHE_COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
RNG = random.Random(2026)
WORDS = "amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze candle canyon cedar".split()
NGINX = ["http://api.example.com", "http://www.example.com", "http://img.example.com", "http://192.0.2.1", "http://[2001:db8::1]",
         "http://six.example.com", "http://six.example.com"]
APACHE = ["http://apache.example.com:8080", "http://192.0.2.1:8080", "http://[2001:db8::1]:8080"]
number = 0


def word():
    return RNG.choice(WORDS)


def size():
    """Mostly small, now and then large; all sizes near the edges of a segment and of a chunk."""
    draw = RNG.random()
    if draw < 0.10: return RNG.choice([0, 1, 2, 15, 16, 17, 255, 256, 257])
    if draw < 0.70: return RNG.randrange(20, 900)
    if draw < 0.85: return RNG.choice([1447, 1448, 1449, 2896, 4095, 4096, 4097])
    if draw < 0.975: return RNG.randrange(900, 8000)
    return RNG.randrange(8000, 40000)


def upload_file():
    n = size()
    path = os.path.join(FOLDER, f"body-{n}")
    if not os.path.exists(path):
        with open(path, "wb") as f:
            text = " ".join(RNG.choice(WORDS) for _ in range(n // 4 + 2))
            f.write(text.encode()[:n])
    return path


def query():
    return "&".join(f"{word()}={word()}-{RNG.randrange(10000)}" for _ in range(RNG.randrange(1, 6)))


def request(origin, nginx):
    global number
    number += 1
    r = {"id": f"m{number}", "headers": []}
    kind = RNG.choices(
        ["file", "file-gzip", "big", "json", "image", "api", "api-gzip", "api-chunked", "post", "post-chunked", "post-expect", "form",
         "put", "patch", "delete", "head", "304", "204", "404", "redirect", "range", "error", "options", "trailer", "early"],
        [10, 8, 0.4, 6, 3, 12, 6, 8, 8, 5, 3, 2, 4, 2, 2, 5, 5, 4, 4, 4, 3, 3, 1, 2, 0 if nginx else 2])[0]
    path, n = "/", size()
    if kind == "file": path = f"/text/{RNG.choice([10, 100, 536, 1000, 1459, 1460, 1461, 2920, 4096, 10000])}.txt"
    elif kind == "file-gzip": path, r["compressed"] = f"/text/{RNG.choice([100, 1000, 4096, 10000, 16384, 30000])}.txt", True
    elif kind == "big": path = f"/text/{RNG.choice([65536, 100000, 200000])}.txt"
    elif kind == "json": path, r["compressed"] = f"/json/item-{RNG.randrange(20)}.json", RNG.random() < 0.5
    elif kind == "image": path = f"/img/{RNG.randrange(4)}.png"
    elif kind == "api": path = f"/api/items/{RNG.randrange(1000)}?n={n}"
    elif kind == "api-gzip": path, r["compressed"] = f"/api/search?n={n}&{query()}", True
    elif kind == "api-chunked": path, r["compressed"] = f"/api/feed?n={n}&c={RNG.randrange(1, 9)}&t=text", RNG.random() < 0.3
    elif kind == "post":
        path, r["data"] = f"/api/orders?{query()}", f'{{"{word()}":"{" ".join(word() for _ in range(RNG.randrange(0, 60)))}"}}'
        r["headers"].append("Content-Type: application/json")
    elif kind == "post-chunked":
        path, r["data_file"], r["chunked"] = ("/stream/log" if nginx and RNG.random() < 0.5 else "/api/log"), upload_file(), True
        r["headers"].append("Content-Type: application/octet-stream")
    elif kind == "post-expect":
        path, r["data_file"] = "/api/upload", upload_file()
        r["headers"].append("Expect: 100-continue")
    elif kind == "form": path, r["form"] = "/api/form", [f"{word()}={word()}", f"file=@{upload_file()};type=text/plain"]
    elif kind == "put":
        path = f"/dav/{RNG.randrange(30)}.txt" if nginx else f"/api/things/{RNG.randrange(50)}"
        r["upload"] = upload_file()
        if RNG.random() < 0.3: r["chunked"] = True
        if RNG.random() < 0.6: r["headers"].append("Expect:")
    elif kind == "patch": path, r["method"], r["data"] = f"/api/things/{RNG.randrange(50)}?n={n}", "PATCH", f"{word()}={word()}"
    elif kind == "delete": path, r["method"] = f"/api/things/{RNG.randrange(50)}?s={RNG.choice([200, 202, 204])}", "DELETE"
    elif kind == "head": path, r["head"] = RNG.choice(["/text/4096.txt", "/img/1.png", "/api/items/1?n=99", "/no/such/page"]), True
    elif kind == "304":
        path = f"/text/{RNG.choice([1000, 4096])}.txt"
        r["headers"].append("If-Modified-Since: Sun, 13 Sep 2020 12:26:40 GMT")
    elif kind == "204": path = RNG.choice(["/nothing", "/api/ping?s=204"])
    elif kind == "404": path = RNG.choice([f"/no/such/{word()}", f"/api/items/{RNG.randrange(99)}?s=404&n={RNG.randrange(300)}"])
    elif kind == "redirect": path = RNG.choice(["/old", "/elsewhere", "/api/go?s=303&l=/index.html&n=0"])
    elif kind == "range": path, r["range"] = "/text/10000.txt", RNG.choice(["0-99", "500-", "-200", "0-9,100-119", "20000-"])
    elif kind == "error": path = RNG.choice(["/api/fail?s=500&n=200", "/api/busy?s=503&n=0"] + (["/denied", "/teapot", "/down"] if nginx else []))
    elif kind == "options": path, r["method"] = "/api/items?s=204", "OPTIONS"
    elif kind == "trailer": path = f"/stream/words?x=trailer&n={n}&t=text" if nginx else f"/api/words?n={n}&c=3&t=text"
    elif kind == "early": path = f"/api/page?x=early&n={n}"
    if RNG.random() < 0.2: r["cookie"] = "; ".join(f"{word()}={word()}{RNG.randrange(99999)}" for _ in range(RNG.randrange(1, 5)))
    if RNG.random() < 0.1: r["headers"].append("X-Long: " + " ".join(word() for _ in range(RNG.randrange(30, 400))))
    if RNG.random() < 0.1: r["headers"].append("User-Agent: Example/1.0 (test; build 12)")
    if RNG.random() < 0.05 and kind not in ("head",): r["headers"].append("Accept: application/json, text/plain;q=0.9, */*;q=0.1")
    if RNG.random() < 0.04 and not r.get("chunked") and kind not in ("early", "post-expect"): r["http10"] = True
    elif RNG.random() < 0.05: r["close"] = True
    r["url"] = origin + path
    return r


def sessions(prefix, count, origins, nginx):
    made = session = 0
    while made < count:
        origin = RNG.choice(origins)
        length = min(count - made, RNG.choice([1, 2, 5, 20, 60]))
        write_session(os.path.join(FOLDER, f"{prefix}{session:03}.curl"), [request(origin, nginx) for _ in range(length)])
        made, session = made + length, session + 1


os.makedirs(FOLDER, exist_ok=True)
sessions("n", COUNT, NGINX, True)
sessions("z", APACHE_COUNT, APACHE, False)
