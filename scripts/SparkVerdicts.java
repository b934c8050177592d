/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * usage: SparkVerdicts FILE SKIP
 *
 * What Spark's own parser makes of the SQL texts in FILE, UTF-8 with a NUL
 * behind each: one line a text, a verdict and, behind a tab, what else was
 * seen. The first SKIP texts are passed over. Nothing is analysed or run, and
 * no session is made.
 *
 * verdict  query, insert, overwrite, script, error, or the class of the plan
 *          that makes it something else
 * seen     script, java, call: TRANSFORM, a Java method, a function that only
 *          IDENTIFIER() names; opaque: what IDENTIFIER() becomes is not known
 *
 * A text that takes too long is an error; the parser cannot be stopped, so
 * the program ends with status 75 and is to be started again behind it.
 */
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.SparkSqlParser;

public class SparkVerdicts {
	private static final long TIMEOUT = 60; /* seconds a text */
	private static final long STACK = 64 << 20;

	/* Every class of plan that a query may hold. Not all that is none of
	 * them is a Command, so anything else counts as one. */
	private static final Set<String> QUERY = Set.of("Aggregate",
	    "AsOfJoin", "BinBy", "CollectMetrics", "Deduplicate", "Distinct",
	    "Except", "Filter", "Generate", "GlobalLimit", "Having",
	    "Intersect", "Join", "LateralJoin", "LimitAll", "LocalLimit",
	    "LocalRelation", "NamedStreamingRelation", "NearestByJoin",
	    "Offset", "OneRowRelation", "PipeOperator", "Pivot",
	    "PlanWithUnresolvedIdentifier", "Project", "RelationChanges",
	    "RelationTimeTravel", "Repartition", "RepartitionByExpression",
	    "Sample", "ScriptTransformation", "Sort", "SubqueryAlias", "Union",
	    "Unpivot", "UnresolvedHaving", "UnresolvedHint",
	    "UnresolvedInlineTable", "UnresolvedInsertTarget",
	    "UnresolvedQualify", "UnresolvedRelation",
	    "UnresolvedSubqueryColumnAliases", "UnresolvedTVFAliases",
	    "UnresolvedTableValuedFunction", "UnresolvedWith",
	    "WithWindowDefinition");
	private static final Set<String> INSERT = Set.of("AppendData",
	    "InsertIntoStatement", "OverwriteByExpression",
	    "OverwritePartitionsDynamic", "UnresolvedInsert");
	private static final Set<String> JAVA = Set.of("java_method",
	    "reflect", "try_reflect");

	/* What a walk over one plan found. */
	private final Set<Object> visited =
	    Collections.newSetFromMap(new IdentityHashMap<>());
	private final Set<String> seen = new TreeSet<>();
	private boolean script, insert, overwrite;
	private String other;

	private static String name(Object o) {
		String n = o.getClass().getName();
		n = n.substring(n.lastIndexOf('.') + 1);
		return n.endsWith("$") ? n.substring(0, n.length() - 1) : n;
	}

	/* A field of a case class, null where it has none of that name. */
	private static Object field(Object o, String field) {
		try {
			java.lang.reflect.Method m =
			    o.getClass().getMethod(field);
			m.setAccessible(true);
			return m.invoke(o);
		} catch (ReflectiveOperationException |
		    RuntimeException e) {
			return null;
		}
	}

	private void plan(Object o, String n) {
		if (n.equals("CompoundBody")) {
			script = true;
		} else if (INSERT.contains(n)) {
			insert = true;
			overwrite |= n.startsWith("Overwrite") ||
			    Boolean.TRUE.equals(field(o, "overwrite")) ||
			    field(o, "replaceCriteriaOpt") instanceof
				scala.Some;
		} else if (o instanceof Command || !QUERY.contains(n)) {
			if (other == null)
				other = n;
		} else if (n.equals("ScriptTransformation")) {
			seen.add("script");
		}
	}

	private void function(Object o) {
		Object parts = field(o, "nameParts");
		String last = null;

		if (parts == null) /* a table function */
			parts = field(o, "name");
		if (parts instanceof scala.collection.Seq)
			last = ((scala.collection.Seq<?>) parts).last()
			    .toString().toLowerCase(Locale.ROOT);
		if (JAVA.contains(last))
			seen.add("java");
	}

	/* IDENTIFIER(expression): what it builds once the name is known. */
	private void identifier(Object o, boolean plan) {
		Object build = field(o, plan ? "planBuilder" : "exprBuilder");
		Object rest = field(o, plan ? "children" : "otherExprs");

		try {
			@SuppressWarnings("unchecked")
			Object made = ((scala.Function2<Object, Object,
			    Object>) build).apply(
			    scala.collection.immutable.Nil$.MODULE$
				.$colon$colon("x"), rest);
			if (name(made).equals("UnresolvedFunction") ||
			    name(made).equals("UnresolvedTableValuedFunction"))
				seen.add("call");
			walk(made);
		} catch (RuntimeException e) {
			seen.add("opaque");
		}
	}

	private void node(Object o) {
		String n = name(o);

		if (o instanceof LogicalPlan)
			plan(o, n);
		else if (n.equals("UnresolvedFunction"))
			function(o);
		if (n.equals("UnresolvedTableValuedFunction"))
			function(o);
		if (n.equals("PlanWithUnresolvedIdentifier") ||
		    n.equals("ExpressionWithUnresolvedIdentifier"))
			identifier(o, n.startsWith("Plan"));
	}

	/* All that the fields of nodes and collections lead to. */
	private void walk(Object o) {
		if (o instanceof TreeNode) {
			if (!visited.add(o))
				return;
			node(o);
			TreeNode<?> t = (TreeNode<?>) o;
			all(t.children());
			all(t.innerChildren());
		}
		if (o instanceof scala.collection.Iterable)
			all((scala.collection.Iterable<?>) o);
		else if (o instanceof scala.Product)
			each(((scala.Product) o).productIterator());
		else if (o instanceof Object[])
			for (Object x : (Object[]) o)
				walk(x);
	}

	private void all(scala.collection.Iterable<?> i) {
		each(i.iterator());
	}

	private void each(scala.collection.Iterator<?> i) {
		while (i.hasNext())
			walk(i.next());
	}

	private String verdict() {
		return script ? "script" : other != null ? other :
		    overwrite ? "overwrite" : insert ? "insert" : "query";
	}

	private static String judge(SparkSqlParser parser, String sql) {
		try {
			SparkVerdicts v = new SparkVerdicts();
			v.walk(parser.parsePlan(sql));
			return v.verdict() + "\t" + String.join(" ", v.seen);
		} catch (StackOverflowError | Exception e) {
			return "error\t";
		}
	}

	/* Standard output, which Spark's own messages must not get into. */
	private static PrintStream output() {
		PrintStream out = new PrintStream(new BufferedOutputStream(
		    new FileOutputStream(FileDescriptor.out), 1 << 16), false,
		    StandardCharsets.UTF_8);

		System.setOut(System.err);
		return out;
	}

	private static void end(PrintStream out, int status) {
		out.flush();
		Runtime.getRuntime().halt(status);
	}

	public static void main(String[] argv) throws Exception {
		String[] texts = Files.readString(Path.of(argv[0])).split("\0");
		PrintStream out = output();
		ExecutorService thread =
		    Executors.newSingleThreadExecutor(r -> {
			Thread t = new Thread(null, r, "parser", STACK);
			t.setDaemon(true);
			return t;
		});
		SparkSqlParser parser = new SparkSqlParser();

		for (int i = Integer.parseInt(argv[1]); i < texts.length; i++) {
			String sql = texts[i];
			Future<String> v =
			    thread.submit(() -> judge(parser, sql));
			try {
				out.println(v.get(TIMEOUT, TimeUnit.SECONDS));
			} catch (TimeoutException | ExecutionException e) {
				out.println("error\t");
				end(out, 75);
			}
		}
		end(out, 0);
	}
}
