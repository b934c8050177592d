"""What Python has since 3.14: templates, and except without brackets."""
name = width = 1
t"", t"a{name}b", T'{name!r:>{width}}', tR"\{name}\d", rt'{name=}', t"""{
    f(name)  # a comment
}\n{{}}""", t"{t"{name}"}{f"{name}"}", t"a" t"{name}", f"{t'{name}'}"
try:
    f(t"{g(a)}")
except A, f(b):
    f(c)


class A[T = f(B)]: pass


def g[*Ts = *f(C), **P = [f(D)]](x): return f(x)
