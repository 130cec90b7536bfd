"""The shell's headless core: registry, pool, native services, its own page."""
