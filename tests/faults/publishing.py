"""What the tests of faults publish."""

from uuid import uuid4

from contentsvc.client import Client
from contentsvc.wire.content import ContentCreate, EntityDefinition, RevisionCreate


async def publish(client: Client, content: str) -> None:
    """Publish a new content with this id."""
    await client.content.put(
        content,
        ContentCreate(
            name="Castle",
            description="A castle to storm",
            screenshot_uris=["shot.png"],
            type="game",
            revision_id=str(uuid4()),
            revision_description="first",
            version="1.0",
            entity=EntityDefinition(entity_id=str(uuid4()), revision_id=str(uuid4()), path="core"),
            originating=[],
            using=[],
        ),
    )


async def revise(client: Client, content: str, revision: str) -> None:
    """Publish a new revision with this id."""
    await client.revisions.publish(
        content,
        RevisionCreate(
            revision_id=revision,
            revision_description="next",
            version="1.1",
            entity=EntityDefinition(
                entity_id=str(uuid4()), revision_id=str(uuid4()), path=f"cores/{revision}"
            ),
            originating=[],
            using=[],
        ),
    )
