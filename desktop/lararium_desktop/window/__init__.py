"""The pywebview process: navigation policy, guard, native services."""
