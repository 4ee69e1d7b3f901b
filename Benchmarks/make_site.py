"""Writes the files that nginx serves: 200 JSON documents with their gzip, 8 KB each for short connections, one large."""
import gzip
import json
import pathlib
import random
import sys

site = pathlib.Path(sys.argv[1])
random.seed(20)
words = ["".join(random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(random.randint(3, 9))) for _ in range(2000)]
(site / "api").mkdir(parents=True, exist_ok=True)
(site / "page").mkdir(parents=True, exist_ok=True)
for index in range(200):
    items = [
        {"id": random.randint(1, 10**9), "title": " ".join(random.choices(words, k=6)), "price": round(random.random() * 100, 2),
         "tags": random.choices(words, k=3), "ok": random.random() < 0.5}
        for _ in range(random.randint(8, 20))
    ]
    text = json.dumps({"page": index, "items": items}).encode()
    (site / "api" / f"{index}.json").write_bytes(text)
    (site / "api" / f"{index}.json.gz").write_bytes(gzip.compress(text, 6, mtime=0))
    (site / "page" / f"{index}.html").write_bytes(" ".join(random.choices(words, k=1000)).encode()[:6000])
(site / "large.bin").write_bytes(random.randbytes(120 << 20))
