"""The other end of driver.c: requests and answers as dictionaries, and what to do when the driver dies."""
import select
import subprocess

STATUS = ["OK", "EINVAL", "EDATA", "EINFEASIBLE", "ENOMEM", "EIO", "ECANCELLED", "EVERSION", "EINTERNAL"]
OK, EINVAL, EDATA, EINFEASIBLE = range(4)


class Died(Exception):
    """A crash or a hang: the worst that can be found."""


class Driver:
    def __init__(self, program, seconds=60):
        self.program, self.seconds, self.process = program, seconds, None

    def start(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                pipe.close()
            self.process.wait()
            self.process = None

    def ask(self, request):
        """The answer as a dictionary of texts; `warnings` is a list."""
        if self.process is None:
            self.start()
        parts = []
        for name, value in request.items():
            if value is None:
                continue
            data = value if isinstance(value, bytes) else str(value).encode()
            parts.append(b"%s %d\n%s\n" % (name.encode(), len(data), data))
        try:
            self.process.stdin.write(b"".join(parts) + b".\n")
            self.process.stdin.flush()
            return self.read()
        except (BrokenPipeError, EOFError):
            code = self.process.wait()
            said = self.process.stderr.read().decode(errors="replace")[-2000:]
            self.stop()
            raise Died("the driver ended with %d: %s" % (code, said)) from None

    def read(self):
        out, stream = {"warnings": []}, self.process.stdout
        # only the first byte is waited for: after it the driver has done its work
        if not select.select([stream], [], [], self.seconds)[0]:
            self.stop()
            raise Died("no answer within %d seconds" % self.seconds)
        while True:
            line = stream.readline()
            if line == b"":
                raise EOFError
            if line == b".\n":
                break
            name, length = line.split()
            text = stream.read(int(length)).decode(errors="surrogateescape")
            if stream.read(1) != b"\n":
                raise EOFError
            name = name.decode()
            if name == "warning":
                out["warnings"].append(text)
            else:
                out[name] = text
        if "status" in out:
            out["status"] = int(out["status"])
        return out
