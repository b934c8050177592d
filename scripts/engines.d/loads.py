# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
"""Makes Spark load what jobs of the tests need, and what such jobs need on a
cluster."""
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
spark.range(9).createOrReplaceTempView("t")
spark.sql("SELECT id % 2, count(*) FROM t GROUP BY 1 ORDER BY 1").show()
spark.range(3).select(F.udf(lambda x: x + 5, "long")("id")).collect()
for name in (
    "deploy.master.Master",
    "deploy.worker.Worker",
    "deploy.worker.DriverWrapper",
    "executor.CoarseGrainedExecutorBackend",
    "scheduler.cluster.StandaloneSchedulerBackend",
    "deploy.yarn.Client",
    "deploy.yarn.YarnClusterApplication",
    "deploy.yarn.ApplicationMaster",
    "executor.YarnCoarseGrainedExecutorBackend",
    "scheduler.cluster.YarnClusterSchedulerBackend",
    "scheduler.cluster.YarnClientSchedulerBackend",
    "deploy.k8s.submit.KubernetesClientApplication",
):
    spark._jvm.java.lang.Class.forName("org.apache.spark." + name)
