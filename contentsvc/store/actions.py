"""What admins did (extensions §7)."""

from typing import Literal

from contentsvc.db.query import Db, none

Subject = Literal["content", "comment", "user", "challenge", "file"]
"""The kinds of subjects."""


@none("""
    insert into moderation_actions (admin, action, subject_kind, subject, reason)
    values (:admin, :action, :kind, :subject, :reason)
""")
async def record(
    tx: Db, admin: str, action: str, kind: Subject, subject: str, reason: str
) -> None:
    """Note an admin's act, in the transaction of the act. `reason` is "" without one."""
