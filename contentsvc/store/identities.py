"""Accounts elsewhere, with which users log in (extensions §8)."""

from contentsvc.db.query import Db, maybe


@maybe("select user_id from identities where issuer = :issuer and subject = :subject")
async def owner(db: Db, issuer: str, subject: str) -> str | None:
    """The user to whom this account elsewhere is linked."""
