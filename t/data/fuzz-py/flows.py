class J:
    T = {"a": "SELECT 1", "b": ["DROP TABLE t"]}
    def __init__(self, q="x"): self.q = q
    def run(self, q=None): return self.spark.sql(q or self.q)
J("DELETE FROM t").run()
s = spark.sql; list(map(s, ["SELECT 1", q]))
for k, v in J.T.items():
    w = "SELECT * FROM t WHERE "
    for x in v: w += x + " AND "
    s(w.strip().upper()[:-4].replace("A", "B").split(";")[0])
exec("spark.sql('TRUNCATE TABLE t')"); eval(code)
df.write.option("query", q).options(dbtable="(select 1) x").mode(m).save()
DeltaTable.forName(spark, "t").delete(); df.selectExpr(*[f"{c} as d" for c in cs])
