"""The families of content."""

from contentsvc.api.content.access_list import Guests
from contentsvc.api.content.collections import Collections
from contentsvc.api.content.comments import Comments
from contentsvc.api.content.items import Content, Dependents
from contentsvc.api.content.names import Names
from contentsvc.api.content.plays import Plays
from contentsvc.api.content.precheck import UploadPrecheck
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.ratings import Ratings
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.content.search import Search
from contentsvc.api.content.subscriptions import Subscriptions
from contentsvc.api.content.tags import ContentTags, TagList, TagRules
from contentsvc.api.content.types_and_platforms import ContentTypes, Platforms
from contentsvc.api.content.visibility import Visibility
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.app.context import Context, Installed
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.http.operations import Family
from contentsvc.framework.storage.local import Local
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs import content as jobs
from contentsvc.jobs import content_counts, retention
from contentsvc.jobs.content import SearchIndexer, TagCounter, WordCounter
from contentsvc.jobs.content_counts import ContentDownloads
from contentsvc.jobs.files import purge
from contentsvc.store.content import search_index as store
from contentsvc.store.content import suggestions, tags

ABOUT = "Publishing, revising, finding, rating, collecting and commenting on content."
FAMILIES = (
    Family("content", UploadPrecheck),
    Family("content", Content),
    Family("content", Revisions),
    Family("content", Withdrawal),
    Family("content", Names),
    Family("content", Visibility),
    Family("content", Guests),
    Family("content", Dependents),
    Family("content", Search),
    Family("content", ContentTags),
    Family("content", Comments),
    Family("content", Ratings),
    Family("content", Subscriptions),
    Family("content", Collections),
    Family("content", Plays),
)


def install(context: Context) -> Installed:
    """Install them."""
    settings, db, queue, bucket = context.settings, context.db, context.queue, context.bucket
    required, changes = settings.required_platforms, settings.changes_per_hour
    files = bucket is not None
    types = ContentTypes(context.reactor, db, settings.types)
    platforms = Platforms(context.reactor, db, settings.platforms)
    rules = TagRules(context.studio.tags)
    publishing = Publishing(
        *(db, queue, required, settings.publications_per_day, changes, context.claims, types),
        platforms,
        rollbacks_per_hour=settings.rollbacks_per_hour,
        tags=rules,
    )
    families = [
        UploadPrecheck(
            db,
            types,
            required_platforms=required,
            files=files,
            folder=bucket if isinstance(bucket, Local) else None,
            per_minute=settings.prechecks_per_minute,
            tags=rules,
        ),
        Content(db, context.acts, publishing, types, platforms),
        Revisions(db, publishing, files=files),
        Withdrawal(db, context.notifier, queue, changes_per_hour=changes),
        Names(db, queue, settings.renames_per_day),
        Visibility(db, queue, changes),
        Guests(db, context.notifier, settings.invitations_per_day),
        Dependents(db),
        Search(db, types, platforms),
        ContentTags(db, rules, TagList(context.reactor, db, rules)),
        Comments(db, context.notifier, context.acts, per_minute=settings.comments_per_minute),
        Ratings(db),
        Subscriptions(db, context.notifier, context.queue, settings.subscriptions, platforms),
        Collections(db, settings.collections, guests=context.guests),
        Plays(db, settings.plays_per_minute),
    ]
    indexer = Job(
        "make content searchable",
        jobs.SEARCH_EVERY,
        SearchIndexer(context.reactor.seconds, db).run,
        Bell(context.reactor),
        queue="stale documents",
        waits=store.WAITING,
    )
    counter = Job(
        "count words of content",
        jobs.SEARCH_EVERY,
        WordCounter(context.reactor.seconds, db).run,
        Bell(context.reactor),
        queue="words",
        waits=suggestions.WAITING,
    )
    tag_counter = Job(
        "count tags of content",
        jobs.SEARCH_EVERY,
        TagCounter(context.reactor.seconds, db).run,
        Bell(context.reactor),
        queue="tags",
        waits=tags.WAITING,
    )
    downloads = ContentDownloads(db, context.wall)
    context.signals.content_downloaded.subscribe(downloads.note)
    return Installed(
        families,
        [
            indexer,
            counter,
            tag_counter,
            *content_counts.jobs(context.reactor, db, downloads),
            *retention.of_content(db),
            *([] if bucket is None else [purge(db)]),
        ],
    )
