```python
spark.sql("x")
```
