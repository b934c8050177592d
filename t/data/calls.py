#!/usr/bin/env python3
"""Calls and their arguments, in every form of Python 3.9."""
f(), f(1), f(1, 2,), f(*a), f(**k), f(*a, **k), f(x=1), f(1, *a, x=2, **k)
f(x=1, *a), f(**a, x=1), f(a if b else c), f(lambda: 1, key=lambda x, y=2: x)
f(x for x in y), f((x for x in y), 1), f(*[x for x in y if x], **{"a": 1})
f(x := 1), f((y := 2), z=(w := 3)), f(not a, -b, +c, ~d, a ** -b, -a ** b)
f(a and b and c or d), f(a < b <= c != d), f(a is not b, a not in b, a in b)
f(a | b & c ^ d, a << 1 >> 2, a // b % c @ d), f(a or b and not c == d)
f(()), f((1,)), f((1, 2)), f([]), f([1, *a]), f({}), f({1, *a}), f({**a, 1: 2})
f([x for x in y for z in x]), f({x for x in y}), f({x: y for x, y in z})
f(a[1], a[1, 2], a[1:2], a[::2, ...], a[:, 1:], a[b:c:d], a[(1, 2)])
f(None, True, False, ..., 0x1F, 0b1_0, 1_000.5e-3, 2j, .5, 0o17)
f("a" "b", b"c", f"{g!r:>{i}}", rf"{j}", f"{k=}")
a.b.c(d).e(f)[g](h)(i)(), (a)(b), (a.b)(c), (a + b)(c), a().b, "x".join(y)
a . b (c) . \
    d(e), (a
           .b(c)
           .d(e))
spark.sql("SELECT 1").filter(col("a") > 1).write.mode("append").saveAsTable("t")


@decorate
@decorate.with_(arguments)(more)
def g(a: h(1) = i(2), /, b=j(), *c: k(), d: l() = m(), **e: n()) -> o(p):
    """A function."""
    global q
    q = yield f(a)
    q += f(b); f(c); del f(d)[0], f(e).f
    yield from f((yield))
    return f(q), *f(q)


class C(f(a), metaclass=g(b), **h(c)):
    x: f(1) = g(2)
    y: f(3)

    async def m(self):
        async with f(a) as b, g(c):
            await f(await g(h))
        async for d in f(e):
            f([g(x) async for x in y(z)])
        else:
            f(g)


if f(a):
    f(b)
elif g(c):
    pass
else:
    f(d)
while f(a): f(b); break
for f(a).b, (c, *d) in f(e), g(f): continue
try:
    f(a)
except (f(b), g(c)) as e:
    raise f(d) from g(e)
finally:
    assert f(a), g(b)
with f(a) as g(b).c, h(d): f(e)
with (f(a), g(b)) as c: pass
print(*map(f, a), sep="", file=sys.stderr)
x = y = f(a), g(b)
x, *y = z[f(a)] = f(b)
f(a)(b)[c].d = e = f(g)
(f
 (a, # a comment
  b,

  c))
