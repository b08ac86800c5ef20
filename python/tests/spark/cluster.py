"""A Spark cluster on one machine, as separate processes: a master, workers, and the executors that they start.

Used by the tests, by ``campaign`` and by ``bench/spark``. Executors and workers can be killed, to see what becomes of
the work. Only processes that this object started are ever touched.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pyspark


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children(pid: int) -> list[int]:
    """Processes that a process started."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                found.append(int(stat.parent.name))
    return found


class Cluster:
    """``with Cluster(workers=3) as cluster: spark = cluster.session()``"""

    def __init__(self, workers: int = 3, cores: int = 1, memory: str = "1g") -> None:
        self.n, self.cores, self.memory = workers, cores, memory
        self.folder = tempfile.TemporaryDirectory(prefix="kanon-spark-")
        self.home = self._home(pathlib.Path(pyspark.__file__).parent)
        self.port = free_port()
        self.processes: list[subprocess.Popen] = []
        self.workers: list[subprocess.Popen] = []

    def _home(self, installed: pathlib.Path) -> pathlib.Path:
        """Spark without pyspark.zip. At the start of every task Python reads the list of files of each zip and jar on its path,
        once for every package found there, which takes longer than most tasks here; folders cost nothing."""
        home = pathlib.Path(self.folder.name) / "home"
        home.mkdir()
        (home / "sitecustomize.py").write_text("import sys\nsys.path = [p for p in sys.path if not p.endswith('.jar')]\n")
        for part in ("bin", "jars", "sbin"):
            (home / part).symlink_to(installed / part)
        return home

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def _start(self, name: str, *command: str) -> subprocess.Popen:
        where = pathlib.Path(self.folder.name)
        env = {
            **os.environ, "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_MASTER_HOST": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m", "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_DIRS": str(where / name),
            "SPARK_WORKER_DIR": str(where / name / "work"),
            "PYTHONPATH": os.pathsep.join([str(self.home), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        }  # fmt: skip
        log = open(where / f"{name}.log", "wb")
        process = subprocess.Popen(
            [str(self.home / "bin" / "spark-class"), *command], env=env, stdout=log, stderr=log, start_new_session=True
        )
        self.processes.append(process)
        return process

    def add_worker(self) -> None:
        name = f"worker{len(self.workers)}"
        self.workers.append(self._start(
            name, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", str(self.cores), "--memory",
            self.memory, "--webui-port", str(free_port()), self.url,
        ))  # fmt: skip

    def __enter__(self) -> Cluster:
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(self.port),
                    "--webui-port", str(free_port()))  # fmt: skip
        for _ in range(120):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            time.sleep(0.5)
        else:
            raise RuntimeError("the master does not answer")
        for _ in range(self.n):
            self.add_worker()
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.folder.cleanup()

    def session(self, **settings: str):
        """A session on this cluster."""
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master(self.url).appName("kanon")
        given = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "700m", "spark.executor.cores": "1",
            "spark.sql.shuffle.partitions": "4", "spark.local.dir": self.folder.name,
            "spark.sql.warehouse.dir": self.folder.name,
            # Lost executors are noticed at once, and a killed one is not held against the application.
            "spark.task.maxFailures": "8", "spark.stage.maxConsecutiveAttempts": "8",
            "spark.network.timeout": "60s", "spark.shuffle.io.retryWait": "1s",
            # Short jobs: compiling costs more than it gains.
            "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "spark.sql.codegen.wholeStage": "false", **settings,
        }  # fmt: skip
        for name, value in given.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        return spark

    def processor_seconds(self) -> float:
        """What master, workers, executors and their Python processes have used so far."""
        ours, ticks = {p.pid for p in self.processes}, 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[3]) in ours:  # the session that _start made
                    ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def executors(self) -> list[int]:
        """The processes of executors: children of workers that still run."""
        return [pid for w in self.workers if w.poll() is None for pid in children(w.pid)]

    def kill_executor(self, rng: random.Random) -> bool:
        """Ends an executor as a crash would. False: none was there."""
        running = self.executors()
        if not running:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(sorted(running)), signal.SIGKILL)
        return True

    def lose_worker(self, rng: random.Random) -> bool:
        """Ends a worker and its executor for good, unless it is the last one."""
        running = [w for w in self.workers if w.poll() is None]
        if len(running) < 2:
            return False
        worker = rng.choice(running)
        doomed = [worker.pid, *children(worker.pid)]
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait()
        return True
