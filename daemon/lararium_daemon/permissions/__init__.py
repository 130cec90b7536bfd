"""Rules, shell analysis, the pure policy and the broker that asks and waits."""
