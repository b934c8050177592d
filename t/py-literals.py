# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""usage: py-literals.py PRINT-LITERALS FILE-OR-DIRECTORY...

Compares the string literals and the calls with their arguments in Python
sources as CPython's ast has them with what print-literals says. Directories
are searched for *.py; sources that this Python does not take are left out, and
those that the guard refuses for a reason of its own (their size, encoding,
look-alike letters) are counted. A Python before 3.12 does not know the places
of calls in format strings: where one is, its source's calls are not compared.
Each difference is a line; the last line says how much was compared. Status 1
if anything differs.
"""
import ast
import collections
import json
import os
import re
import subprocess
import sys
import unicodedata

DEPTH = 8  # as in print-literals.c
REFUSED = re.compile("python-(encoding|identifier|limit|work):")
TEXTS = (ast.JoinedStr,) + tuple(
    getattr(ast, t) for t in ("TemplateStr",) if hasattr(ast, t))
FIELDS = (ast.FormattedValue,) + tuple(
    getattr(ast, t) for t in ("Interpolation",) if hasattr(ast, t))
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%",
    ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.Invert: "~",
    ast.UAdd: "+", ast.USub: "-", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is",
    ast.In: "in", ast.NotIn: "not",
}


def text(value):
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def literals(tree):
    found = {}
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, TEXTS):
            value = ""
            for part in node.values:
                inner.add(id(part))
                if isinstance(part, FIELDS):
                    value += "\ue000"
                    inner.add(id(part.format_spec))
                else:
                    value += text(part.value)
            if id(node) not in inner:
                found[node.lineno, node.col_offset] = value
        elif isinstance(node, ast.Constant) and id(node) not in inner and \
                isinstance(node.value, (str, bytes)):
            found[node.lineno, node.col_offset] = text(node.value)
    return found


class Calls(ast.NodeVisitor):
    """The calls of a tree, described as print-literals describes them."""

    def __init__(self, lines):
        self.lines = lines
        self.found = collections.Counter()
        self.known = True  # whether the places are

    def visit_JoinedStr(self, node):
        if any(isinstance(n, ast.Call) for n in ast.walk(node)):
            self.known = self.known and sys.version_info >= (3, 12)
        self.generic_visit(node)

    def visit_Call(self, node):
        self.add(node, node.func)

    def visit_MatchClass(self, node):
        self.add(node, node.cls)

    def add(self, node, called):
        while isinstance(called, ast.Call):
            called = called.func
        place = 0, 0
        if isinstance(called, ast.Name):
            place = called.lineno, called.col_offset
        elif isinstance(called, ast.Attribute):
            line = self.lines[called.end_lineno - 1]
            name = re.search(rb"[\w\x80-\xff]*\Z",
                             line[:called.end_col_offset])
            place = called.end_lineno, name.start()
        self.found[place + (self.describe(node, DEPTH),)] += 1
        self.generic_visit(node)

    def describe(self, node, depth):
        if depth == 0:
            return ".."
        how = getattr(self, "d_" + type(node).__name__, None)
        if how is None:
            return "?" + type(node).__name__
        return how(node, depth - 1)

    def prefixed(self, prefix, node, depth):
        inner = "" if node is None else self.describe(node, depth)
        return "%s(%s)" % (prefix, inner)

    def listed(self, brackets, nodes, depth):
        return brackets[0] + "".join(
            self.describe(n, depth) + "," for n in nodes) + brackets[1]

    def source(self, node):
        line = self.lines[node.lineno - 1]
        return line[node.col_offset:node.end_col_offset].decode("utf-8",
                                                                "replace")

    def d_Name(self, node, _):
        return node.id

    def d_Constant(self, node, _):
        if isinstance(node.value, (str, bytes)):
            return "str"
        return "..." if node.value is ... else self.source(node)

    def d_JoinedStr(self, _node, _depth):
        return "str"

    d_TemplateStr = d_JoinedStr

    def d_List(self, node, depth):
        return self.listed("[]", node.elts, depth)

    def d_Tuple(self, node, depth):
        return self.listed("()", node.elts, depth)

    def d_Set(self, node, depth):
        return self.listed("{}", node.elts, depth)

    def d_Dict(self, node, depth):
        return "{" + "".join(
            ("*" if k is None else self.describe(k, depth)) + ":" +
            self.describe(v, depth) + ","
            for k, v in zip(node.keys, node.values)) + "}"

    def d_ListComp(self, node, depth):
        return self.prefixed("for", node.elt, depth)

    d_SetComp = d_GeneratorExp = d_ListComp

    def d_DictComp(self, node, depth):
        key = node.key
        if getattr(node, "value", None) is None:  # {**a for a in b}, 3.15
            return self.prefixed("for", key, depth)
        return self.prefixed("for", key, depth) + \
            self.prefixed(":", node.value, depth)

    def d_Attribute(self, node, depth):
        return self.describe(node.value, depth) + "." + node.attr

    def d_Subscript(self, node, depth):
        index = node.slice
        if isinstance(index, ast.Tuple) and len(index.elts) == 1 and \
                isinstance(index.elts[0], ast.Starred):
            index = index.elts[0]
        return "%s[%s]" % (self.describe(node.value, depth),
                           self.describe(index, depth))

    def d_Slice(self, node, depth):
        return ":".join(
            "" if n is None else self.describe(n, depth)
            for n in (node.lower, node.upper, node.step))

    def d_Call(self, node, depth):
        return self.describe(node.func, depth) + "(" + "".join(
            self.describe(a, depth) + "," for a in node.args) + "".join(
            ("**" if k.arg is None else k.arg + "=") +
            self.describe(k.value, depth) + "," for k in node.keywords) + ")"

    def d_UnaryOp(self, node, depth):
        return self.prefixed(OPERATORS[type(node.op)], node.operand, depth)

    def chain(self, nodes, ops, depth):
        """((a op b) op c): the last operator is outermost."""
        if len(nodes) == 1:
            return self.describe(nodes[0], depth + 1)
        left = ".." if depth == 0 else \
            self.chain(nodes[:-1], ops[:-1], depth - 1)
        return "(%s %s %s)" % (left, OPERATORS[type(ops[-1])],
                               self.describe(nodes[-1], depth))

    def d_BinOp(self, node, depth):
        return self.chain([node.left, node.right], [node.op], depth)

    def d_BoolOp(self, node, depth):
        return self.chain(node.values, [node.op] * (len(node.values) - 1),
                          depth)

    def d_Compare(self, node, depth):
        return self.chain([node.left] + node.comparators, node.ops, depth)

    def d_IfExp(self, node, depth):
        return self.prefixed("if", node.body, depth) + \
            self.prefixed("else", node.orelse, depth)

    def d_Lambda(self, node, depth):
        return self.prefixed("lambda", node.body, depth)

    def d_Starred(self, node, depth):
        return self.prefixed("*", node.value, depth)

    def d_Await(self, node, depth):
        return self.prefixed("await", node.value, depth)

    def d_Yield(self, node, depth):
        return self.prefixed("yield", node.value, depth)

    d_YieldFrom = d_Yield

    def d_NamedExpr(self, node, depth):
        return self.describe(node.target, depth) + \
            self.prefixed(":=", node.value, depth)

    # Patterns, which the guard reads as expressions.

    def d_MatchValue(self, node, depth):
        return self.describe(node.value, depth + 1)

    def d_MatchSingleton(self, node, _):
        return str(node.value)

    def d_MatchSequence(self, node, depth):
        brackets = "[]" if self.source(node)[:1] == "[" else "()"
        return self.listed(brackets, node.patterns, depth)

    def d_MatchMapping(self, node, depth):
        pairs = [self.describe(k, depth) + ":" + self.describe(p, depth)
                 for k, p in zip(node.keys, node.patterns)]
        if node.rest is not None:
            pairs.append("*:" + node.rest)
        return "{" + "".join(p + "," for p in pairs) + "}"

    def d_MatchStar(self, node, _):
        return "*(%s)" % (node.name or "_")

    def d_MatchAs(self, node, depth):
        if node.pattern is None:
            return node.name or "_"
        return self.describe(node.pattern, depth + 1)

    def d_MatchOr(self, node, depth):
        return self.chain(node.patterns,
                          [ast.BitOr()] * (len(node.patterns) - 1), depth)

    def d_MatchClass(self, node, depth):
        return self.describe(node.cls, depth) + "(" + "".join(
            self.describe(p, depth) + "," for p in node.patterns) + "".join(
            name + "=" + self.describe(p, depth) + "," for name, p in
            zip(node.kwd_attrs, node.kwd_patterns)) + ")"


def compare_literals(path, ours, theirs):
    bad = 0
    for place in sorted(set(ours) | set(theirs)):
        a, b = ours.get(place), theirs.get(place)
        if a is not None and "\ue001" in a:
            a = b
        if a != b:
            bad += 1
            print("%s:%d:%d: %r, want %r" % ((path,) + place + (a, b)))
    return bad


def compare_calls(path, ours, theirs):
    bad = 0
    for more, less, sign in ((ours, theirs, "+"), (theirs, ours, "-")):
        for row, n in sorted((more - less).items()):
            bad += n
            print("%s:%d:%d: %s%s" % ((path,) + row[:2] + (sign, row[2])))
    return bad


def lines_of(source):
    """As the tree counts them, in UTF-8."""
    import io
    import tokenize
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return re.split(b"\r\n|\r|\n", source.decode(encoding).encode())


class Total:
    files = literals = calls = bad = 0
    refused = collections.Counter()


def compare(command, path, total):
    with open(path, "rb") as f:
        source = f.read()
    try:
        tree = ast.parse(source)
        calls = Calls(lines_of(source))
        calls.visit(tree)
    except (SyntaxError, ValueError, RecursionError):
        return
    run = subprocess.run([command, path], capture_output=True, text=True)
    if run.returncode != 0:
        reason = REFUSED.search(run.stderr)
        if reason is None:
            total.bad += 1
            print("%s: not taken: %s" % (path, run.stderr.strip()))
        else:
            total.refused[reason[0].rstrip(":")] += 1
        return
    ours, our_calls = {}, collections.Counter()
    for line in run.stdout.splitlines():
        row, column, value, *kind = json.loads(line)
        if kind:
            value = unicodedata.normalize("NFKC", value)
            our_calls[row, column, value] += 1
        else:
            ours[row, column] = value
    theirs = literals(tree)
    total.bad += compare_literals(path, ours, theirs)
    total.files += 1
    total.literals += len(theirs)
    if calls.known:
        total.bad += compare_calls(path, our_calls, calls.found)
        total.calls += sum(calls.found.values())


def sources(operands):
    for operand in operands:
        if not os.path.isdir(operand):
            yield operand
            continue
        for where, _, names in sorted(os.walk(operand)):
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(where, name)


def main():
    total = Total()
    sys.setrecursionlimit(5000)
    for path in sources(sys.argv[2:]):
        compare(sys.argv[1], path, total)
    for rule, n in sorted(total.refused.items()):
        print("%d files refused: %s" % (n, rule))
    print("%d files, %d literals, %d calls, %d differ"
          % (total.files, total.literals, total.calls, total.bad))
    return total.bad != 0


sys.exit(main())
