#!/usr/bin/env python3
# vim: set fileencoding=utf-8 :
"""A docstring with \x44, \104, \u0052 and a continued\
 line."""
plain = 'it\'s', "say \"x\"", '\a\b\f\n\r\t\v\\\0\7\77\777', '\q\8'
wide = '\u20ac\U0001f600é€😀', '\N{LATIN SMALL LETTER D}', '\N{EURO SIGN}'
prefixed = r'\n' R"\"" u'u' U"U", b'\x00\xff\377' B'\u0041' br'\x' Rb"\y" rB'z'
triple = '''a 'b' ''c
	d\
e''', """""", r"""\" "" \"""", '''
'quoted' '''
joined = ('DR' "OP"  # a comment between
          ' TABLE'

          '''
 t''')
name = value = width = 1
f"{name}{{}}{name!r}" f'{name:>{width}}' F"{name!s:^10}"
fields = f"a{name}b{value + 1}c", f"""{
    name
}\n""", rf"\{name}\d", fR'{name}\n', f"{name:%Y-%m-%d {width}}"
debug = f"{name=}", f"{name = }", f"{name=!s}", f"{name=:>5}"
nested = f"{'x' + f'{name}'}", f"{ {'k': 'v'}['k'] }", f'{(lambda: "l")()}'
mixed = 'a' f'{name}' r'\b' f"{'{'}" 'c{}' f"{name!r:{'>'}{10}}"
names = f'\N{DIGIT ONE}{name}', '\N{bullet}' f'\N{BULLET}'
if name != 2 or name == 3: text = f"{name != 2}{name == 3}{name >= 1}"
call("first", *["second"], key='third', **{'fourth': "fifth"})["sixth":'seventh']
