# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""deny-calls.py ERROR CALL[,CALL...] COMMAND [ARG...]: runs a command whose
system calls of those names fail with the error, as a container's filter makes
them."""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"mount": 165, "clone3": 435, "clone": 56, "unshare": 272},
    "aarch64": {"mount": 40, "clone3": 435, "clone": 220, "unshare": 97},
}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NO_NEW_PRIVS, SECCOMP, FILTER = 38, 22, 2


def main():
    error = getattr(errno, sys.argv[1])
    program = [(LOAD, 0, 0, 0)]
    for name in sys.argv[2].split(","):
        program += [(EQUAL, 0, 1, NUMBERS[name]),
                    (RETURN, 0, 0, ERRNO | error)]
    program.append((RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    space = ctypes.create_string_buffer(code)
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(space))
    libc = ctypes.CDLL(None, use_errno=True)
    if (libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) < 0 or
            libc.prctl(SECCOMP, FILTER, head, 0, 0) < 0):
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[3], sys.argv[3:])


main()
