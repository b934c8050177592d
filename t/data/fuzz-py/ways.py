import os as o, pyspark.java_gateway
from functools import partial
class J(NamedTuple):
    verb: str = "SELECT"
    rest: ClassVar[str] = " 1"
    __or__ = spark.sql
    def __enter__(self): return run
class M(type):
    def __new__(m, n, b, d): yield from [d]
class A(J, metaclass=M):
    go = lambda self, **k: k["run"](k)
@d
@spark.sql
@(lambda c: "DR" + c)
def run(q="SELECT 1", *a, **k):
    with partial(a[0]) as w, j.run as x: w.mode("overwrite")
    spark.sql(f"SELECT 1 --{k}, reflect(1) identifier ('a') ('b')")
match spark.sql:
    case object(sql=None | r, a=b as c) | [r, *s] | {"k": v, **t}:
        r(J(*s, verb=v).verb)
vars(J)["sql"](A().__dict__.get(n)), sys.modules["os"].system.__get__(o)
x.__dict__.update({"q": 1}, **k)
o.run = ([exec] * 2)[0]
list(map(o.system, *[["ls"]])), L.append(next(iter([]), not False))
