"""A verifier that knows one account."""

from contentsvc.framework.identity.subject import IdentityUnavailable, InvalidSubjectToken, Subject

KIND = "urn:example:token-type:fake"
GOOD, BAD, UNKNOWN_KEY, AWAY = "good", "bad", "unknown-key", "away"
ADA = Subject("https://id.example", "ada-1", "Ada")


class FakeVerifier:
    """Takes GOOD for ADA's token, and `good/name` for that of the account `name`."""

    types = (KIND,)

    async def verify(self, token: str, token_type: str) -> Subject:
        if token == UNKNOWN_KEY:
            raise InvalidSubjectToken("The key is not known.", counts=False)
        if token == AWAY:
            raise IdentityUnavailable
        if token == GOOD:
            return ADA
        if token.startswith(f"{GOOD}/"):
            name = token.partition("/")[2]
            return Subject(ADA.issuer, name, name)
        raise InvalidSubjectToken("The token is not valid.")
