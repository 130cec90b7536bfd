"""The one error that crosses the API. It stands apart so that a terminal need not load pydantic."""


class LarariumError(Exception):
    """An error with a stable `code`, an HTTP status and a sentence for the person.

    The sentence says what happened, what is safe and what to do next.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status: int = 400,
        *,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        """When it is worth another try; None when that is not known."""
