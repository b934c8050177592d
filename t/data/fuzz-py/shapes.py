import a.b as c, d
from .e import (f as g, h,)
from pyspark.sql.functions import *
@staticmethod
async def k(x, /, y: int = 1, *z, q="s", **kw) -> None:
	async with a as b, c: await d
	for (i, *j), in zip(x): yield i
	return lambda u, *v: (u := v) if u else not v
class A[T](B, metaclass=M):
	Q = "SELECT 1"
	def m(self): global G; G = self.Q; nonlocal_ = [w async for w in y if w]
try: pass
except* (E, F) as g: raise X from g
else: del a[0], b.c
finally: assert 1, "m"
match p:
	case {"a": [1, *r], **s} | C(x=1, y=str() as t) if t: spark.sql(f"SELECT {t}")
	case _: pass
type Y[**P] = int
with (open(n, "w") as f1, g() as (h1, i1)): x[1:2, ::3, *k] @= {**m, 'n': {1, 2}}
while x: x -= ~1 ** -2 < 3 != 4 is not 5 not in 6
else: print(*a, **b)
