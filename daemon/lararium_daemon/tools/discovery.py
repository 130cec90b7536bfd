"""Finds the tools: every module of this package that is not listed as a part of one."""

import importlib
import logging
import pkgutil

import lararium_daemon.tools as package

logger = logging.getLogger(__name__)

PARTS = frozenset(
    {"registry", "context", "discovery", "call_process", "diff", "edit_match", "file_change"}
    | {
        "glob_pattern",
        "matches",
        "listing",
        "output",
        "project_path",
        "ripgrep",
        "spool",
        "terminal_text",
        "text_file",
    }
    | {"truncation", "walk", "web_address", "web_exchange", "web_text"}
)
"""Modules that register no tool."""


def discover() -> dict[str, str]:
    """Import every tool so that it registers; give the reason of each that failed, by module.

    Calling it again is harmless.
    """
    failed: dict[str, str] = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.name in PARTS:
            continue
        try:
            importlib.import_module(f"{package.__name__}.{module.name}")
        except Exception as error:  # noqa: BLE001 - one broken tool must not take the others away
            failed[module.name] = f"{type(error).__name__}: {error}"
            logger.warning("The tool in %s was skipped: %s", module.name, failed[module.name])
    return failed
