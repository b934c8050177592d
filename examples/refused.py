# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A draft that the guard refuses: it would drop a table."""
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("refused").getOrCreate()
spark.sql("DROP TABLE revenue")
spark.sql("SELECT * FROM revenue").show()
