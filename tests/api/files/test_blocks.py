"""Blocks of files that are older than decisions (files#blocking)."""

from contentsvc.api.moderation.decisions import Decisions
from contentsvc.store.files import blocks
from contentsvc.wire.decisions import DecisionBody, GroundBody, SubjectBody
from tests.api.files.uploading import UploadCase, digest, fresh
from tests.api.support import Caller, acts
from tests.support.databases import guid


class OldBlockTests(UploadCase):
    async def test_nothing_changed(self) -> None:
        """Where a block stands without a decision, none is made, whatever it explains; the block
        keeps its reason."""
        family = Decisions(self.db, acts(), self.files._blocks, "")
        moderator = Caller(await self.user(admin=True), admin=True)
        file = digest(fresh())
        await blocks.put(self.db, file, "stolen")
        for explanation in ("stolen", "another"):
            ground = GroundBody(
                basis="terms",
                reference="1",
                explanation=explanation,
                source="own",
                automated="no",
            )
            subject = SubjectBody(kind="file", id=file)
            body = DecisionBody(id=guid(), action="block_file", subject=subject, ground=ground)
            problem = await self.refused(
                family.create_decision(moderator, body)  # type: ignore[arg-type]
            )
            self.assertEqual(problem.code, "nothing_changed")
        rows = self.sql("select reason from blocked_files where sha256 = %s", file)
        self.assertEqual(rows, [("stolen",)])
