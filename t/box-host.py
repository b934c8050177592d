# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""box-host.py COMMAND [ARG...]: what a sandbox must not reach.

Runs the command with a service on the loopback, an abstract socket and one
in a directory, a secret in the environment, open descriptors, a file and a
terminal among them. Each "@NAME" in its arguments becomes where that is:
@PORT, @ABSTRACT, @SOCKET, @MARKER, @UID, @PID.
"""
import os
import pty
import socket
import subprocess
import sys
import tempfile

directory = tempfile.mkdtemp()
os.chmod(directory, 0o755)
marker = os.path.join(directory, "marker")
with open(marker, "w", encoding="ascii") as f:
    f.write("of the host\n")

service = socket.create_server(("127.0.0.1", 0))
abstract = f"sa-box-{os.getpid()}"
hidden = socket.socket(socket.AF_UNIX)
hidden.bind("\0" + abstract)
hidden.listen()
named = socket.socket(socket.AF_UNIX)
named.bind(os.path.join(directory, "socket"))
named.listen()

kept = [os.open("/", os.O_RDONLY), os.open(marker, os.O_RDWR)]
kept += pty.openpty()
for i, fd in enumerate(kept):
    os.dup2(fd, 200 + i)
    os.set_inheritable(200 + i, True)

places = {
    "@PORT": str(service.getsockname()[1]),
    "@ABSTRACT": abstract,
    "@SOCKET": os.path.join(directory, "socket"),
    "@MARKER": marker,
    "@UID": str(os.getuid()),
    "@PID": str(os.getpid()),
}
argv = [places.get(a, a) for a in sys.argv[1:]]
environ = dict(os.environ, BOX_SECRET="not-for-the-inside")
sys.exit(subprocess.run(argv, env=environ, close_fds=False,
                        check=False).returncode)
