"""A speed test server that misbehaves on request, over TLS on loopback.

    http_faults.py CERT KEY LOG

Prints its port, then serves until its standard input ends. The first folder of a path names the
behaviour: /stall/garbage.php?ckSize=4. LOG gets one JSON line a request: connection, method, path,
bytes of the body and their SHA-256.
"""
import hashlib
import json
import os
import socket
import ssl
import struct
import sys
import threading
import urllib.parse

MIB = 1 << 20
LOCK = threading.Lock()


def read_head(stream):
    lines = []
    while True:
        line = stream.readline(65536)
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            return lines
        lines.append(line.decode("latin-1").strip())


class Connection:
    def __init__(self, sock, number, log):
        self.sock, self.number, self.log = sock, number, log
        self.stream = sock.makefile("rb")
        self.requests = 0

    def send(self, data):
        self.sock.sendall(data)

    def head(self, length=None, status="200 OK", version="HTTP/1.1", extra=()):
        lines = [f"{version} {status}", *extra]
        lines.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def hang(self):  # until the client goes
        self.sock.settimeout(None)
        while self.sock.recv(65536):
            pass

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.sock.detach())  # without a farewell of TLS

    def serve(self):
        while (lines := read_head(self.stream)) is not None:
            method, target, _ = lines[0].split(" ")
            fields = dict(line.lower().split(":", 1) for line in lines[1:])
            length = int(fields.get("content-length", "0"))
            url = urllib.parse.urlsplit(target)
            mode, _, script = url.path.strip("/").partition("/")
            self.requests += 1
            query = urllib.parse.parse_qs(url.query)
            if method == "POST":
                more = self.upload(mode, length)
            elif script == "garbage.php":
                more = self.download(mode, int(query["ckSize"][0]) * MIB)
            else:
                more = self.zero(mode)
            if not more:
                return

    def note(self, method, size, digest):
        with LOCK:
            self.log.write(json.dumps({"connection": self.number, "method": method, "bytes": size,
                                       "sha256": digest}) + "\n")
            self.log.flush()

    def take(self, length):
        digest, left = hashlib.sha256(), length
        while left > 0:
            data = self.stream.read1(min(left, 65536))
            if not data:
                return False
            digest.update(data)
            left -= len(data)
        self.note("POST", length, digest.hexdigest())
        return True

    def refused(self, mode):  # the answers that are the same for every request
        if mode == "forbidden":
            self.head(0, "403 Forbidden")
        elif mode == "limited" and self.requests > 2:
            self.head(0, "429 Too Many Requests", extra=["Retry-After: 30"])
        elif mode == "broken":
            self.head(0, "503 Service Unavailable")
        elif mode == "moved":
            self.head(0, "302 Found", extra=["Location: https://other.example/x?token=secret"])
        elif mode == "old":
            self.head(0, version="HTTP/1.0")
        elif mode == "flood":
            self.send(b"HTTP/1.1 200 OK\r\n" + b"X-Filler: " + b"x" * 8000 + b"\r\n" * 1)
            for number in range(64):
                self.send(b"X-%d: " % number + b"x" * 8000 + b"\r\n")
        elif mode == "silent":
            self.hang()
        elif mode == "gone":
            pass
        elif mode == "reset":
            self.reset()
        else:
            return False
        return True

    def zero(self, mode):
        if self.refused(mode):
            return False
        if mode == "talkative":
            self.head(5)
            self.send(b"hello")
            return True
        self.head(0)
        self.note("GET", 0, hashlib.sha256(b"").hexdigest())
        return mode != "oneshot"

    def upload(self, mode, length):
        if mode == "early":
            self.head(0)
            return self.take(length)
        if mode == "early-close":
            self.head(0)
            return False
        if mode == "large":
            self.head(0, "413 Payload Too Large")
            return False
        if mode == "close-midway":
            self.stream.read(65536)
            return False
        if mode == "stall":
            self.stream.read(65536)
            threading.Event().wait()
        if not self.take(length) or self.refused(mode):
            return False
        if mode == "talkative":
            self.head(100_000)
            self.send(b"x" * 100_000)
            return True
        self.head(0, extra=["Connection: close"] if mode == "oneshot" else [])
        return mode != "oneshot"

    def download(self, mode, size):
        if self.refused(mode):
            return False
        block = os.urandom(MIB)
        if mode == "interim":
            self.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        if mode == "wrong-length":
            self.head(size + 1)
            return False
        if mode in ("short", "close-midway", "stall"):
            self.head(size)
            self.send(block[: MIB // 2])
            if mode == "stall":
                self.hang()
            return False
        if mode == "gzip":
            self.head(size, extra=["Content-Encoding: gzip"])
            return False
        self.head(extra=["Connection: close"] if mode == "oneshot" else [])
        for number in range(size // MIB):
            data = bytearray(block)
            if mode == "corrupt" and number == 1:
                data[1000] ^= 1
            if mode == "short-chunks" and number == size // MIB - 1:
                del data[-1:]
            self.chunk(bytes(data))
        if mode == "long":
            self.chunk(b"x")
        self.send(b"0\r\n\r\n")
        return mode != "oneshot"


def accept(server, context, log):
    number = 0
    while True:
        raw, _ = server.accept()
        number += 1

        def run(raw=raw, number=number):
            try:
                with context.wrap_socket(raw, server_side=True) as sock:
                    Connection(sock, number, log).serve()
            except (OSError, ValueError):
                pass  # the client's end, or what it didn't understand

        threading.Thread(target=run, daemon=True).start()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    with socket.create_server(("127.0.0.1", 0)) as server, open(sys.argv[3], "a") as log:
        print(server.getsockname()[1], flush=True)
        threading.Thread(target=accept, args=(server, context, log), daemon=True).start()
        sys.stdin.read()


main()
