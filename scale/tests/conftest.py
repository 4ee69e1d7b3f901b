"""What the tests of the job share: the program under test, captures in pieces, and Spark."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyspark
import pytest

SCALE = Path(__file__).resolve().parent.parent
ROOT = SCALE.parent
sys.path.insert(0, str(SCALE))

# Nothing listens but on loopback addresses. Executors are small: two of them share a machine with other tests.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.pyspark.python": sys.executable,
    "spark.pyspark.driver.python": sys.executable,
}
# Most of what short runs of Java take is the compiler, and threads that collect garbage.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Of an object store that takes any. Executors have them from the workers that start them.
STORE_KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(scope="session")
def sniffer() -> str:
    """The program under test."""
    program = os.environ.get("SNIFFER_PROGRAM") or str(ROOT / ".build" / "release" / "sniffer")
    assert os.access(program, os.X_OK), f"{program}: build it, or name it with SNIFFER_PROGRAM"
    return os.path.abspath(program)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where Spark is, and what it writes to: `local-cluster` leaves a folder with the program beside Spark."""
    home, room = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("room")
    for path in Path(pyspark.__file__).parent.iterdir():
        if path.name != "work":
            (home / path.name).symlink_to(path)
    return os.environ | {
        "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(room), "SPARK_WORKER_DIR": str(home / "work"),
        "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "JAVA_TOOL_OPTIONS": JAVA, **STORE_KEYS,
    }


def pieces(capture: str, packets: int, folder: Path) -> None:
    """Cuts a capture of this repository into files of so many packets."""
    folder.mkdir(parents=True, exist_ok=True)
    name = capture.partition(".")[0]
    subprocess.run(["editcap", "-F", "pcap", "-c", str(packets), ROOT / "captures" / capture, folder / f"{name}.pcap"], check=True)


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file of a report."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def one_run(
    sniffer: str, captures: Sequence[Path | str], report: Path, formats: str, *options: str, cwd: Path | None = None
) -> dict[str, bytes]:
    """The report of one run over captures."""
    command: list[str | Path] = [sniffer, *captures, "-o", report, "--format", formats, "--quiet", *options]
    subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    return files(report)


@pytest.fixture(scope="session")
def submit(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the job as a user does."""

    def run(master: str, settings: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
        program = Path(environment["SPARK_HOME"]) / "bin" / "spark-submit"
        options = [part for name, value in (SETTINGS | settings).items() for part in ("--conf", f"{name}={value}")]
        command: list[str | Path] = [program, "--master", master, *options, SCALE / "sniffer_job.py", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200, check=False)

    return run


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="session")
def standalone(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master with two workers on two hosts, as Spark sees it: a slow task is not run twice on one host."""
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    package = "org.apache.spark.deploy"
    commands = [
        [f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"],
        *([f"{package}.worker.Worker", "--host", host, "--cores", "1", "--memory", "600m", "--webui-port", "0", master]
          for host in ("127.0.0.1", "127.0.0.2")),
    ]
    folder = tmp_path_factory.mktemp("standalone")
    started = []
    try:
        for index, command in enumerate(commands):
            with open(folder / f"{index}.log", "wb") as log:
                own = environment | {"SPARK_LOCAL_IP": command[2]}
                program = Path(environment["SPARK_HOME"]) / "bin" / "spark-class"
                started.append(subprocess.Popen([program, *command], env=own, stdout=log, stderr=log))
        yield master
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=600)
