"""Names of files that usually hold secrets: asked about before they are read, never searched.

Names alone, so that it works on a file that is not there and costs nothing on a whole tree.
"""

import re
import unicodedata

SECRET_GLOBS = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.kdbx",
    "*.keystore",
    "*.jks",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
)
"""In the syntax of ripgrep's `--glob`, matched against a file's own name, case folded."""
HARMLESS_GLOBS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
"""Names that a glob above catches and that hold no secret."""

_IGNORABLE = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF], None
)


def _compile(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(glob).replace(r"\*", ".*") for glob in globs), re.DOTALL)


_SECRET = _compile(SECRET_GLOBS)
_HARMLESS = _compile(HARMLESS_GLOBS)


def fold_name(name: str) -> str:
    """Give what a name is on a forgiving file system.

    No case, composed accents, no invisible characters, no dots or spaces at its end.
    """
    if name.isascii():
        return name.lower().rstrip(". ") or name
    folded = unicodedata.normalize("NFC", name).translate(_IGNORABLE).casefold()
    return folded.rstrip(". ") or name


def is_secret_name(name: str) -> bool:
    """Tell whether a file of this name (no folders) usually holds a secret."""
    folded = fold_name(name)
    return bool(_SECRET.fullmatch(folded)) and not _HARMLESS.fullmatch(folded)
