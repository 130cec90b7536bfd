"""Serves a small real model with llama.cpp until stdin ends: run it with the Python that has it.

`PYTHON tests/live/llama_server.py MODEL.gguf CONTEXT_TOKENS` prints the base URL on its first line.
Standard library and `xllamacpp` alone, so that it runs outside of this project's environment.
"""

import importlib
import sys
from typing import Any


def main() -> None:
    """Load the model, say where it listens, wait for the end of stdin."""
    llama: Any = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = sys.argv[1]
    params.model_alias = {"smollm2"}
    params.n_ctx = int(sys.argv[2])
    params.n_parallel = 1
    # On a busy machine two threads that wait for each other are slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ctx_shift = False
    params.n_predict = 64
    params.sampling.seed = 7
    params.sampling.temp = 0.0
    params.port = 0
    server = llama.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
