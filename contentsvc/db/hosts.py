"""A DSN that names several servers, for example a primary and its standby."""

from psycopg2.extensions import make_dsn, parse_dsn


def each_host(dsn: str) -> list[str]:
    """One DSN for each host, in order. A DSN with one host stays as it is.

    libpq tries several hosts in turn by itself. But a non-blocking connect has no time limit in
    libpq, so it would wait forever for a machine that has silently gone.
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
