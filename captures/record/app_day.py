#!/usr/bin/env python3
"""Write the curl sessions of the demo: what an app of a shop asks for in a day.

    app_day.py SITE FOLDER

Leaves FOLDER/PART.N.curl-like files; those of one part run at the same time.
"""
import gzip, json, os, random, sys
from curl_sessions import write_session

SITE, FOLDER = sys.argv[1], sys.argv[2]
RNG = random.Random(4)
WORDS = "amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze candle canyon cedar chalk circle".split()
UA = "User-Agent: ExampleShop/4.2.1 (phone; build 318)"
AUTH = "Authorization: Bearer " + "".join(RNG.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(96))
COOKIE = "session=amber-badge-bottle-birch; theme=dark; seen=20"
number = 0


def word():
    return RNG.choice(WORDS)


def ident():
    return RNG.randrange(10000, 99999)


def made(name, octets):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as f:
        f.write(octets)
    return path


def ask(url, method=None, body=None, compressed=True, headers=(), auth=True, cookie=False, **more):
    global number
    number += 1
    r = {"id": f"d{number}", "url": url, "compressed": compressed, "headers": [UA, *headers], **more}
    if auth: r["headers"].append(AUTH)
    if cookie: r["cookie"] = COOKIE
    if method: r["method"] = method
    if body is not None:
        r["data"] = json.dumps(body)
        r["headers"].append("Content-Type: application/json")
    return r


API = "http://api.example.com"


def launch():
    return [ask(f"{API}/v1/config?platform=phone&version=4.2.1", auth=False), ask(f"{API}/v1/flags", auth=False),
            ask("http://auth.example.com/oauth/token", body={"grant_type": "password", "username": word(), "password": word()}, auth=False),
            ask("http://auth.example.com/oauth/userinfo"),
            ask("http://auth.example.com/oauth/refresh", body={"refresh_token": "r" * 64}),
            ask(f"{API}/v1/session", body={"device": "phone", "locale": "en"}), ask(f"{API}/v1/me", cookie=True),
            ask(f"{API}/v1/devices", body={"token": "t" * 64}, cookie=True), ask(f"{API}/v1/notifications?since=0", cookie=True)]


def page():
    base = RNG.choice(["http://www.example.com/", "http://www.example.com/old", "http://www.example.com/elsewhere"])
    return [ask(base, auth=False, raw=["location"]), ask("http://cdn.example.net/js/app.js", auth=False),
            ask("http://cdn.example.net/css/app.css", auth=False),
            ask("http://cdn.example.net/js/app.js", auth=False, headers=["If-Modified-Since: Sun, 13 Sep 2020 12:26:40 GMT"])]


def pictures(count):
    out = []
    for _ in range(count):
        if RNG.random() < 0.6:
            out.append(ask(f"http://img.example.com/photos/{ident()}/{RNG.choice(['320x240', '640x480'])}.jpg", compressed=False, auth=False,
                           headers=["Accept: image/webp,image/*;q=0.8"]))
        else:
            out.append(ask(f"http://img.example.com/avatars/{ident()}.png", compressed=False, auth=False))
    if RNG.random() < 0.5:
        out.append(ask(f"http://img.example.com/photos/{ident()}/640x480.jpg", compressed=False, auth=False, range="0-1999"))
        out.append(ask(f"http://img.example.com/pictures/{ident()}.jpg", compressed=False, auth=False))          # 404
    return out


def browse(count):
    out = []
    for n in range(count):
        out.append(ask(f"{API}/v1/feed?page={n + 1}&limit=20", cookie=True))
        for _ in range(RNG.randrange(1, 4)):
            item = ident()
            out.append(ask(f"{API}/v1/items/{item}", cookie=True))
            if RNG.random() < 0.6: out.append(ask(f"{API}/v1/items/{item}/comments?page=1", cookie=True))
            if RNG.random() < 0.3: out.append(ask(f"{API}/v1/items/{item}/like", method=RNG.choice(["PUT", "DELETE"]), cookie=True))
            if RNG.random() < 0.15: out.append(ask(f"{API}/v1/items/{item}/comments", body={"text": " ".join(word() for _ in range(20))}, cookie=True))
            if RNG.random() < 0.1: out.append(ask(f"{API}/api/items/{item}?s=404&n=80", cookie=True))
        if n % 3 == 0: out.append(ask(f"{API}/v2/recommendations?for={ident()}", cookie=True))
        if n % 4 == 0: out.append(ask(f"{API}/v1/notifications?since={n}", cookie=True))
    return out


def search(count):
    out = []
    for _ in range(count):
        term = word()
        for n in range(2, len(term), 2):
            out.append(ask(f"{API}/v1/search/suggest?q={term[:n]}", cookie=True))
        out.append(ask(f"{API}/v1/search?q={term}%20{word()}&sort=price", cookie=True))
        out.append(ask(f"{API}/v1/categories", cookie=True))
        out.append(ask(f"{API}/v1/categories/{RNG.randrange(1, 30)}/items?page=1", cookie=True))
    return out


def buy(count):
    out = []
    for _ in range(count):
        order = ident()
        out += [ask(f"{API}/v1/cart", cookie=True), ask(f"{API}/v1/cart/items", body={"item": ident(), "count": 1}, cookie=True),
                ask(f"{API}/v1/cart/items/{ident()}", method="DELETE", cookie=True), ask(f"{API}/v1/orders", body={"cart": order, "note": word()}, cookie=True),
                ask(f"{API}/v1/orders/{order}", cookie=True), ask(f"{API}/v1/orders?page=1", cookie=True),
                ask(f"{API}/v1/geo/stores?lat=52.1&lon=4.3", cookie=True)]
        if RNG.random() < 0.4: out.append(ask(f"{API}/api/orders/{order}?s=500&n=120", cookie=True))
    return out


def pay(count):
    out = []
    for _ in range(count):
        payment = ident()
        raw = ["insecure", "http1.1"]
        out += [ask("https://pay.example.com:8443/v1/payments", body={"order": payment, "amount": 12.5}, raw=raw),
                ask(f"https://pay.example.com:8443/v1/payments/{payment}", raw=raw)]
    return out + [ask("https://pay.example.com/v1/payments", raw=["insecure", "http2"])]


def uploads(count):
    out = []
    for n in range(count):
        photo = os.path.join(SITE, f"img/photo-{RNG.randrange(16)}.jpg")
        out.append(ask(f"{API}/v1/photos", form=[f"title={word()}", f"photo=@{photo};type=image/jpeg"], cookie=True))
        out.append(ask(f"{API}/v1/avatars/{ident()}", upload=os.path.join(SITE, f"img/{RNG.randrange(8)}.png"), chunked=True, cookie=True))
        out.append(ask(f"{API}/v1/me", method="PATCH", body={"bio": " ".join(word() for _ in range(30))}, cookie=True))
        out.append(ask(f"{API}/v1/messages", body={"to": ident(), "text": " ".join(word() for _ in range(RNG.randrange(5, 80)))}, cookie=True))
        out.append(ask(f"{API}/v1/messages?since={n}", cookie=True))
    return out


def beacons(count):
    out = []
    for n in range(count):
        if n % 5:
            out.append(ask(f"http://log.example.org/collect?event={word()}&at={ident()}&user=20", auth=False, compressed=False))
        else:
            events = gzip.compress(json.dumps([{"event": word(), "at": ident(), "screen": word()} for _ in range(40)]).encode(), mtime=0)
            out.append(ask("http://log.example.org/batch", data_file=made(f"batch-{number}.gz", events), auth=False,
                           headers=["Content-Encoding: gzip", "Content-Type: application/json"]))
        if n % 3 == 0:
            out.append(ask(f"http://ads.example.net/slot?size=320x50&user=20&page={word()}", auth=False))
    return out


def odds():
    return [ask("http://six.example.com/v1/live/scores?day=today"), ask("http://six.example.com/v1/live/scores?day=today"), ask("http://six.example.com/v1/weather?city=3"),
            ask("http://legacy.example.com:8080/json/list-3.json", auth=False), ask("http://legacy.example.com:8080/text/30000.txt", auth=False),
            ask("http://legacy.example.com:8080/old", auth=False, raw=["location"]),
            ask(f"{API}/stream/export/{ident()}", cookie=True), ask(f"{API}/health", head=True, auth=False), ask(f"{API}/down", auth=False),
            ask("http://www.example.com/denied", auth=False), ask("http://192.0.2.4/text/1000.txt", auth=False),
            ask("http://gone.example.com/", auth=False), ask(f"{API}/v1/session", method="DELETE", cookie=True)]


os.makedirs(FOLDER, exist_ok=True)
plan = {
    "launch": [launch(), page(), pictures(10), beacons(8)],
    "morning": [browse(14), pictures(40), search(6), beacons(25), odds()],
    "noon": [search(10), browse(12), pictures(35), buy(5), pay(2), beacons(25)],
    "evening": [launch(), browse(22), pictures(55), uploads(8), beacons(40), odds()],
    "night": [buy(4), pay(1), browse(8), pictures(20), uploads(3), page(), odds()],
}
for part, tasks in plan.items():
    for n, task in enumerate(tasks):
        write_session(os.path.join(FOLDER, f"{part}.{n}"), task)
print(number, "requests planned")
