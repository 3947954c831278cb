"""GET /storage and GET /user/{user}/storage (extensions §3)."""

from contentsvc.web.errors import InvalidHost
from contentsvc.wire.files import StorageInfo, StorageLimits, UserStorage
from tests.api.files.uploading import BASE, LIMITS, UploadCase, fresh, of
from tests.api.support import Caller


class Nowhere(Caller):
    """A call whose Host header names no host."""

    @property
    def base_url(self) -> str:
        raise InvalidHost()


class StorageTests(UploadCase):
    async def test_storage(self) -> None:
        """It has the option, where media is, the types of images, and the limits."""
        found = await self.files.get_storage(Caller())
        types = ["image/png", "image/jpeg", "image/webp"]
        limits = StorageLimits(LIMITS.file_bytes, LIMITS.image_bytes, LIMITS.user_bytes)
        self.assertEqual(found, StorageInfo("local", f"{BASE}/media", types, [320, 1280], limits))

    async def test_not_scaled(self) -> None:
        """Where no smaller images are made, there are no widths."""
        found = await self.family(scaled=False).get_storage(Caller())
        self.assertEqual(found.image_widths, [])

    async def test_called(self) -> None:
        """Without a public URL, media is where the client has called."""
        found = await self.family(public_url=None).get_storage(Caller())
        self.assertEqual(found.media_url, f"{Caller.base_url}/media")

    async def test_no_host(self) -> None:
        """If that is no host, it is 400, and nothing is announced."""
        files = self.family(public_url=None)
        acts = (
            files.get_storage(Nowhere()),
            files.announce_files(Nowhere(self.ann), self.body(of(fresh()))),
        )
        for act in acts:
            self.assertIsInstance(await self.refused(act), InvalidHost)
        self.assertEqual(await self.usage(), (0, 0))

    async def test_usage(self) -> None:
        """A user who has never announced anything has used nothing. The limit is that of all."""
        files = self.family(user_bytes=100)
        found = await files.get_user_storage(Caller(self.ann), self.ann)
        self.assertEqual(found, UserStorage(used=0, limit=100, pending=0))
        await self.announce(of(fresh()))
        found = await files.get_user_storage(Caller(self.ann), self.ann)
        self.assertEqual(found, UserStorage(used=36, limit=100, pending=1))
