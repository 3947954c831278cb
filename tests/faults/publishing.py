"""What the tests of faults publish."""

from uuid import uuid4

from contentsvc.client import Client
from contentsvc.wire.content import ContentCreate, Entity


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
            entity=Entity(entity_id=str(uuid4()), revision_id=str(uuid4()), path="core"),
            originating=[],
            using=[],
        ),
    )
