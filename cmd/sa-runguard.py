#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Runs a PySpark script with each SQL text judged as it is executed.

    spark-submit ... sa-runguard.py RULE,RULE... SHA256 SCRIPT [ARG...]

SCRIPT is a path, in a container of a cluster one below its directory, where
spark-submit put both.

Every call from Python into the JVM goes through one method of py4j. Of those
that carry SQL the text is parsed there first, by the parser of the session
that will run it, and what it parses to has to be made of the plans that
queries and inserts are made of; anything else raises SqlRefused, where the
rule that it breaks is one of those given, which the policy refuses by.

A guard rail, not a boundary: it lives in the process of the script, and code
that means to can get around it (sa(7), RUN-TIME GUARD).
"""
import builtins
import hashlib
import importlib.machinery
import os
import sys
import types
from typing import Any, Dict, FrozenSet, NoReturn, Optional, Tuple

from py4j.java_gateway import JavaMember, JavaObject

EX_NOPERM = 77

# What a parser makes of queries and inserts. A list of what is allowed: a
# statement that a later Spark adds is refused until it is in here.
PLANS: FrozenSet[str] = frozenset("""
    Aggregate AsOfJoin BinBy Deduplicate Distinct Except Filter Generate
    GlobalLimit Intersect Join LateralJoin LimitAll LocalLimit LocalRelation
    NamedStreamingRelation NearestByJoin Offset OneRowRelation PipeOperator
    Pivot PlanWithUnresolvedIdentifier Project RelationChanges
    RelationTimeTravel Repartition RepartitionByExpression Sample Sort
    SubqueryAlias Union UnresolvedHaving UnresolvedHint UnresolvedInlineTable
    UnresolvedQualify UnresolvedRelation UnresolvedSubqueryColumnAliases
    UnresolvedTVFAliases UnresolvedTableValuedFunction UnresolvedWith Unpivot
    WithWindowDefinition
    InsertIntoStatement UnresolvedInsert UnresolvedInsertTarget
    """.split())

# Plans that have a rule of their own; all others are sql-statement.
RULE_OF_PLAN: Dict[str, str] = {
    "CompoundBody": "sql-script",
    "UnresolvedExecuteImmediate": "sql-dynamic",
    "ExecuteImmediateQuery": "sql-dynamic",
    "Call": "sql-dynamic",
    "InsertIntoDir": "sql-insert-directory",
    "OverwriteByExpression": "sql-insert-replace",  # in Spark 3.5
    "ScriptTransformation": "sql-transform-using",
}

# In the order in which they are looked for.
MESSAGES: Dict[str, str] = {
    "sql-script": "SQL scripts may not run",
    "sql-dynamic": "SQL that runs other SQL may not run",
    "sql-insert-directory": "INSERT OVERWRITE DIRECTORY may not run",
    "sql-transform-using": "TRANSFORM ... USING runs a program",
    "sql-java-call": "the query calls a Java method",
    "sql-identifier-call": "a function is named by IDENTIFIER(...)",
    "sql-statement": "only queries and INSERT may run",
    "sql-insert-overwrite": "INSERT OVERWRITE replaces stored rows",
    "sql-insert-replace":
        "INSERT with REPLACE removes the rows that match first",
}

JAVA_CALLS = frozenset(("reflect", "java_method", "try_reflect"))

# Methods of Spark, Delta and ML that take SQL, by their names alone: a text
# that is none does not parse. The parameters of ML are given to "w"; one of
# them, SQLTransformer's, is a statement.
STATEMENTS = frozenset(("sql", "w"))
EXPRESSIONS = frozenset((
    "delete", "expr", "filter", "merge", "selectExpr", "update", "updateExpr",
    "whenMatched", "whenNotMatched", "whenNotMatchedBySource", "where"))
# These always take SQL; the others may be given a text that is none.
ALWAYS_SQL = frozenset(("expr", "filter", "selectExpr", "sql", "where"))
FUNCTIONS = frozenset(("call_function", "call_udf", "callUDF")) | JAVA_CALLS

# Compiled in the driver by Janino, which Spark has for its own code, so that
# one class fits every version of Spark and a statement costs one round trip.
# It only collects facts, a line each; what they mean is decided in Python.
JUDGE = r"""
package sa;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.collection.Iterable;
import scala.collection.immutable.Nil$;

public final class Judge {
    /* In the conf of the session that will run it: that decides what
     * a quote is, and whether variables are replaced. */
    public String judge(Object target, String how, boolean always,
        Object text) throws Throwable {
        Parse parse = new Parse(session(target), how, always, text);
        Util.call(parse.session, "withActive",
            new Class[] { scala.Function0.class }, new Object[] { parse });
        if (parse.failure != null)
            throw parse.failure;
        return parse.facts.toString();
    }

    private static Object session(Object target) throws Throwable {
        if (Util.has(target, "sessionState"))
            return target;
        if (Util.has(target, "sparkSession"))
            return Util.get(target, "sparkSession");
        return SparkSession.active();
    }
}

class Util {
    static boolean has(Object o, String method) {
        try {
            return o != null && o.getClass().getMethod(method,
                new Class[0]) != null;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    static Object get(Object o, String method) throws Throwable {
        return call(o, method, new Class[0], new Object[0]);
    }

    static Object call(Object o, String method, Class[] types, Object[] args)
        throws Throwable {
        try {
            return o.getClass().getMethod(method, types).invoke(o, args);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    static String simple(Object o) {
        String n = o.getClass().getName();
        n = n.substring(n.lastIndexOf('.') + 1);
        return n.endsWith("$") ? n.substring(0, n.length() - 1) : n;
    }
}

/* A text, or a sequence of them, parsed. */
class Parse extends scala.runtime.AbstractFunction0 {
    final Object session, text;
    final String how;
    final boolean always;
    final Facts facts = new Facts();
    Throwable failure;

    Parse(Object session, String how, boolean always, Object text) {
        this.session = session;
        this.how = how;
        this.always = always;
        this.text = text;
    }

    public Object apply() {
        try {
            Object parser =
                Util.get(Util.get(session, "sessionState"), "sqlParser");
            if (text instanceof Iterable)
                for (scala.collection.Iterator i =
                         ((Iterable) text).iterator(); i.hasNext();)
                    parse(parser, i.next());
            else
                parse(parser, text);
        } catch (Throwable e) {
            failure = e;
        }
        return null;
    }

    /* What the parser refuses is not run either: it is said to who called
     * where that would be said in a moment anyway. */
    private void parse(Object parser, Object one) throws Throwable {
        Object root = null;
        try {
            root = Util.call(parser, how, new Class[] { String.class },
                new Object[] { one });
        } catch (Exception e) {
            if (always)
                throw e;
        }
        if (root != null)
            facts.of(root);
    }
}

/* All that is reachable through case classes and collections; no recursion,
 * since an expression may be nested as deep as a text is long. */
class Facts {
    private final ArrayDeque todo = new ArrayDeque();
    private final Set seen =
        Collections.newSetFromMap(new IdentityHashMap());
    private final Set facts = new TreeSet();

    void of(Object root) {
        add(root);
        while (!todo.isEmpty())
            visit(todo.pop());
    }

    public String toString() {
        StringBuilder b = new StringBuilder();
        for (Iterator i = facts.iterator(); i.hasNext();)
            b.append(i.next()).append('\n');
        return b.toString();
    }

    private void add(Object o) {
        if ((o instanceof scala.Product || o instanceof Iterable ||
                o instanceof Object[]) && seen.add(o))
            todo.push(o);
    }

    private void addAll(scala.collection.Iterator i) {
        while (i.hasNext())
            add(i.next());
    }

    private void visit(Object o) {
        String name = Util.simple(o);
        if (o instanceof LogicalPlan) {
            facts.add("plan " + name);
            insert(o);
        }
        if (name.equals("UnresolvedFunction"))
            facts.add("function " + last(field(o, "nameParts")));
        if (name.equals("PlanWithUnresolvedIdentifier"))
            build(field(o, "planBuilder"), field(o, "children"));
        if (name.equals("ExpressionWithUnresolvedIdentifier"))
            build(field(o, "exprBuilder"), field(o, "otherExprs"));
        if (o instanceof TreeNode) {
            addAll(((TreeNode) o).children().iterator());
            addAll(((TreeNode) o).innerChildren().iterator());
        }
        if (o instanceof Iterable)
            addAll(((Iterable) o).iterator());
        else if (o instanceof scala.Product)
            addAll(((scala.Product) o).productIterator());
        else if (o instanceof Object[])
            for (int i = 0; i < ((Object[]) o).length; i++)
                add(((Object[]) o)[i]);
    }

    private void insert(Object o) {
        if (field(o, "replaceCriteriaOpt") instanceof scala.Some)
            facts.add("replace");
        else if (Boolean.TRUE.equals(field(o, "overwrite")))
            facts.add("overwrite");
    }

    /* What IDENTIFIER(...) hides: it is built once the name is known. */
    private void build(Object builder, Object rest) {
        Object name = new scala.collection.immutable.$colon$colon("x",
            Nil$.MODULE$);
        Object built = null;
        try {
            if (builder instanceof scala.Function2)
                built = ((scala.Function2) builder).apply(name, rest);
            else if (builder instanceof scala.Function1)
                built = ((scala.Function1) builder).apply(name);
        } catch (RuntimeException e) {
            built = null;
        }
        if (built == null ||
            Util.simple(built).equals("UnresolvedFunction") ||
            Util.simple(built).equals("UnresolvedTableValuedFunction"))
            facts.add("identifier");
        if (built != null)
            add(built);
    }

    private static Object field(Object o, String name) {
        try {
            return Util.has(o, name) ? Util.get(o, name) : null;
        } catch (Throwable e) {
            return null;
        }
    }

    private static String last(Object names) {
        Object name = "";
        if (names instanceof Iterable)
            for (scala.collection.Iterator i =
                     ((Iterable) names).iterator(); i.hasNext();)
                name = i.next();
        return String.valueOf(name).toLowerCase(Locale.ROOT);
    }
}
"""


class SqlRefused(Exception):
    """A statement or an expression that the policy does not let run."""


def refusal(facts: str, rules: FrozenSet[str]) -> Optional[Tuple[str, str]]:
    """The rule that refuses a text of these facts and what it is about."""
    found: Dict[str, str] = {}
    for fact in facts.splitlines():
        kind, _, name = fact.partition(" ")
        if kind == "plan" and name not in PLANS:
            rule = RULE_OF_PLAN.get(name, "sql-statement")
            # DropTable says more than the name that it holds
            if found.get(rule, "Unresolved").startswith("Unresolved"):
                found[rule] = name
        elif kind == "function" and name in JAVA_CALLS:
            found["sql-java-call"] = name
        elif kind == "identifier":
            found["sql-identifier-call"] = "IDENTIFIER"
        elif kind == "overwrite":
            found["sql-insert-overwrite"] = "INSERT OVERWRITE"
        elif kind == "replace":
            found["sql-insert-replace"] = "INSERT REPLACE"
    for rule in MESSAGES:
        if rule in found and rule in rules:
            return rule, found[rule]
    return None


def refuse(rule: str, about: str, text: str) -> NoReturn:
    shown = text if len(text) <= 200 else text[:200] + "..."
    raise SqlRefused(f"{about}: {MESSAGES[rule]} [{rule}]: {shown!r}")


class Guard:
    """Sits in JavaMember.__call__."""

    def __init__(self, rules: FrozenSet[str]) -> None:
        self.rules = rules
        self.invoke = JavaMember.__call__
        self.judged: Any = None  # the JVM of self.java

    def install(self) -> None:
        guard = self

        def call(member: JavaMember, *args: Any) -> Any:
            # most calls end here
            if member.name in STATEMENTS:
                guard.check(member, args, "parsePlan")
            elif member.name in EXPRESSIONS:
                guard.check(member, args, "parseExpression")
            elif member.name in FUNCTIONS:
                guard.check_function(member, args)
            return guard.invoke(member, *args)

        JavaMember.__call__ = call

    def judge(self, jvm: Any) -> JavaObject:
        """One for each JVM; where it cannot be had, no SQL runs."""
        if self.judged is not jvm:
            compiler = jvm.org.codehaus.janino.SimpleCompiler()
            compiler.cook(JUDGE)
            self.java = compiler.getClassLoader().loadClass(
                "sa.Judge").newInstance()
            self.judged = jvm
        return self.java

    def check(self, member: JavaMember, args: Tuple[Any, ...],
              how: str) -> None:
        # not at the top: a script may do without Spark
        from pyspark import SparkContext
        name, target = member.name, member.container
        texts = args if name == "selectExpr" else [
            arg for arg in args if isinstance(arg, str)]
        if how == "parsePlan":
            texts = texts[:1]
        if SparkContext._jvm is None:
            return
        for text in texts:
            facts = self.judge(SparkContext._jvm).judge(
                target if isinstance(target, JavaObject) else None, how,
                name in ALWAYS_SQL, text)
            found = refusal(facts, self.rules)
            if found is not None:
                refuse(*found, text=str(text))

    def check_function(self, member: JavaMember,
                       args: Tuple[Any, ...]) -> None:
        """pyspark.sql.functions.reflect() and its like."""
        name = member.name
        if not member.target_id.endswith("org.apache.spark.sql.functions"):
            return
        if name not in JAVA_CALLS:
            name = str(args[0]).rpartition(".")[2] if args else ""
        name = name.strip("`").lower()
        if name in JAVA_CALLS and "sql-java-call" in self.rules:
            refuse("sql-java-call", name, name)


def ours(tb: types.TracebackType) -> bool:
    return tb.tb_frame.f_code.co_filename == main.__code__.co_filename


def without_us(tb: Optional[types.TracebackType]
               ) -> Optional[types.TracebackType]:
    """A traceback without the frames of this file."""
    while tb is not None and ours(tb):
        tb = tb.tb_next
    at = tb
    while at is not None:
        while at.tb_next is not None and ours(at.tb_next):
            at.tb_next = at.tb_next.tb_next
        at = at.tb_next
    return tb


def report(error: BaseException) -> None:
    """Prints what Python would have printed without us."""
    seen = []
    link: Optional[BaseException] = error
    while link is not None and link not in seen:
        seen.append(link)
        link.__traceback__ = without_us(link.__traceback__)
        link = link.__cause__ or link.__context__
    sys.excepthook(type(error), error, error.__traceback__)


def run(source: bytes, path: str) -> None:
    """The script as Python runs one: in a module that is __main__, where
    pickle and cloudpickle look for what it defines."""
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __annotations__={}, __builtins__=builtins, __cached__=None,
        __file__=path,
        __loader__=importlib.machinery.SourceFileLoader("__main__", path))
    sys.modules["__main__"] = module
    try:
        exec(compile(source, path, "exec", dont_inherit=True),
             module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        report(error)
        # a shell's word for SIGINT, which is what Java would see
        sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)


def directory(path: str) -> str:
    """What Python puts first in sys.path for a script: links are followed,
    as those of a container to what travelled into it."""
    return os.path.dirname(os.path.realpath(path) if os.path.islink(path)
                           else os.path.abspath(path))


def main() -> None:
    rules, expected, path = sys.argv[1:4]
    with open(path, "rb") as f:
        source = f.read()
    found = hashlib.sha256(source).hexdigest()
    if found != expected:
        print(f"sa-runguard: {path!r} has changed: sha256 was {expected}, "
              f"is {found}", file=sys.stderr)
        sys.exit(EX_NOPERM)
    sys.argv = sys.argv[3:]
    if sys.path[:1] == [directory(__file__)]:
        sys.path[0] = directory(path)
    # Spark Connect has no JVM in which a text could be judged.
    sys.modules["pyspark.sql.connect.client"] = None  # type: ignore
    Guard(frozenset(rules.split(","))).install()
    run(source, os.path.abspath(path))


if __name__ == "__main__":
    main()
