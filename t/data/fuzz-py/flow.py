from pyspark.sql import SparkSession
import os
spark = SparkSession.builder.appName("x").getOrCreate()
q = "SELECT * FROM t"
spark.sql(q)
q = "DROP "
q += "TABLE t"
spark.sql(q)
def run(s, n=1):
    return spark.sql(s)
run("DELETE FROM x")
run(f"SELECT {q}")
for s in ["SELECT 1", "TRUNCATE TABLE a"]:
    spark.sql(s)
os.system("rm")
df.write.mode("overwrite").saveAsTable("x")
getattr(spark, "s" + "ql")("ALTER TABLE x")
spark.sql(open("x").read())
spark.sql("%s TABLE t" % "DROP")
spark.sql("{} TABLE {}".format("DROP", x))
spark.sql("SELECT a FROM {}".format(x))
