"""What went wrong at a provider: whether to try again and when, and what to tell the person, without any secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from chatsearch.errors import ModelError
from chatsearch.llm.catalog import Endpoint

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same call may succeed; a fault of the connection has status 0 and may too."""

NO_KEY = -1
"""The status of a call that was not made, since there is no key for it."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|AUTH", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|key|hf|gsk|xai|AIza)[-_][\w*.-]{4,}|\bAIza[\w-]{10,}|\bBearer\s+\S+|//[^/\s@]*@", re.IGNORECASE
)
_CONNECTION = frozenset({
    "ConnectError", "ConnectTimeout", "ReadError", "WriteError", "RemoteProtocolError", "APIConnectionError",
    "ClientConnectorError",    "ClientConnectionError", "ServerDisconnectedError", "ClientPayloadError", "ConnectionTimeoutError",
})  # fmt: skip
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_PREFIX = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception)\s*(?::|-)\s*")


class SilentModelError(TimeoutError):
    """The model gave no token in time; `seconds` is how long it had."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no token in {seconds:g} s")
        self.seconds = seconds


@dataclass(frozen=True)
class Fault:
    """A failed call: its HTTP status (0: the connection), the seconds the provider asks us to wait, what it said."""

    endpoint: Endpoint
    status: int
    wait: float | None
    said: str

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed later."""
        return self.status == 0 or self.status in PASSING

    def error(self) -> ModelError:
        """The error for whoever asked: which model, why, and what to do."""
        return ModelError(f"The model “{self.endpoint.name}” ({self.endpoint.provider}) gave no answer: {self._reason()}")

    def _reason(self) -> str:
        where, variable = self.endpoint.host, self.endpoint.key_variable
        if self.status == NO_KEY:
            return f"there is no key for it. Set the environment variable {variable}."
        if self.status in (401, 403):
            check = f"Check the environment variable {variable}." if variable else "Check its access rights."
            return f"{where} does not accept the key ({self.status}). {check}"
        if self.status == 429:
            again = f"Try again in {self.wait:.0f} s." if self.wait else "Try again in a minute."
            return f"{where} says there are too many requests, or no credit is left (429). {again}"
        if self.status == 404:
            return (
                f"{where} does not know it (404). See its name with `chatsearch models`, or ask the administrator.{self._quote()}"
            )
        if self.status == 408:
            return f"{where} took too long{self._quote() or '.'} Try again, or raise llm_token_timeout."
        if self.status == 0:
            return f"{where} cannot be reached, or broke the connection off. Is the server running, and its address right?"
        if self.status >= 500:
            return f"{where} has a fault of its own ({self.status}).{self._quote()} Try again later."
        return f"{where} refuses the request ({self.status}).{self._quote()} Check the model's name and its settings."

    def _quote(self) -> str:
        return f" It says: “{self.said}”." if self.said else ""


def fault_of(error: Exception, endpoint: Endpoint) -> Fault:
    """What an exception of litellm, or of the time limit, means."""
    if isinstance(error, SilentModelError):
        return Fault(endpoint, 408, None, f"no token in {error.seconds:g} s")
    names = {type(one).__name__ for one in _chain(error)}
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else 0
    answered = getattr(error, "litellm_response_headers", None) is not None
    if not answered and not names & _CONNECTION and _has_no_key(endpoint):
        return Fault(endpoint, NO_KEY, None, "")
    cut = "MidStreamFallbackError" in names
    if status in (0, 500, 503) and (cut or (names & _CONNECTION and not answered)):
        status = 0
    elif "Timeout" in names or "APITimeoutError" in names:
        status = 408
    elif not status and "APIConnectionError" not in names and not cut:
        status = 400  # litellm itself will not send it: an unknown provider, an unknown parameter
    return Fault(endpoint, status, _retry_after(error), scrubbed(_first_line(error), endpoint))


def _has_no_key(endpoint: Endpoint) -> bool:
    return bool(endpoint.key_variable) and not endpoint.base_url and not os.environ.get(endpoint.key_variable)


def scrubbed(text: str, endpoint: Endpoint) -> str:
    """A text without the secrets of the environment and without what looks like one."""
    secrets = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)] + [endpoint.key]
    for secret in sorted((one for one in secrets if len(one) >= 6), key=len, reverse=True):
        text = text.replace(secret, "***")
    return _SECRET.sub("***", text)[:200]


def _first_line(error: Exception) -> str:
    line = next(iter(str(error).strip().splitlines()), "")
    while (shorter := _PREFIX.sub("", line)) != line:
        line = shorter
    return line.strip().rstrip(".")


def _retry_after(error: Exception) -> float | None:
    for headers in (getattr(error, "litellm_response_headers", None), getattr(getattr(error, "response", None), "headers", None)):
        value = str(headers.get("retry-after", "") or "") if headers is not None else ""
        if value:
            return _seconds(value)
    return None


def _seconds(value: str) -> float | None:
    """The seconds of a Retry-After header: a number, or a date."""
    if _DECIMAL.fullmatch(value.strip()):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__ or getattr(error, "original_exception", None)
