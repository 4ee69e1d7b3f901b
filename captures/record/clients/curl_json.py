"""A day of curl, with `-w '%{json}'`: one line for each transfer, as curl writes it.    curl_json.py FOLDER

    log.jsonl       curl's lines, in the order in which the transfers ended
    log.ids.csv     log_row (the line), id (X-Id of the transfer's requests)

curl runs as a program: several URLs by one process on one connection (--next), and six processes at once. -L follows
redirects in one transfer, --retry repeats one: then its line has several exchanges.
"""
import csv, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

folder = sys.argv[1]
SCHEME = os.environ.get("SITE_SCHEME", "http")
APP, OTHER = f"{SCHEME}://app.example.com", f"{SCHEME}://api.example.net"
WORDS = "amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper "
number, out = 10000, []


def text(octets):
    return (WORDS * (octets // len(WORDS) + 1))[:octets]


# What is encrypted is as large in the capture as it was.
LARGE = 150000 if SCHEME == "https" else 3000000
for n in (0, 10, 1000, 30000, 25000, LARGE):
    open(f"{folder}/body.{n}", "w").write(text(n))


def run(transfers):
    """One curl process; each transfer is a list of arguments with its URL last."""
    global number
    arguments, ids = [], []
    for transfer in transfers:
        if arguments:
            arguments.append("--next")
        url = transfer[-1]
        ids.append(f"{number:05}")
        number += 1
        arguments += ["-s", *(["-k"] if SCHEME == "https" else []), *([] if "-o" in transfer else ["-o", "/dev/null"]), "-w", "%{json}\n", "-H", f"X-Id: {ids[-1]}", *transfer[:-1], url if url.startswith("http") else APP + url]
    return ids, arguments


def ended(ids, arguments):
    said = subprocess.run(["curl", "-q", *arguments], capture_output=True, text=True, timeout=60, cwd=folder)
    return [(ids[i], line) for i, line in enumerate(said.stdout.splitlines())]


def ask(*transfers):
    out.extend(ended(*run(transfers)))


def at_once(groups):
    with ThreadPoolExecutor(6) as pool:
        for lines in pool.map(lambda job: ended(*job), [run(g) for g in groups]):
            out.extend(lines)


ask(*[[f"/api/feed?page={i}"] for i in range(24)])
at_once([[[f"/api/feed?page={4 * g + i}"] for i in range(4)] for g in range(6)])
at_once([[["/same?k=1"] for _ in range(3)] for g in range(6)])
ask(*[["/same?k=1"] for _ in range(6)])
ask(*[["/poll"] for _ in range(16)])
at_once([[["/poll"]] for g in range(6)])
for code in (301, 302, 303, 307, 308):
    ask([f"/r/{code}?n=40&to=/item/{code}"], ["-L", f"/r/{code}?n=40&to=/item/{code}"],
        ["-L", "-d", text(300 + code), f"/r/{code}?n=0&to=/up/redirected"], ["-L", "--compressed", f"/r/{code}?n=7&to=/gz/chunked/3000"])
ask(["-L", "/r/302?n=10&to=/r/307%3Fn=20%26to=/r/301%253Fn=0%2526to=/item/3"])
ask(["-L", f"/r/302?n=5&to={OTHER}/item/7"])
at_once([[["-L", "/r/302?n=40&to=/same?k=2"]] for _ in range(4)])
ask(*[["-H", f'If-None-Match: "tag-{i}"', f"/etag/{i}"] for i in (1, 2, 3)], ["/etag/1"])
for n in (300, 5000, 40000):
    ask(*[[*extra, f"{path}/{n}"] for path in ("/gz/cl", "/gz/chunked", "/br/cl", "/br/chunked", "/chunked", "/trailer") for extra in ([], ["--compressed"])])
for n in (0, 10, 1000, 30000):
    ask(["--data-binary", f"@{folder}/body.{n}", "/up/string"], ["-F", f"file=@{folder}/body.{n}", "/up/form"], ["-T", f"{folder}/body.{n}", "/up/put"],
        ["-H", "Expect: 100-continue", "--data-binary", f"@{folder}/body.{n}", "/up/expect"],
        ["-H", "Expect:", "-F", f"file=@{folder}/body.{n}", "/up/form"],
        ["-H", "Transfer-Encoding: chunked", "--data-binary", f"@{folder}/body.{n}", "/up/chunked"],
        # curl 7.88 never ends an empty chunked -T of a file.
        ["-H", "Transfer-Encoding: chunked", "-T", f"{folder}/body.{n or 10}", "/up/chunked"])
for n in (25000, LARGE):
    ask(["-T", f"{folder}/body.{n}", "/big"])
at_once([[["--data-binary", f"@{folder}/body.{n}", "/up/parallel"]] for n in (10, 1000, 30000)])
for i in range(6):
    ask(["--data-binary", "日本語 ünïcödé Ωμέγα 🎈" * (3 + i), f"/utf8/{i}"], [f"/utf8/{5 * i}?q=gr%C3%BCn"], [f"/item/größe/{i}"])
for code in (404, 500, 503, 204):
    ask([f"/status/{code}"], ["-f", f"/status/{code}"])
# Before it tries again curl empties its output file, which /dev/null does not let it do.
ask(["-o", "answer", "--retry", "2", "--retry-delay", "1", "/status/503"])
for i in range(4):
    ask(["-I", f"/item/{i}"], ["-X", "DELETE", f"/item/{i}"])
ask(["-c", f"{folder}/jar", "/cookies/set"])
ask(["-b", f"{folder}/jar", "/cookies/echo"])
ask(["/cut/6000"])
ask(["/cut/chunked/6000"])
ask(["-m", "0.4", "/silent/500"])
ask(*[[f"{OTHER if i % 2 else APP}/item/{i // 2}"] for i in range(12)])
at_once([[[f"{OTHER if i % 2 else APP}/poll"]] for i in range(8)])
ask(*[["-d", '{"n": 1}', "-H", "Content-Type: application/json", f"/item/{i % 4}"] for i in range(12)])

with open(f"{folder}/log.jsonl", "w") as log, open(f"{folder}/log.ids.csv", "w", newline="") as ids:
    writer = csv.writer(ids, lineterminator="\n")
    writer.writerow(["log_row", "id"])
    for row, (identity, line) in enumerate(out, 1):
        log.write(line + "\n")
        writer.writerow([row, identity])
print("curl", len(out), "transfers")
