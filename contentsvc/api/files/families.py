"""The families of files, and what is below /files/. The service has neither if the files are the
studio's own matter."""

from contentsvc.api.context import Context
from contentsvc.api.errors import FilesExternal, translate
from contentsvc.api.files.downloads import Downloads
from contentsvc.api.files.files import Files
from contentsvc.api.files.receiving import Receiving
from contentsvc.api.files.transfers import Transfers
from contentsvc.api.files.uploads import Limits
from contentsvc.framework.http.operations import Family
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.storage.local import Local

ABOUT = "The files of content: uploads, downloads, and the storage that they take."
FAMILIES = (
    Family("files", Files, absent=FilesExternal),
    Family("files", Downloads, absent=FilesExternal),
)


def install(context: Context) -> list[object]:
    """Make the families."""
    settings, db, bucket = context.settings, context.db, context.bucket
    if bucket is None:
        return []
    limits = Limits(
        settings.file_bytes,
        settings.image_bytes,
        settings.user_bytes,
        settings.pending_files,
        # An address can only be confirmed by mail.
        0 if context.mails is None else settings.new_user_bytes,
        settings.uploads_per_minute,
    )
    return [
        Files(
            context.clock,
            db,
            bucket,
            option=settings.files,
            limits=limits,
            public_url=settings.public_url,
            scaled=settings.scale_images,
            refuses=settings.image_metadata == "refuse",
            blocked=context.blocked,
            stored=context.stored,
        ),
        Downloads(
            db,
            bucket,
            public_url=settings.public_url,
            # Where files lie elsewhere, only their URLs can be counted.
            downloaded=None if isinstance(bucket, Local) else context.downloaded,
            taken=context.taken,
        ),
    ]


def transfers(context: Context, reply: Reply) -> Transfers | None:
    """What is below /files/: the bytes of files, if this service keeps them itself."""
    if not isinstance(context.bucket, Local):
        return None
    refuses = context.settings.image_metadata == "refuse"
    receiving = Receiving(context.db, context.bucket, translate, context.stored, refuses)
    return Transfers(reply, receiving, context.maintenance, context.downloaded)
