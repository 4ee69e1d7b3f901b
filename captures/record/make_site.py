#!/usr/bin/env python3
"""Make the files that the test servers serve: random words and random pixels, the same on every run.

    make_site.py FOLDER
"""
import gzip, json, os, random, shutil, struct, subprocess, sys, zlib

WORDS = """amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze
candle canyon cedar chalk circle cliff cloud cobalt comet copper coral cotton crane crystal
dawn delta desert drift dune eagle ember engine fable falcon feather fern field flint forest
fossil garden garnet glacier grain granite harbor hazel heron hollow indigo island ivory jasper
jungle kettle lantern laurel lemon linen lotus maple marble meadow mirror mosaic nectar nickel
north oak ocean olive onyx orbit orchid otter paper pebble pepper pine planet plum prairie quartz
quill raven reef ribbon ridge river saffron sail sand sequoia shadow shell silver slate spruce
stone summit sunset tango thistle thunder timber topaz tulip valley velvet violet walnut willow
winter yarrow zephyr zinc""".split()


def words(rng, octets):
    out, length = [], 0
    while length < octets:
        word = rng.choice(WORDS)
        out.append(word)
        length += len(word) + 1
    return " ".join(out)[:octets]


def items(rng, count):
    return [{"id": rng.randrange(100000, 999999), "name": words(rng, rng.randrange(8, 24)).strip(),
             "tags": rng.sample(WORDS, 3), "price": round(rng.uniform(1, 500), 2),
             "about": words(rng, rng.randrange(40, 160)), "stock": rng.randrange(0, 100),
             "new": rng.random() < 0.3} for _ in range(count)]


def png(rng, width, height):
    """A valid PNG of random pixels; it does not compress, as photographs do not."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rng.randbytes(width * 3) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def jpeg_like(rng, octets):
    """JPEG's markers around random octets: enough for a traffic meter, not for a viewer."""
    head = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
    body = rng.randbytes(max(0, octets - len(head) - 2)).replace(b"\xff", b"\x7f")
    return head + body + b"\xff\xd9"


def main(root):
    rng = random.Random(20)
    def put(path, data):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (1_600_000_000, 1_600_000_000))   # so that Last-Modified and ETag are fixed
    put("index.html", ("<!doctype html><title>words</title><p>" + words(rng, 700) + "\n").encode())
    put("404.html", b"<!doctype html><title>404</title><p>no such page\n")
    put("empty.txt", b"")
    put("one.txt", b"x")
    for n in (10, 100, 536, 1000, 1459, 1460, 1461, 2920, 4096, 10000, 16384, 30000, 65536, 100000, 200000):
        put(f"text/{n}.txt", words(rng, n).encode())
    for n in range(40):
        put(f"json/list-{n}.json", json.dumps({"page": n, "items": items(rng, rng.randrange(1, 30))}, indent=1).encode())
    for n in range(20):
        put(f"json/item-{n}.json", json.dumps(items(rng, 1)[0]).encode())
    for n in range(16):
        side = rng.randrange(8, 56)
        put(f"img/{n}.png", png(rng, side, side))
    for n in range(16):
        put(f"img/photo-{n}.jpg", jpeg_like(rng, rng.randrange(2000, 40000)))
    put("js/app.js", ("// " + words(rng, 12000) + "\n").encode())
    put("css/app.css", ("/* " + words(rng, 5000) + " */\n").encode())
    # Each content coding of one and the same text.
    text = words(rng, 20000).encode()
    put("coded/words.txt", text)
    put("coded/words.txt.gz", gzip.compress(text, 6, mtime=0))
    put("coded/words.txt.deflate", zlib.compress(text, 6))
    raw = zlib.compressobj(6, zlib.DEFLATED, -15)
    put("coded/words.txt.raw-deflate", raw.compress(text) + raw.flush())
    half = len(text) // 2
    put("coded/words.txt.gz-members", gzip.compress(text[:half], 9, mtime=0) + gzip.compress(text[half:], 1, mtime=0))
    put("coded/words.txt.gz-gz", gzip.compress(gzip.compress(text, 6, mtime=0), 6, mtime=0))
    source = os.path.join(root, "coded/words.txt")
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-f", "-9", source, "-o", source + ".zst"], check=True)
    if shutil.which("node"):
        code = ("const z=require('zlib'),f=require('fs');"
                "f.writeFileSync(process.argv[2],z.brotliCompressSync(f.readFileSync(process.argv[1])))")
        subprocess.run(["node", "-e", code, source, source + ".br"], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
