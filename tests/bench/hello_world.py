"""The floor of a start: uvicorn and FastAPI with one route. Prints its port when it listens."""

import socket
import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/api/health")
async def health() -> dict[str, str]:
    """Answer."""
    return {"status": "ok"}


if __name__ == "__main__":
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sys.stdout.write(f"{sock.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[sock])
