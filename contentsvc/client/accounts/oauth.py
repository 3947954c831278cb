"""Tokens: RFC 6749, RFC 7009. Client.log_in, resume_session and log_out use these."""

from typing import TypeVar

from msgspec import json, to_builtins

from contentsvc.client.errors import ApiError
from contentsvc.client.http import UNREADABLE, Http, Response, error_of
from contentsvc.wire.accounts import RevokeForm, ServiceToken, TokenAnswer, TokenForm
from contentsvc.wire.repeatable import is_repeatable

T = TypeVar("T")


class OAuth:
    """The operations that are called without a token. They raise ApiError and Unreachable."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def create_token(self, form: TokenForm) -> TokenAnswer:
        """Log in, or renew tokens. The client does not use these tokens itself.

        ApiError has the code `invalid_grant`, `account_banned` or `slow_down`, for example.
        """
        # Within 30 s the service takes a second use of a refresh token for the same one.
        answer = await self._post("/oauth/token", form, repeat=form.refresh_token is not None)
        return _read(answer, TokenAnswer)

    async def create_service_token(self, form: TokenForm) -> ServiceToken:
        """A token of a service account, for its `client_credentials`. The client does not use it
        itself. ApiError has the code `invalid_client` or `invalid_scope`, for example."""
        return _read(await self._post("/oauth/token", form, repeat=True), ServiceToken)

    async def revoke_token(self, form: RevokeForm) -> None:
        """End the session of an access token or a refresh token."""
        await self._post("/oauth/revoke", form, repeat=is_repeatable("revokeToken", "POST"))

    async def _post(self, path: str, form: TokenForm | RevokeForm, *, repeat: bool) -> Response:
        members = to_builtins(form)
        given = {name: value for name, value in members.items() if value is not None}
        answer = await self._http.request("POST", path, form=given, repeat=repeat)
        if answer.status != 200:
            raise error_of(answer)
        return answer


def _read(answer: Response, kind: type[T]) -> T:
    try:
        return json.decode(answer.body, type=kind)
    except UNREADABLE as error:
        raise ApiError(answer.status, "malformed_answer", str(error), {}) from None
