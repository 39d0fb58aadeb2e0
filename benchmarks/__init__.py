"""Measurements that docs/measurements.md reports; each module runs by `python -m benchmarks.<name>`."""
