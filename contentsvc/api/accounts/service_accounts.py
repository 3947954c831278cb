"""Service accounts: programs of the studio, and their secrets (studio#service-accounts)."""

from functools import partial

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import IdTaken, NameTaken, ServiceAccountNotFound, TooManySecrets
from contentsvc.api.paging import listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.push.revocation import Revocation
from contentsvc.roles import ADMINISTER, SCOPES
from contentsvc.store.accounts import service_accounts as store
from contentsvc.store.moderation import audit_log
from contentsvc.tokens import new_secret, secret_hash
from contentsvc.wire.accounts import (
    NewServiceSecret,
    ServiceAccount,
    ServiceAccountBody,
    ServiceSecret,
)
from contentsvc.wire.base import Part
from contentsvc.wire.moderation import Act


class ServiceAccounts(Struct):
    """The accounts, as admins manage them. NameTaken comes from the database."""

    db: Database
    revocation: Revocation

    @route(
        "PUT",
        "/service-accounts/<guid:account>",
        allow=ADMINISTER,
        heeds="/service-accounts/<guid:account>",
        raises=(NameTaken, IdTaken),
    )
    async def put_service_account(
        self, call: Call, account: str, body: ServiceAccountBody
    ) -> Created | None:
        """Make a service account, or replace its members. The caller chooses the id: the first time
        is 201, later ones are 204. Other scopes or another `expires` end its tokens."""
        scopes: list[str] = [scope for scope in SCOPES if scope in {*body.scopes}]
        values = body.name, body.name.casefold(), scopes, body.expires
        async with self.db.transaction() as tx:
            await store.lock_all(tx)
            before = await store.lock(tx, account)
            await call.unchanged(tx, partial(audit_log.last, tx, "service_account", account))
            if before is None:
                if await store.is_user(tx, account):
                    raise IdTaken()
                await store.insert(tx, account, *values)
                await self._record(tx, call, "service_account_created", account)
            elif before != (body.name, scopes, body.expires):
                await store.replace(tx, account, *values)
                if before[1:] != (scopes, body.expires):
                    self.revocation.end(tx, await store.end_all(tx, account))
                await self._record(tx, call, "service_account_changed", account)
        return Created(f"/api/v1/service-accounts/{account}") if before is None else None

    @route("GET", "/service-accounts", allow=ADMINISTER)
    async def list_service_accounts(self, call: Call, query: Part) -> Listed[ServiceAccount]:
        """List the service accounts, newest first."""
        rows = await store.page(self.db, position(query), query.limit)
        return listed(rows, query, lambda row: row.number, _shown)

    @route(
        "GET",
        "/service-accounts/<guid:account>",
        allow=ADMINISTER,
        raises=(ServiceAccountNotFound,),
    )
    async def get_service_account(self, call: Call, account: str) -> ServiceAccount:
        """Get a service account."""
        return _shown(required(await store.get(self.db, account), ServiceAccountNotFound))

    @route("DELETE", "/service-accounts/<guid:account>", allow=ADMINISTER)
    async def delete_service_account(self, call: Call, account: str) -> None:
        """Delete a service account with its secrets, and end its tokens. This succeeds too if there
        is none."""
        async with self.db.transaction() as tx:
            if await store.lock(tx, account) is None:
                return
            self.revocation.end(tx, await store.end_all(tx, account))
            await store.delete(tx, account)
            await self._record(tx, call, "service_account_deleted", account)

    @route(
        "POST",
        "/service-accounts/<guid:account>/secrets",
        allow=ADMINISTER,
        raises=(ServiceAccountNotFound, TooManySecrets),
    )
    async def create_service_secret(self, call: Call, account: str) -> NewServiceSecret:
        """Make a secret. Only this answer shows its value. An account has at most two: make the
        next one, give it to all programs, then delete the old one."""
        async with self.db.transaction() as tx:
            required(await store.lock(tx, account), ServiceAccountNotFound)
            if await store.count_secrets(tx, account) >= store.MOST_SECRETS:
                raise TooManySecrets()
            value = new_secret()
            id = await store.add_secret(tx, account, secret_hash(value))
            await self._record(tx, call, "service_secret_created", account)
        return NewServiceSecret(id, value)

    @route(
        "DELETE",
        "/service-accounts/<guid:account>/secrets/<guid:secret>",
        allow=ADMINISTER,
    )
    async def delete_service_secret(self, call: Call, account: str, secret: str) -> None:
        """Delete a secret, and end the tokens that were got with it. This succeeds too if there is
        none."""
        async with self.db.transaction() as tx:
            # Whoever changes the account gives the secret another grant.
            if await store.lock(tx, account) is None:
                return
            ended = await store.delete_secret(tx, account, secret)
            if ended is not None:
                self.revocation.end(tx, [ended])
                await self._record(tx, call, "service_secret_deleted", account)

    async def _record(self, tx: Db, call: Call, act: Act, account: str) -> None:
        await audit_log.record(tx, *call.actor, act, "service_account", account, "")


def _shown(row: store.Account) -> ServiceAccount:
    pairs = zip(row.secrets, row.made, strict=True)
    return ServiceAccount(
        id=row.id,
        name=row.name,
        scopes=row.scopes,
        created=row.created,
        expires=row.expires,
        last_used=row.last_used,
        secrets=[ServiceSecret(id, created) for id, created in pairs],
    )
