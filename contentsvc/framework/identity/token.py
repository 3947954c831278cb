"""Tokens of issuers: JSON Web Tokens that somebody else has signed (RFC 7519, OpenID Connect)."""

import math
import re
from base64 import urlsafe_b64decode
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import jwt
import msgspec
from msgspec import UNSET, Struct

from contentsvc.framework.identity.keys import Key
from contentsvc.framework.identity.subject import InvalidSubjectToken, Subject

SKEW = 60
"""Seconds by which the issuer's clock may differ from this one."""
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105, types of RFC 8693 §3
JWT = "urn:ietf:params:oauth:token-type:jwt"
_TYPES = {ID_TOKEN: {"jwt"}, JWT: {"jwt", "at+jwt"}}
"""The `typ` of their headers. Other kinds of token of the same issuer, such as those of log-out,
have others, so that nobody takes one for another (RFC 8725 §3.11)."""
_LONGEST_HEADER = 4096
_LONGEST_SUBJECT = 255
"""Characters (OpenID Connect Core §2)."""
_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+")
_VISIBLE = re.compile(r"[ -~]+")


class _Header(Struct):
    alg: str
    kid: str | None = None
    typ: str = "JWT"
    crit: Any = UNSET


class _Payload(Struct):
    iss: str


class Head(NamedTuple):
    """What a token says about itself, which nobody has verified."""

    issuer: str
    algorithm: str
    kid: str | None


def head(token: str, token_type: str) -> Head:
    """Read a token of this type. Raises InvalidSubjectToken."""
    parts = _COMPACT.fullmatch(token)
    if parts is None or len(parts[1]) > _LONGEST_HEADER:
        raise InvalidSubjectToken("The subject_token is not a signed JSON Web Token.")
    try:
        header = msgspec.json.decode(_decoded(parts[1]), type=_Header)
        issuer = msgspec.json.decode(_decoded(parts[2]), type=_Payload).iss
    # Whatever a stranger's text can raise: what is nested too deeply, a RecursionError.
    except Exception:
        raise InvalidSubjectToken("The subject_token is not a signed JSON Web Token.") from None
    if header.crit is not UNSET:
        raise InvalidSubjectToken("The subject_token has `crit`, which is not supported.")
    if header.typ.lower().removeprefix("application/") not in _TYPES[token_type]:
        raise InvalidSubjectToken("The `typ` of the subject_token is that of another type.")
    return Head(issuer, header.alg, header.kid)


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verified(
    token: str,
    given: Head,
    keys: Iterable[Key],
    audiences: Collection[str],
    now: float,
) -> Subject:
    """The account that a token proves, if one of the keys has signed it. `now` is in Unix seconds.

    Raises InvalidSubjectToken.
    """
    claims = _claims(token, given, keys)
    _check_audience(claims, audiences)
    expires, begins = _time(claims, "exp", now), _time(claims, "nbf", now)
    if now >= expires + SKEW:
        raise InvalidSubjectToken("The subject_token has expired.")
    if now < begins - SKEW or now < _time(claims, "iat", now) - SKEW:
        raise InvalidSubjectToken("The subject_token is not valid yet.")
    subject, name = claims["sub"], claims.get("preferred_username")
    if len(subject) > _LONGEST_SUBJECT or not _VISIBLE.fullmatch(subject):
        raise InvalidSubjectToken("The `sub` of the subject_token is not one.")
    return Subject(given.issuer, subject, name if isinstance(name, str) else None)


def _claims(token: str, given: Head, keys: Iterable[Key]) -> dict[str, Any]:
    for key in keys:
        try:
            return jwt.decode(
                token,
                key.public,
                algorithms=[key.algorithm],
                issuer=given.issuer,
                options={
                    "require": ["iss", "sub", "aud", "exp"],
                    # All of a list must be known, which PyJWT does not ask for, and the injected
                    # clock decides about time: both are checked by the caller.
                    "verify_aud": False,
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except jwt.InvalidSignatureError:
            continue
        except jwt.MissingRequiredClaimError as error:
            raise InvalidSubjectToken(f"The subject_token has no `{error.claim}`.") from None
        except Exception as error:
            raise InvalidSubjectToken("The subject_token is not valid.") from error
    raise InvalidSubjectToken("The signature of the subject_token is wrong.")


def _check_audience(claims: dict[str, Any], audiences: Collection[str]) -> None:
    """Raise InvalidSubjectToken unless a token is for these audiences alone. Of several, each could
    hand the token on, so all must be the operator's, and so must be who asked for it, where `azp`
    says that (OpenID Connect Core §3.1.3.7)."""
    audience = claims["aud"]
    named = audience if isinstance(audience, list) else [audience]
    if not named or not all(isinstance(one, str) and one in audiences for one in named):
        raise InvalidSubjectToken("The subject_token is for another audience (`aud`).")
    party = claims.get("azp")
    known = party is None or (isinstance(party, str) and party in audiences)
    if len(named) > 1 and not known:
        raise InvalidSubjectToken("The `azp` of the subject_token is another's.")


def _time(claims: dict[str, Any], name: str, absent: float) -> float:
    value = claims.get(name, absent)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidSubjectToken(f"The `{name}` of the subject_token is not a time.")
    # An integer may be too large for a float.
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidSubjectToken(f"The `{name}` of the subject_token is not a time.")
    return value
