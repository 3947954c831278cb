"""The environment's variables for libpq, by which it connects to what nobody else names."""

import os


def forget() -> None:
    """Remove the variables of libpq (PGOPTIONS, PGSERVICE, …) from this process and its children.

    They are meant for another server. The URL of the embedded one cannot override them: it can name
    no service and no date style. libpq has no names but these, and more of them in each release.
    """
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
