# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""make-wheel.py DIRECTORY: a wheel of nothing but a greeting, for pip."""
import os
import sys
import zipfile

INFO = "greeting-1.0.dist-info/"
FILES = {
    "greeting.py": "def main():\n    print('hello from a wheel')\n",
    INFO + "METADATA": "Metadata-Version: 2.1\nName: greeting\n"
                       "Version: 1.0\n",
    INFO + "WHEEL": "Wheel-Version: 1.0\nGenerator: make-wheel\n"
                    "Root-Is-Purelib: true\nTag: py3-none-any\n",
    INFO + "entry_points.txt": "[console_scripts]\n"
                               "greeting = greeting:main\n",
}

os.makedirs(sys.argv[1], exist_ok=True)
with zipfile.ZipFile(os.path.join(
        sys.argv[1], "greeting-1.0-py3-none-any.whl"), "w") as wheel:
    for name, text in FILES.items():
        wheel.writestr(name, text)
    wheel.writestr(INFO + "RECORD", "".join(
        f"{name},,\n" for name in [*FILES, INFO + "RECORD"]))
