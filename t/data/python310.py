"""What Python has since 3.10: match, and brackets around contexts."""
match f(a), g(b):
    case Point(0, y=1) | mod.Line(p=Point(), q=None):
        f(a)
    case [Point(x=-1), *_, C("a" "b", b"c")] if f(b) and g(c):
        f(c)
    case {"k": D(1 + 2j), "l": E(x, [y, *z], (u, v), {"m": w, **rest}), **all}:
        f(d)
    case F(G(H() as h) as g, I(None), J(True), K(_), L(x.y.z)) as k:
        f(e)
    case (1 | "a" | M(2 | 3)), [N()]:
        pass
    case str() | int(): f(g)
    case -1 | 1.5 | (O((P()))): pass
    case _: pass
match = case = type = _ = 1
match(f(a)), case(f(b)), type(f(c)), _(f(d))
match[f(a)]: case
match (f(a)):
    case (x): f(x)
match x, *f(y):
    case a, *b: pass
with (f(a) as b, g(c) as d,): f(e)
with (open(f(a))): pass
with (yield_(a)), f(b): pass
