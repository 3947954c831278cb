"""The tokens of service accounts: studio#service-accounts, RFC 6749 §4.4."""

import base64
import time
from typing import Any
from urllib.parse import quote

from tests.spec.client import Response
from tests.spec.content.test_lifecycle import TwoDaemonsCase
from tests.spec.data import Service, claims, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import SERVICE_ME, SERVICE_TOKEN

GRANT = {"grant_type": "client_credentials"}


def basic(id: str, secret: str) -> dict[str, str]:
    """A header as RFC 7617 has it."""
    return {"Authorization": f"Basic {base64.b64encode(f'{id}:{secret}'.encode()).decode()}"}


class TokenCase(SpecCase):
    """Requests for tokens."""

    async def asked(self, headers: dict[str, str], **form: str) -> Response:
        """The answer to a request with these headers."""
        return await self.post("/oauth/token", data=GRANT | form, headers=headers)

    def oauth(self, response: Response, status: int, error: str) -> None:
        """Assert an error of RFC 6749 §5.2."""
        self.assertEqual((status, error), (response.status, response.json()["error"]), response)
        challenge = response.header("WWW-Authenticate")
        expected = 'Basic realm="contentsvc"' if error == "invalid_client" else None
        self.assertEqual(expected, challenge)

    async def works(self, token: str) -> bool:
        """Whether the token opens what its account's scope, `events`, names."""
        response = await self.get("events", by=token)
        if response.status == 401:
            self.problem(response, 401, "invalid_token")
        return response.status == 200


class GrantTests(TokenCase):
    """POST /oauth/token with client_credentials."""

    async def test_form(self):
        """Id and secret in the form give a token with all scopes of the account, and no refresh
        token."""
        made = await self.account("progress", "events")
        answer = (await self.grant(made)).json()
        self.shape(answer, SERVICE_TOKEN)
        self.assertEqual((900, "events progress"), (answer["expires_in"], answer["scope"]))
        found = await self.read("me", SERVICE_ME, by=answer["access_token"])
        expected = {"kind": "service", "id": made.id, "name": made.name}
        self.assertEqual(expected | {"scopes": ["events", "progress"]}, found)

    async def test_basic(self):
        """So they do in the header, as Basic, the scheme and the id in any case; %-encoded as
        RFC 6749 §2.3.1 has it, or not. The same id may be in the form too."""
        made = await self.account("events")
        encoded = quote(made.secret, safe="").replace("_", "%5F").replace("-", "%2D")
        for headers in (
            basic(made.id, made.secret),
            basic(made.id.upper(), encoded),
            basic(quote(made.id.replace("-", "%2D"), safe="%"), made.secret),
            {"Authorization": basic(made.id, made.secret)["Authorization"].replace("B", "b", 1)},
        ):
            self.shape((await self.asked(headers)).json(), SERVICE_TOKEN)
        answer = await self.asked(basic(made.id, made.secret), client_id=made.id)
        self.shape(answer.json(), SERVICE_TOKEN)

    async def test_both(self):
        """A secret in the header and another in the form, or two ids, are 400 `invalid_request`."""
        made, other = await self.account("events"), await self.account("events")
        header = basic(made.id, made.secret)
        for form in (
            {"client_id": made.id, "client_secret": made.secret},
            {"client_secret": made.secret},
            {"client_id": other.id},
        ):
            self.oauth(await self.asked(header, **form), 400, "invalid_request")

    async def test_wrong(self):
        """What proves no account is 401 `invalid_client`, however often it is tried."""
        made, other = await self.account("events"), await self.account("events")
        user = await self.someone()
        for headers, form in (
            ({}, {}),
            ({}, {"client_id": made.id}),
            ({}, {"client_id": made.id, "client_secret": ""}),
            ({}, {"client_secret": made.secret}),
            ({}, {"client_id": made.id, "client_secret": other.secret}),
            ({}, {"client_id": user.id, "client_secret": made.secret}),
            ({}, {"client_id": made.name, "client_secret": made.secret}),
            ({}, {"client_id": f"{{{made.id}}}", "client_secret": made.secret}),
            (basic(made.id, other.secret), {}),
            (basic(made.id, made.secret_id), {}),
            (basic(made.id, made.secret.upper()), {}),
            (basic("", ""), {}),
            ({"Authorization": "Basic"}, {}),
            ({"Authorization": "Basic %%%"}, {}),
            ({"Authorization": "Basic /w=="}, {}),
            ({"Authorization": f"Bearer {user.token}"}, {}),
        ):
            self.oauth(await self.asked(headers, **form), 401, "invalid_client")
        for _ in range(40):
            self.oauth(await self.asked(basic(made.id, guid())), 401, "invalid_client")
        self.assertEqual(200, (await self.asked(basic(made.id, made.secret))).status)

    async def test_scope(self):
        """`scope` asks for fewer: in any order, each as often as one likes. What the account has
        not got is 400 `invalid_scope`; an empty one is as none."""
        made = await self.account("events", "notify", "progress")
        for asked, given in (
            ("progress", "progress"),
            ("progress notify progress", "notify progress"),
            ("", "events notify progress"),
        ):
            answer = (await self.grant(made, scope=asked)).json()
            self.assertEqual(given, answer["scope"])
            self.assertEqual(given, claims(answer["access_token"])["scope"])
        for asked in ("curate", "events curate", "Events", " ", "administer", "events,notify"):
            self.oauth(await self.grant(made, scope=asked), 400, "invalid_scope")
        token = await self.token(made, scope="notify")
        await self.get("notifications", by=token, expect=200)
        self.problem(await self.get("events", by=token), 403, "insufficient_scope")

    async def test_expired(self):
        """After the account's end it is 401 `invalid_client`, and a token ends with the account."""
        made = await self.account("events", expires=int(time.time()) - 1)
        self.oauth(await self.grant(made), 401, "invalid_client")
        until = int(time.time()) + 300
        made = await self.account("events", expires=until)
        answer = (await self.grant(made)).json()
        self.assertTrue(0 < answer["expires_in"] <= 300, answer)
        self.assertEqual(until, claims(answer["access_token"])["exp"])

    async def test_portal(self):
        """The portal's log-in is for users."""
        made = await self.account("events")
        form = GRANT | {"client_id": made.id, "client_secret": made.secret}
        headers = {"Origin": self.url}
        response = await self.post("/portal/session", data=form, headers=headers)
        self.oauth(response, 400, "unsupported_grant_type")


class EndTests(TokenCase):
    """When tokens end."""

    async def path(self, service: Service, **changes: Any) -> None:
        """Put the account with these changes."""
        body = {"name": service.name, "scopes": ["events"], **changes}
        path = f"service-accounts/{service.id}"
        await self.put(path, body, by=await self.admin(), expect=204)

    async def test_changed(self):
        """Other scopes and another end of the account end its tokens; a new name does not. The
        secrets stay good."""
        made, token = await self.service("events")
        await self.path(made, name=f"{made.name}!")
        self.assertTrue(await self.works(token))
        for changes in (
            {"scopes": ["events", "notify"]},
            {"expires": int(time.time()) + 900},
            {},
        ):
            await self.path(made, **changes)
            self.assertFalse(await self.works(token), changes)
            token = await self.token(made)
            self.assertTrue(await self.works(token))

    async def test_deleted(self):
        """The end of an account ends its tokens and secrets, also where one of the same id comes
        after it."""
        made, token = await self.service("events")
        by, path = await self.admin(), f"service-accounts/{made.id}"
        await self.delete(path, by=by, expect=204)
        self.assertFalse(await self.works(token))
        self.oauth(await self.grant(made), 401, "invalid_client")
        await self.put(path, {"name": made.name, "scopes": ["events"]}, by=by, expect=201)
        self.assertFalse(await self.works(token))
        self.oauth(await self.grant(made), 401, "invalid_client")

    async def test_secret(self):
        """The end of a secret ends the tokens that it gave, and no others."""
        made, token = await self.service("events")
        by, path = await self.admin(), f"service-accounts/{made.id}/secrets"
        second = (await self.post(path, by=by, expect=200)).json()["value"]
        kept = (await self.grant(made, client_secret=second)).json()["access_token"]
        await self.delete(f"{path}/{made.secret_id}", by=by, expect=204)
        self.assertFalse(await self.works(token))
        self.assertTrue(await self.works(kept))
        self.oauth(await self.grant(made), 401, "invalid_client")

    async def test_revoked(self):
        """A log-out ends one token, and no others of the account."""
        made, token = await self.service("events")
        other = await self.token(made)
        await self.post("/oauth/revoke", data={"token": token}, expect=200)
        self.assertFalse(await self.works(token))
        self.assertTrue(await self.works(other))
        self.assertTrue(await self.works(await self.token(made)))

    async def test_forged(self):
        """A user's token with the claims of a service is a user's, and the other way round it is
        nobody's log-in."""
        user, (made, _) = await self.someone(), await self.service("events")
        forged = self.forge(user, scope="events progress", sub=made.id)
        self.problem(await self.get("events", by=forged), 403, "forbidden")
        forged = self.forge(user, aud="service", role="admin")
        for path in (f"user/{user.id}", "service-accounts", "user/{user.id}/progress"):
            response = await self.get(path.replace("{user.id}", user.id), by=forged)
            self.problem(response, 403, "insufficient_scope")


class TwoDaemonsTests(TokenCase, TwoDaemonsCase):
    """What one daemon ends has ended at the other."""

    async def test_ends(self):
        """A secret, an account, a change of it, and a log-out end tokens at both."""
        by = await self.admin()
        for end in ("secret", "account", "change", "log-out"):
            self.use(self.first)
            made, token = await self.service("events")
            self.use(self.second)
            self.assertTrue(await self.works(token))
            self.use(self.first)
            path = f"service-accounts/{made.id}"
            if end == "secret":
                await self.delete(f"{path}/secrets/{made.secret_id}", by=by, expect=204)
            elif end == "account":
                await self.delete(path, by=by, expect=204)
            elif end == "change":
                body = {"name": made.name, "scopes": ["curate"]}
                await self.put(path, body, by=by, expect=204)
            else:
                await self.post("/oauth/revoke", data={"token": token}, expect=200)
            self.assertFalse(await self.works(token), end)
            self.use(self.second)
            await self.ended(token, end)

    async def ended(self, token: str, end: str) -> None:
        """Assert that the token ends here within a moment: the news takes one."""
        until = time.monotonic() + 10
        while await self.works(token):
            self.assertLess(time.monotonic(), until, end)
