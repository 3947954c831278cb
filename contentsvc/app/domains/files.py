"""The families of files, and what is below /files/. The service has neither if the files are the
studio's own matter."""

from collections.abc import Iterator

from prometheus_client import Metric

from contentsvc.api.content.types_and_platforms import Platforms
from contentsvc.api.errors import FilesExternal, translate
from contentsvc.api.files.downloads import Downloads
from contentsvc.api.files.files import Files
from contentsvc.api.files.transfers import Receiving, Transfers
from contentsvc.api.files.uploads import Limits
from contentsvc.app import metrics
from contentsvc.app.context import Context, Installed
from contentsvc.framework.core.timers import Bell, NextTurn
from contentsvc.framework.http.operations import Family
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.images.scaler import Scaler
from contentsvc.framework.storage.images import MOST_PIXELS
from contentsvc.framework.storage.local import Local
from contentsvc.framework.storage.paths import WIDTHS
from contentsvc.jobs.files import collect, store_jobs
from contentsvc.jobs.holds import keeping
from contentsvc.jobs.images import ImageCounts, ImageScaling

ABOUT = "The files of content: uploads, downloads, and the storage that they take."
FAMILIES = (
    Family("files", Files, absent=FilesExternal),
    Family("files", Downloads, absent=FilesExternal),
)


def install(context: Context) -> Installed:
    """Install them."""
    settings, db, bucket, signals = context.settings, context.db, context.bucket, context.signals
    counts = ImageCounts()

    def measure() -> Iterator[Metric]:
        yield metrics.SCALED_IMAGES.by(
            {"made": counts.made, "none": counts.none, "put off": counts.put_off}
        )

    blocking = context.blocks
    if bucket is None or blocking is None:
        return Installed([], metrics=[measure])
    reactor, observed = context.reactor, context.observed
    blocks, images = Bell(reactor), Bell(reactor)
    signals.file_blocked.subscribe(NextTurn(reactor, blocks.ring).ask)
    signals.file_stored.subscribe(NextTurn(reactor, images.ring).ask)
    scaler = None
    if settings.scale_images:
        scaler = Scaler(reactor, WIDTHS, MOST_PIXELS, observed.scaled)
    limits = Limits(
        settings.file_bytes,
        settings.image_bytes,
        settings.user_bytes,
        settings.pending_files,
        # An address can only be confirmed by mail.
        0 if context.mailing is None else settings.new_user_bytes,
        settings.uploads_per_minute,
        settings.new_user_bytes,
    )
    families = [
        Files(
            reactor,
            db,
            bucket,
            option=settings.files,
            limits=limits,
            public_url=settings.public_url,
            scaled=settings.scale_images,
            refuses=settings.image_metadata == "refuse",
            blocks=blocking,
            stored=signals.file_stored,
        ),
        Downloads(
            db,
            bucket,
            Platforms(reactor, db, settings.platforms),
            public_url=settings.public_url,
            # Where files lie elsewhere, only their URLs can be counted.
            downloaded=None if isinstance(bucket, Local) else signals.files_downloaded,
            taken=signals.content_downloaded,
        ),
    ]
    jobs = [
        *collect(reactor, db, bucket, blocks),
        *ImageScaling(reactor, db, bucket, scaler, counts).jobs(images),
        keeping(reactor, db, bucket),
        *store_jobs(bucket, reactor),
    ]
    return Installed(families, jobs, [measure])


def transfers(context: Context, reply: Reply) -> Transfers | None:
    """What is below /files/: the bytes of files, if this service keeps them itself."""
    if not isinstance(context.bucket, Local):
        return None
    refuses = context.settings.image_metadata == "refuse"
    receiving = Receiving(
        context.db, context.bucket, translate, context.signals.file_stored, refuses
    )
    return Transfers(reply, receiving, context.maintenance, context.signals.files_downloaded)
