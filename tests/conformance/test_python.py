"""The Python client does what clients/conformance.json says."""

import sys

from tests.conformance.cases import ConformanceCase, with_cases


@with_cases
class PythonTests(ConformanceCase):
    command = [sys.executable, "-m", "tests.conformance.python_client"]
