# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""A job that fails: it wants a region that has no sales."""
from pyspark.sql import SparkSession

REGION = "Atlantis"

spark = SparkSession.builder.appName("failing").getOrCreate()
sales = spark.read.csv("examples/sales.csv", header=True, inferSchema=True)
orders = sales.where(sales.region == REGION).count()
if orders == 0:
    raise ValueError("no sales in region " + repr(REGION))
print(orders)
