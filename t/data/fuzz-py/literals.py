# -*- coding: utf-8 -*-
"""doc"""
a = r'x\n' R"y\"" b'\x41' Rb"\q" 'é' u"ü"
b = f"{a!r:>{w}}{{}} {b=} {c:%Y-%m-%d}" f'''{
    d["k"]  # note
}''' "\x44\104\u0052\U0000004f\N{LATIN CAPITAL LETTER P}\
 TABLE t"
c = rf"\{a}\N{b}" + t"x{y}" + f"{f'{f"{1}"}'}"
d = "DR" "OP" ' TABLE t'; spark.sql(d)
e = "%(a)s %% %-5d" % {"a": "x"}, "{0} {k} {{}} {!r}".format(1, k=2)
