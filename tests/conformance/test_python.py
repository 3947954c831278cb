"""The Python client does what clients/conformance.json says."""

import sys

from tests.conformance.cases import ConformanceCase, with_cases
from tests.conformance.script import cases


class PythonTests(ConformanceCase):
    command = [sys.executable, "-m", "tests.conformance.python_client"]


with_cases(PythonTests, cases())
