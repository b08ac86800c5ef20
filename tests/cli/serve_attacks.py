"""kanon serve under attack: serve_attacks.py PROGRAM PAGE FOLDER

Starts the server with a page that stands for the real one, goes the whole way as the page does, and then tries what others on
the machine or on the net could: other names of the host, other origins, no token, used tokens, tricks with paths, requests that
are huge or slow, two visitors, an engine that dies. The first failure ends it."""
import atexit
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

program, page, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
PATIENCE = 60  # seconds; only for what must happen some time


class Server:
    """The program as a process; its address is read from what it prints."""

    def __init__(self):
        self.folder = folder / "tmp"
        self.folder.mkdir(exist_ok=True)
        environment = dict(os.environ, TMPDIR=str(self.folder))
        self.process = subprocess.Popen([program, "serve", "--page", page], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment, text=True)
        atexit.register(self.process.kill)  # where a check fails
        address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{64})", address)
        assert found, f"no address but {address!r}"
        self.port, self.token = int(found[1]), found[2]
        self.session = None

    def ask(self, method, path, body=None, headers=None, secret=True):
        """Status and body of one request, with what a browser would send unless `headers` says otherwise."""
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if secret and self.session:
            sent["Authorization"] = f"Bearer {self.session}"
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if body is not None and "Content-Length" not in sent and "Transfer-Encoding" not in sent:
            sent["Content-Length"] = str(len(body))
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.status, response.read(), dict(response.getheaders())
        connection.close()
        return answer

    def open(self, token):
        status, body, headers = self.ask("GET", f"/?token={token}", headers={"Sec-Fetch-Site": "none"}, secret=False)
        assert status == 200, status
        told = re.search(r'name="kanon-serve" content="([^"]*)"', body.decode())
        visit = json.loads(told[1].replace("&quot;", '"'))
        assert "connect-src 'self'" in body.decode() and "connect-src 'none'" not in body.decode()
        assert headers["Cache-Control"] == "no-store" and "Access-Control-Allow-Origin" not in headers
        self.session = visit["session"]
        return visit

    def send(self, contents):
        status, body, _ = self.ask("POST", "/api/file", contents)
        assert status == 200, status
        return json.loads(body)["file"]

    def begin(self, request, files=None, wanted=(), engine=1):
        order = {"engine": engine, "request": request, "files": files or {}, "wanted": list(wanted)}
        status, body, _ = self.ask("POST", "/api/job", json.dumps(order).encode())
        return status, json.loads(body)["job"] if status == 200 else None

    def answer(self, job):
        end = time.time() + PATIENCE
        while time.time() < end:
            status, body, _ = self.ask("GET", f"/api/job/{job}")
            assert status == 200, status
            found = json.loads(body)
            if "answer" in found:
                return found
            time.sleep(0.05)  # the page asks in the same way: nothing else tells that a job is done
        raise AssertionError("no answer")

    def stop(self, how):
        self.process.send_signal(how)
        assert self.process.wait(PATIENCE) == 0, self.process.returncode
        assert "Traceback" not in (said := self.process.stderr.read()) and "Sanitizer" not in said, said
        assert not list(self.folder.iterdir()), "files were left behind"


def refused(answer, *statuses):
    assert answer[0] in statuses, f"status {answer[0]} instead of {statuses}"
    assert b"session" not in answer[1]


def whole_way(server):
    """What the page does, and the release is that of the program."""
    files = folder / "demo"
    subprocess.run([program, "sample", "hospital", "--rows", "300", "--seed", "4", "-q", "-o", files], check=True)
    names = {str(p.relative_to(files)): server.send(p.read_bytes()) for p in sorted(files.rglob("*")) if p.is_file()}
    request = {"do": "run", "table": "hospital.csv", "schema": "hospital.yaml", "k": 5, "seed": "3", "effort": "fast",
               "outputs": {"release": "release.csv"}}
    status, job = server.begin(request, names, ["release.csv"])
    assert status == 200
    found = server.answer(job)
    assert "error" not in found["answer"], found["answer"]
    status, release, _ = server.ask("GET", f"/api/file/{found['files']['release.csv']}")
    assert status == 200
    subprocess.run([program, "anonymize", files / "hospital.csv", "-s", files / "hospital.yaml", "-k", "5", "--seed", "3",
                    "--effort", "fast", "-o", folder / "release.csv", "-q"], check=True)
    assert release == (folder / "release.csv").read_bytes(), "another release than the program's"
    # a request that lacks something, or asks for too much, is an error and no end of the engine
    for odd in ({"do": "evaluate", "table": "hospital.csv", "schema": "hospital.yaml"}, {"do": "sample", "rows": 2**62},
                {"do": "check"}, {"do": "run", "outputs": 5}, {"do": "publish"}, {"do": 1}, {}):
        status, job = server.begin(odd, names, engine=2)
        assert server.answer(job)["answer"].get("error", {}).get("code") == "usage", odd
    # a wrong word is no other word, a wrong seed no other seed
    for field, wrong in (("numeric", "ranges"), ("numeric", 1), ("recode", "column"), ("header", "maybe"), ("shuffle", "yes"),
                         ("seed", "-1"), ("seed", 2**53), ("seed", 0.5), ("seed", "9007199254740992"), ("shuffleSeed", -1),
                         ("shuffleSeed", "x"), ("shuffleSeed", True)):
        status, job = server.begin(dict(request, **{field: wrong}), names, engine=2)
        error = server.answer(job)["answer"].get("error", {})
        assert error.get("code") == "usage", (field, wrong, error)
        if field in ("seed", "shuffleSeed"):
            assert error["message"].endswith("seed must be a whole number from 0 to 9007199254740991"), error
    assert server.ask("DELETE", "/api/engine/2")[0] == 200
    # errors are those of the library, and the engine goes on
    status, job = server.begin(dict(request, k=100000), names)
    assert server.answer(job)["answer"]["error"]["code"] in ("infeasible", "usage", "data")
    return names


def strangers(server):
    here, good = f"http://127.0.0.1:{server.port}", {"do": "about"}
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", None, ""):
        refused(server.ask("GET", "/api/job/1", headers={"Host": host}), 400, 421)
        refused(server.ask("GET", f"/?token={server.token}", headers={"Host": host}), 400, 421)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": here + "1"},
                    {"Origin": f"https://127.0.0.1:{server.port}"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Sec-Fetch-Site": "same-site"}):
        refused(server.ask("POST", "/api/job", json.dumps({"engine": 1, "request": good}).encode(), headers=headers), 403)
        refused(server.ask("GET", f"/?token={server.token}", headers=headers), 403)
    status, _, headers = server.ask("OPTIONS", "/api/job", headers={"Origin": "http://evil.example"})
    assert status in (403, 405) and "Access-Control-Allow-Origin" not in headers
    for method in ("PUT", "PATCH", "TRACE", "HEAD"):
        refused(server.ask(method, "/api/job"), 401, 403, 405)


def tokens(server, first, again):
    refused(server.ask("GET", "/"), 403)
    refused(server.ask("GET", "/?token="), 403)
    refused(server.ask("GET", f"/?token={first}"), 403)  # it works once
    refused(server.ask("GET", f"/?token={again[:-1]}"), 403)
    for secret in (None, "", "Bearer", "Bearer ", f"Basic {server.session}", f"Bearer {server.session[:-1]}",
                   f"Bearer {server.session}0", f"Bearer {first}"):
        for method, path in (("GET", "/api/job/1"), ("GET", "/api/file/1"), ("POST", "/api/file"), ("DELETE", "/api/file/1")):
            refused(server.ask(method, path, b"" if method == "POST" else None, headers={"Authorization": secret}), 401)


def paths(server, files):
    for path in ("/etc/passwd", "//etc/passwd", "/api/../etc/passwd", "/api/file/../../etc/passwd", "/api/file/%2e%2e/x",
                 "/api/file/0", "/api/file/-1", "/api/file/99999999999999999999", "/api/file/1x", "/api/file/", "/api/",
                 "/api/file/1%00", "/index.html", "/api/job/1/finish/x"):
        refused(server.ask("GET", path), 400, 404)
    some = next(iter(files.values()))
    for name in ("../x", "/etc/passwd", "a/../../x", "./x", ".x", "a/.b", "a//b", "", "a/", "a\\b", "a\nb", "x" * 300):
        assert server.begin({"do": "about"}, {name: some})[0] == 400, name
        assert server.begin({"do": "about"}, {}, [name])[0] == 400, name
        for field in ("table", "schema", "out", "release", "folder", "taxonomy"):
            assert server.begin({"do": "check", field: name})[0] == 400, (field, name)
        assert server.begin({"do": "run", "outputs": {"release": name}})[0] == 400, name
    for number in (0, -1, 10**6, "1", 1.5, None):
        assert server.begin({"do": "about"}, {"x": number})[0] == 400, number
    for order in (b"", b"{", b"[]", b"null", b"{}", b'{"engine": 1}', b'{"engine": 0, "request": {}}', b"\xff\xfe"):
        refused(server.ask("POST", "/api/job", order), 400)


def huge(server):
    refused(server.ask("POST", "/api/file", headers={"Content-Length": str(10**17)}), 413)
    refused(server.ask("POST", "/api/job", headers={"Content-Length": str(17 * 2**20)}), 413)
    refused(server.ask("GET", "/api/job/1", headers={"X-Long": "x" * 100_000}), 413, 431)
    try:  # a body without a length that never ends
        def pieces():
            for _ in range(40):
                yield b"x" * 2**20
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("POST", "/api/job", pieces(), {"Host": f"127.0.0.1:{server.port}",
                           "Authorization": f"Bearer {server.session}", "Transfer-Encoding": "chunked"}, encode_chunked=True)
        assert connection.getresponse().status == 413
    except (ConnectionError, http.client.HTTPException):
        pass  # cut off


def idle(server):
    """Connections that say nothing make room for those that do, at once."""
    kept = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
    assert server.ask("GET", "/api/job/1")[0] == 404
    kept[-1].setblocking(False)
    try:
        assert kept[-1].recv(1) != b"", "idle connections keep others out until all of them are closed"
    except BlockingIOError:
        pass
    for one in kept:
        one.close()


def slow(server):
    """Heads and bodies that never end take no place for ever, and others are served meanwhile."""
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    body = (f"POST /api/file HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.session}\r\n"
            "Content-Length: 100000\r\n\r\n")
    kept = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(6)]
    for i, one in enumerate(kept):
        one.sendall((head if i % 2 else body).encode())
    open_ones, end = set(kept), time.time() + PATIENCE
    while open_ones and time.time() < end:
        assert server.ask("GET", "/api/job/1")[0] == 404
        for one in list(open_ones):
            try:
                one.sendall(b"x")
                one.setblocking(False)
                if one.recv(1000) == b"":
                    open_ones.discard(one)
            except BlockingIOError:
                pass
            except OSError:
                open_ones.discard(one)
        time.sleep(0.2)  # the server closes them after a time of its own, and only asking tells
    assert not open_ones, "a slow connection stays open"
    for one in kept:
        one.close()


def downloads(server, meanwhile):
    """A visitor who goes in the midst of a file harms nobody, and one who only reads, and late, gets all of it."""
    contents = b"0123456789abcdef" * 2**20
    number = server.send(contents)
    head = f"GET /api/file/{number} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.session}\r\n\r\n"
    for _ in range(3):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.sendall(head.encode())
        one.recv(1000)
        one.close()
    slow_one = socket.create_connection(("127.0.0.1", server.port))
    slow_one.sendall(head.encode())
    meanwhile()
    got = b""
    while len(got) < len(contents) and (part := slow_one.recv(2**20)):
        got += part
    slow_one.close()
    assert got.endswith(contents), "a slow reader did not get the file"
    assert server.ask("DELETE", f"/api/file/{number}")[0] == 200


def late(server, visit):
    """What a visitor before began to send is refused when it is complete: the visit is another one's by then."""
    order = json.dumps({"engine": 1, "request": {"do": "about"}}).encode()
    one = socket.create_connection(("127.0.0.1", server.port))
    one.sendall((f"POST /api/job HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.session}\r\n"
                 f"Content-Length: {len(order)}\r\n\r\n").encode() + order[:5])
    assert server.ask("GET", "/api/job/1000")[0] == 404  # so that the head was read
    again = server.open(visit["again"])
    one.sendall(order[5:])
    assert one.recv(12) == b"HTTP/1.1 401"
    one.close()
    return again


def engines(server, files):
    request = {"do": "run", "table": "hospital.csv", "schema": "hospital.yaml", "k": 3, "seed": "1", "effort": "best"}
    status, job = server.begin(request, files, engine=2)
    assert status == 200
    assert server.begin({"do": "about"}, engine=2)[0] == 409, "two jobs of one engine"
    assert server.ask("POST", f"/api/job/{job}/stop")[0] == 200
    refused(server.ask("GET", f"/api/job/{job}"), 404)
    status, job = server.begin(request, files, engine=2)
    # the one that was started last: numbers of processes begin again, so that it need not have the highest
    newest = subprocess.run(["pgrep", "-n", "-P", str(server.process.pid)], capture_output=True, text=True).stdout
    os.kill(int(newest), signal.SIGKILL)
    listener = socket.create_connection(("127.0.0.1", server.port))  # may get the number that the engine's channel had
    end = time.time() + PATIENCE
    while server.ask("POST", f"/api/job/{job}/finish")[0] == 200 and time.time() < end:
        time.sleep(0.05)  # the engine is gone when the server has noticed
    listener.setblocking(False)
    try:
        assert not (heard := listener.recv(10)), f"a word for an engine went to a visitor: {heard}"
    except BlockingIOError:
        pass
    listener.close()
    assert server.answer(job)["answer"]["error"]["code"] == "internal"
    assert [server.begin({"do": "about"}, engine=n)[0] for n in (3, 4, 5)] == [200, 200, 503], "more engines than places"
    assert server.ask("DELETE", "/api/engine/4")[0] == 200
    assert server.begin({"do": "about"}, engine=5)[0] == 200


def only_loopback(server):
    listening = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in listening and f"00000000:{server.port:04X}" not in listening
    visit, = server.folder.iterdir()
    assert visit.stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o077 == 0 for p in visit.rglob("*"))


server = Server()
strangers(server)
visit = server.open(server.token)
files = whole_way(server)
only_loopback(server)
strangers(server)
tokens(server, server.token, visit["again"])
paths(server, files)
huge(server)
idle(server)
downloads(server, lambda: slow(server))
engines(server, files)
# a second visitor with the address that the first one has: the first one is out
before = server.session
late(server, visit)
refused(server.ask("GET", "/api/job/1", headers={"Authorization": f"Bearer {before}"}), 401)
refused(server.ask("GET", f"/api/file/{next(iter(files.values()))}"), 404)
server.stop(signal.SIGINT)
second = Server()
second.open(second.token)
second.send(b"age\n1\n")
# a port that is taken is named
third = subprocess.run([program, "serve", "--page", page, "--port", str(second.port)], capture_output=True, text=True)
assert third.returncode != 0 and f"another program has port {second.port}" in third.stderr, third.stderr
# what a killed server leaves goes with the next one, and what a living one has stays
second.process.kill()
second.process.wait(PATIENCE)
left, = second.folder.iterdir()
living = Server()
assert not left.exists(), "the folder of a killed server stays"
kept, = living.folder.iterdir()
last = Server()
assert kept.exists() and len(list(last.folder.iterdir())) == 2
living.process.send_signal(signal.SIGHUP)
assert living.process.wait(PATIENCE) == 0 and not kept.exists()
last.stop(signal.SIGTERM)
