"""One DSN for several servers, as a primary and its standby are named."""

from psycopg2.extensions import make_dsn, parse_dsn


def each_host(dsn: str) -> list[str]:
    """The DSN of each of its hosts, in order; itself if there is one.

    libpq tries them in turn by itself. But a connection that is opened without blocking it does
    not limit in time, so at a machine that is gone without a word it would wait for ever.
    """
    given = parse_dsn(dsn)
    parts = {key: given[key].split(",") for key in ("host", "hostaddr", "port") if key in given}
    count = max((len(part) for part in parts.values()), default=1)
    if count == 1 or given.get("target_session_attrs") == "prefer-standby":
        return [dsn]
    return [
        make_dsn(dsn, **{key: part[n % len(part)] for key, part in parts.items()})
        for n in range(count)
    ]
