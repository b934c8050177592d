"""What Python has since 3.12: fields of any form, parameters of types."""
name = a = b = width = 1
f"{f"{f"{name}"}"}", f'{'a' + 'b'}', f"{"\n".join(name)}", f"{name["key"]}"
f"{
    name  # a comment
    + f('}')
}", f"""{"""a"""}""", f"{'\'' + "\""}", f'{f'''{f"""{name}"""}'''}'
f"{name:{width}.{'1' + "2"}}", f"{name!r:{f"{width}"}}", f"{a:{b:{width}}}"
f"{{}}{name}{{", f"{name}}}", f"\{name}", f"{name:\x41{width}}"
f"{lambda_(lambda: 1)}", f"{(lambda x: x)(1)}", f"{(x := 5)}", f"{x:=5}"
f"{a != b}", f"{a == b = }", f"{a!s}", f"{a[1:2]}", f"{ {1: 2}[1] }", f"{a,}"
f"{*a, b}", f"{yield_()}", rf"\N{name}", f"\N{DIGIT ONE}{name}", f"{'{}'}"
f("a" "b", b"c", f"{g(h(1))!r:>{i(2)}}", rf"{j()}", f"{k(a=1)=}")
f'{name
}', f"{f(a, b="c", **{"d": 'e'})!a:x}"
f"{name = # a comment
}", f"""{ # a comment
    name # another
    + 1 = !r:x}""", f"""{name
=}""", f"{(name # (
) = }", f"{'#' + name = }"


class A[T: f(bound), *Ts, **P](f(T)): pass


def g[T: (int, f(str))](x: T = f(1)) -> f(U): return f"{x}"


type X[T] = f(T) | None
type Y = f("x")
type = f(type)
try:
    f(a)
except* f(b) as e:
    f(c)
f(a[*b], c[*d, e], g[f, *h])


def h(*args: *Ts): pass
