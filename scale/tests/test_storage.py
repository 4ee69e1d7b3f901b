"""Which files names stand for, and how files get theirs."""

import os
from pathlib import Path

import pytest

from storage import Place, captures


def found(*names: str) -> list[tuple[str, bool]]:
    return [(capture.name, capture.is_named) for capture in captures(list(names))[0]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.pcap", "a.pcap", ".hidden", "part?.pcap", "deep/c.pcap", "deep/er/d.pcap", ".deep/e.pcap"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_stands_for_the_visible_files_in_it(folder: Path) -> None:
    expected = [(str(folder / name), False) for name in ("a.pcap", "b.pcap", "part?.pcap")]
    assert found(str(folder)) == found(".") == expected


@pytest.mark.parametrize(("pattern", "names"), [
    ("*.pcap", ["a.pcap", "b.pcap", "part?.pcap"]),
    ("?.pcap", ["a.pcap", "b.pcap"]),
    ("deep/*", ["deep/c.pcap"]),
    ("*/*.pcap", ["deep/c.pcap"]),
    ("**.pcap", ["a.pcap", "b.pcap", "deep/c.pcap", "deep/er/d.pcap", "part?.pcap"]),
    ("**/d.pcap", ["deep/er/d.pcap"]),
    (".deep/*", [".deep/e.pcap"]),
])
def test_patterns(folder: Path, pattern: str, names: list[str]) -> None:
    assert found(pattern) == [(str(folder / name), False) for name in names]


def test_a_file_is_named_by_itself_even_where_a_folder_has_it_too(folder: Path) -> None:
    assert found("part?.pcap") == [(str(folder / "part?.pcap"), True)]
    assert (str(folder / "a.pcap"), True) in found(".", "a.pcap") and len(found(".", "a.pcap")) == 3


def test_what_is_not_there_is_said(folder: Path) -> None:
    assert captures(["none", "none/*", "*.none", "a.pcap"])[1] == ["none", "none/*", "*.none"]


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "made"
    made.write_bytes(b"partial")
    made.chmod(0o600)
    place = Place.of(str(tmp_path / "output" / "partial"))
    place.store(str(made))
    assert place.read() == b"partial" and place.exists
    assert os.stat(place.path).st_mode & 0o777 == 0o600
    made.write_bytes(b"another")
    monkeypatch.setattr("shutil.copyfileobj", lambda source, target, length: (target.write(b"an"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        place.store(str(made))
    assert place.read() == b"partial"
    assert os.listdir(tmp_path / "output") == ["partial"]


def test_places_that_the_job_does_not_know_are_refused() -> None:
    with pytest.raises(ValueError, match="object stores"):
        Place.of("mock:///output")
