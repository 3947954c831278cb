"""The cases of files on an S3 store: files#sending."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from tests.spec.files import (
    test_blocking,
    test_downloads,
    test_file_checks,
    test_file_names,
    test_files_listed,
    test_image_metadata,
    test_images,
    test_images_in_sizes,
    test_possession,
    test_quotas,
    test_revision_files,
    test_upload_urls,
    test_uploads,
)
from tests.spec.files.on_s3 import OnS3
from tests.spec.files.support import blob, picture


class BlockingTests(OnS3, test_blocking.BlockingTests):
    """The same on an S3 store."""


class DownloadsTests(OnS3, test_downloads.DownloadsTests):
    """The same on an S3 store."""


class ChecksTests(OnS3, test_file_checks.ChecksTests):
    """The same on an S3 store."""


class NamesTests(OnS3, test_file_names.NamesTests):
    """The same on an S3 store."""


class ListedTests(OnS3, test_files_listed.ListedTests):
    """The same on an S3 store."""


class WithheldTests(OnS3, test_files_listed.WithheldTests):
    """The same on an S3 store."""


class RefusedTests(OnS3, test_image_metadata.RefusedTests):
    """The same on an S3 store."""


class ImagesTests(OnS3, test_images.ImagesTests):
    """The same on an S3 store."""


class SizesTests(OnS3, test_images_in_sizes.SizesTests):
    """The same on an S3 store."""


class StorageTests(OnS3, test_quotas.StorageTests):
    """The same on an S3 store."""


class QuotaTests(OnS3, test_quotas.QuotaTests):
    """The same on an S3 store."""


class RevisionFilesTests(OnS3, test_revision_files.RevisionFilesTests):
    """The same on an S3 store."""


class UploadUrlTests(OnS3, test_upload_urls.UploadUrlTests):
    """The same on an S3 store."""

    async def test_signed_headers(self):
        """files#sending: the digest is signed as the header x-amz-checksum-sha256, and of media
        how long it may be kept."""
        user = await self.someone()
        for file in (blob(), picture()):
            upload = await self.place(user, file)
            signed = dict(parse_qsl(urlsplit(upload["url"]).query))["X-Amz-SignedHeaders"]
            headers = {name.lower(): value for name, value in upload["headers"].items()}
            self.assertIn("x-amz-checksum-sha256", headers)
            self.assertLessEqual(set(headers), set(signed.split(";")))
            self.assertLessEqual({"host", "content-length", "content-type"}, set(signed.split(";")))
        self.assertEqual("public, max-age=31536000, immutable", headers["cache-control"])

    async def test_signed_expiry(self):
        """files#sending: `expires` is the time until which the store takes the signature."""
        author, file = await self.user(), blob()
        upload = await self.place(author, file)
        made = await self.holding(author, file)
        (one,) = await self.files(made)
        for given in (upload, one):
            signed = dict(parse_qsl(urlsplit(given["url"]).query))
            begins = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%S%z").timestamp()
            self.assertEqual(given["expires"], begins + int(signed["X-Amz-Expires"]))


class UploadsTests(OnS3, test_uploads.UploadsTests):
    """The same on an S3 store."""


class PossessionTests(OnS3, test_possession.PossessionTests):
    """The same on an S3 store."""
