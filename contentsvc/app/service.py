"""What belongs to no single domain: what the service says of itself, the tasks of the outbox, and
the deletion of what belongs to no domain."""

from contentsvc.api.service import Legal, Service
from contentsvc.app.context import Context, Installed
from contentsvc.app.service_info import service_info
from contentsvc.config import legal
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import STEPS
from contentsvc.jobs import content, retention, steps
from contentsvc.jobs.content import ConnectedFollowers
from contentsvc.jobs.handlers import steps as steps_of
from contentsvc.jobs.notifications import StudioLimits
from contentsvc.jobs.steps import StepRunner


def install(context: Context) -> Installed:
    """Install it."""
    settings, reactor, db, signals = context.settings, context.reactor, context.db, context.signals
    work, connected = Bell(reactor), Bell(reactor)
    signals.task_put.subscribe(work.ring)
    signals.shared_task_put.subscribe(connected.ring)
    studio = StudioLimits(settings.studio_per_user_day, frozenset(settings.studio_unmutable))
    kinds = steps_of(settings.fan_out_seen_within, studio, context.mails, settings.terms_reference)
    outbox = StepRunner(reactor, db, context.notifier, kinds)
    first = ConnectedFollowers(reactor, db, context.notifier, context.hub.users, work.ring)
    jobs = [
        Job("work off the outbox", steps.EVERY, outbox.run, work, queue=STEPS),
        Job("tell connected followers", content.CONNECTED_EVERY, first.run, connected, queue=STEPS),
        *retention.of_service(db),
    ]
    said = context.studio.legal or legal.Legal()
    families = [
        Service(service_info(context)),
        Legal(dict(said.contacts), context.terms.terms, settings.public_url, settings.portal),
    ]
    return Installed(families, jobs)
