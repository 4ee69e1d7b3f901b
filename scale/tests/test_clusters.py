"""The job on clusters, as a user submits it, beside one run over the same captures."""

import csv
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.dataset
import pytest
from conftest import ROOT, SCALE, STORE_KEYS, files, free_port, one_run, pieces
from pyarrow import fs

from sniffer_job import make_room
from storage import Place

Submit = Callable[..., subprocess.CompletedProcess[str]]


def faulty(sniffer: str, folder: Path) -> Path:
    """A sniffer that fails once at one capture, takes forever with another the first time, and never makes a third. It notes each capture
    that it is asked for."""
    program = folder / "faulty-sniffer"
    program.write_text(f"""#!/bin/sh
case "$1" in *.pcap) echo "${{1##*/}}" >> {folder}/asked ;; esac
case "$1" in
*_00003_*) mkdir {folder}/failed 2>/dev/null && kill -9 $$ ;;
*_00005_*) test -e {folder}/may-be-slow && mkdir {folder}/slow 2>/dev/null && exec sleep 60 ;;
*doomed*) kill -9 $$ ;;
esac
exec {sniffer} "$@"
""")
    program.chmod(0o755)
    return program


def listing(text: str) -> dict[str, dict[str, str]]:
    return {row["capture"].rpartition("/")[2]: row for row in csv.DictReader(text.splitlines())}


def test_failures_and_points(tmp_path: Path, sniffer: str, submit: Submit) -> None:
    """A try that is killed, a capture that nobody can analyze, one that is cut, and a file that is none; two capture points, of which one
    has connections that cross files, and more partials than are put together at once."""
    data, output = tmp_path / "data", tmp_path / "output"
    pieces("mixed-2000.pcap.gz", 350, data / "paris")
    pieces("nginx-keepalive.pcap", 40, data / "rome")
    shutil.copy(ROOT / "captures" / "pipelining.pcap", data / "paris" / "doomed.pcap")
    (data / "paris" / "notes.txt").write_text("no capture")
    piece = sorted((data / "rome").iterdir())[-1]
    piece.write_bytes(piece.read_bytes()[:-5])
    arguments = [f"{data}/*/*", "--output", str(output), "--program", str(faulty(sniffer, tmp_path)), "--point", "folder"]
    cluster = "local-cluster[2,1,1024]"
    ran = submit(cluster, {"spark.task.maxFailures": "3"}, *arguments, "--format", "csv,html,sqlite")
    # What the job says of faults is in the standard output of spark-submit, too.
    assert ran.returncode == 1 and "doomed.pcap: failed: " in ran.stdout and "ledger balanced: " in ran.stdout, ran.stdout + ran.stderr

    captures = listing((output / "captures.csv").read_text())
    assert len(captures) > 40
    others = {name: row["status"] for name, row in captures.items() if row["status"] != "analyzed"}
    assert others == {"doomed.pcap": "failed", "notes.txt": "passed over", piece.name: "damaged"}
    asked = Counter((tmp_path / "asked").read_text().split())
    failed = next(name for name in asked if "mixed-2000_00003_" in name)
    assert (asked["doomed.pcap"], asked[failed]) == (3, 2)

    for point in ("paris", "rome"):
        paths = sorted(path for path in (data / point).iterdir() if path.name.endswith(".pcap") and path.name != "doomed.pcap")
        whole = one_run(sniffer, paths, tmp_path / point, "csv,html,sqlite,parquet")
        mine = files(output / "report" / point)
        assert mine.keys() == {name for name in whole if not name.endswith(".parquet")}
        for name, content in mine.items():
            assert content == whole[name], f"{point}: {name}"
        for name in whole.keys() - mine.keys():
            table = name.removesuffix(".parquet")
            assert (output / "tables" / table / f"point={point}" / name).read_bytes() == whole[name], f"{point}: {name}"
    table = pyarrow.dataset.dataset(output / "tables" / "messages", partitioning="hive").to_table(columns=["point"])
    assert Counter(table["point"].to_pylist()) == {
        point: len(list(csv.reader((output / "report" / point / "messages.csv").open()))) - 1 for point in ("paris", "rome")
    }
    assert not [path for path in output.rglob("*") if path.name.endswith(".part")]
    assert {path.stat().st_mode & 0o777 for path in (output / "partials").glob("*.partial")} == {0o600}

    # What was made is not made again; and a folder of somebody else stays as it is.
    before = files(output / "report" / "rome")
    again = submit("local[2]", {}, *arguments[:-2], "--point", "(rome)/", "--format", "csv")
    assert again.returncode == 1 and Counter((tmp_path / "asked").read_text().split()) == asked + Counter(["doomed.pcap"]), again.stderr
    after = files(output / "report" / "rome")
    assert after == {name: content for name, content in before.items() if name.endswith(".csv")}
    (output / ".sniffer-job").unlink()
    command: list[str | Path] = [sys.executable, SCALE / "sniffer_job.py", *arguments]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "not of this job" in refused.stderr and files(output / "report" / "rome") == after


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[fs.FileSystem, str]]:
    """An object store with an empty bucket, and what its URIs end with."""
    pytest.importorskip("moto.server")
    for name, value in STORE_KEYS.items():
        monkeypatch.setenv(name, value)
    port = free_port()
    with open(tmp_path / "store.log", "wb") as log:
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 600
            while time.monotonic() < deadline:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            system = fs.S3FileSystem(endpoint_override=f"127.0.0.1:{port}", scheme="http", region="us-east-1", allow_bucket_creation=True)
            system.create_dir("bucket")
            yield system, f"?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
        finally:
            server.terminate()
            server.wait(timeout=600)


def syn_again(folder: Path) -> None:
    """Two captures, of which the second one has a SYN that the first has the beginning of: nobody can say without its packets."""
    folder.mkdir(parents=True)
    capture = ROOT / "captures" / "nginx-keepalive.pcap"
    subprocess.run(["editcap", "-F", "pcap", "-r", capture, folder / "1.pcap", "1-3"], check=True)
    subprocess.run(["editcap", "-F", "pcap", capture, folder / "2.pcap"], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no second loopback address")
def test_slow_tries_and_an_object_store(
    tmp_path: Path, sniffer: str, submit: Submit, standalone: str, store: tuple[fs.FileSystem, str]
) -> None:
    """A first try that never ends, while Spark starts a second one; captures from a store, and reports to it; a partial that is made again,
    since another one needs its packets."""
    system, access = store
    folder = tmp_path / "s3" / "bucket" / "in"
    pieces("cookies-redirects.pcap", 15, folder / "day")
    syn_again(folder / "again")
    paths = [str(path.relative_to(tmp_path)) for path in sorted(folder.rglob("*.pcap"))]
    for path in paths:
        system.create_dir(str(Path(path).parent.relative_to("s3")))
        with system.open_output_stream(str(Path(path).relative_to("s3"))) as stream:
            stream.write((tmp_path / path).read_bytes())
    (tmp_path / "may-be-slow").touch()
    settings = {
        "spark.speculation": "true", "spark.speculation.interval": "100ms", "spark.speculation.quantile": "0.5",
        "spark.speculation.minTaskRuntime": "1s", "spark.speculation.multiplier": "2",
    }
    ran = submit(
        standalone, settings, f"s3://bucket/in/**{access}", "--output", f"s3://bucket/out{access}", "--point", "folder",
        "--program", str(faulty(sniffer, tmp_path)), "--format", "csv,html", "--options", "--idle-timeout 0.05",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    asked = Counter((tmp_path / "asked").read_text().split())
    assert sorted(name.partition("_202")[0] for name, times in asked.items() if times == 2) == [
        "2.pcap", "cookies-redirects_00003", "cookies-redirects_00005",
    ]
    assert asked.total() == len(asked) + 3

    def stored(name: str) -> dict[str, bytes]:
        infos = system.get_file_info(fs.FileSelector(f"bucket/out/{name}", recursive=True))
        return {info.path: system.open_input_stream(info.path).read() for info in infos if info.is_file}

    captures = listing(system.open_input_stream("bucket/out/captures.csv").read().decode())
    assert len(captures) == len(paths) and {row["status"] for row in captures.values()} == {"analyzed"}
    assert captures["2.pcap"]["kept_packets"] == captures["2.pcap"]["packets"]
    tables = stored("tables")
    for point in ("day", "again"):
        names = [path for path in paths if f"/{point}/" in path]
        whole = one_run(sniffer, names, tmp_path / point, "csv,html,parquet", "--idle-timeout", "0.05", cwd=tmp_path)
        mine = {path.rpartition("/")[2]: content for path, content in stored(f"report/{point}").items() if "/." not in path}
        mine |= {path.rpartition("/")[2]: content for path, content in tables.items() if f"/point={point}/" in path}
        assert mine.keys() == whole.keys()
        for name, content in whole.items():
            assert mine[name] == content, f"{point}: {name}"

    # The next run begins without these reports, and with the partials.
    make_room(Place.of(f"s3://bucket/out{access}"))
    assert {info.base_name for info in system.get_file_info(fs.FileSelector("bucket/out"))} == {".sniffer-job", "captures.csv", "partials"}
