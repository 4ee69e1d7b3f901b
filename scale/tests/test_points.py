"""Which captures are put together, and which are left out because their packets are there already."""

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

import sniffer_job
from sniffer_job import chosen, points
from storage import Place, captures
from tasks import Outcome, head_of

NAMES = ["/data/paris/1.pcap", "/data/rome/1.pcap", "/data/rome/x y/2.pcap", "/data/3.pcap"]


@pytest.mark.parametrize(("rule", "expected"), [
    (None, ["", "", "", ""]),
    ("folder", ["paris", "rome", "rome%2Fx%20y", "%2E"]),
    (r"/(paris|rome)/", ["paris", "rome", "rome", "other"]),
    (r"\d\.pcap$", ["1.pcap", "1.pcap", "2.pcap", "3.pcap"]),
    (r"()", ["none"] * 4),
])
def test_rules(rule: str | None, expected: list[str]) -> None:
    assert points(NAMES, rule) == expected


def test_a_folder_alone_is_called_as_it_is() -> None:
    assert points(NAMES[:1], "folder") == ["paris"]


def test_no_two_points_have_one_path_and_none_leads_elsewhere() -> None:
    names = ["a b", "a_b", "a%20b", "..", ".", "", "a/b"]
    paths = {sniffer_job.path_of(name) for name in names}
    assert len(paths) == len(names) and not any("/" in path or path in (".", "..", "") for path in paths)


def test_packets_that_are_there_twice_count_once(tmp_path: Path, sniffer: str) -> None:
    source = (ROOT / "captures" / "nginx-keepalive.pcap").read_bytes()
    (tmp_path / "a.pcap").write_bytes(source)
    subprocess.run(["gzip", "-k", "a.pcap"], cwd=tmp_path, check=True)
    (tmp_path / "other.pcap").write_bytes((ROOT / "captures" / "pipelining.pcap").read_bytes())
    outcomes = []
    for capture in captures([str(tmp_path)])[0]:
        partial = capture.name + ".partial"
        subprocess.run([sniffer, capture.name, "--partial", partial, "--quiet"], check=True)
        outcomes.append(Outcome(capture, "", "analyzed", partial=partial, head=head_of(Place.of(partial))))
    first, again, other = chosen(sniffer, outcomes)
    assert (first, other) == (outcomes[0], outcomes[2])
    assert (again.status, again.partial, again.message) == ("repeated", "", f"has the packets of {tmp_path}/a.pcap")
    # Of other points they are others.
    apart = [outcome if index != 1 else Outcome(**{**vars(outcome), "point": "b"}) for index, outcome in enumerate(outcomes)]
    assert chosen(sniffer, apart) == apart


def test_a_partial_that_is_cut_has_no_head(tmp_path: Path) -> None:
    (tmp_path / "cut.partial").write_bytes(b"SNIFPART" + bytes(60))
    with pytest.raises(OSError, match="not a whole partial"):
        head_of(Place.of(str(tmp_path / "cut.partial")))
