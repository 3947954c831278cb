"""The check of what a webhook is sent: clients/conformance.json has the cases of all clients."""

import json
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import NotSigned, verify_webhook
from contentsvc.framework.webhooks.signature import sign

CASES = json.loads((Path(__file__).parent.parent.parent / "clients/conformance.json").read_text())


class VerifyTests(SynchronousTestCase):
    def test_cases(self) -> None:
        """Each case is taken, or refused, as it says."""
        self.assertGreater(len(CASES["webhooks"]), 10)
        for case in CASES["webhooks"]:
            given = case["secrets"], case["headers"], case["body"].encode()
            try:
                found = verify_webhook(*given, now=case["now"])
            except NotSigned:
                found = None
            self.assertEqual(found, case["id"], case["rule"])

    def test_no_secret(self) -> None:
        """What is no secret is a mistake of the program."""
        headers = CASES["webhooks"][0]["headers"]
        with self.assertRaises(ValueError):
            verify_webhook("whsec_not base64", headers, b"")

    def test_one_secret(self) -> None:
        """A secret may stand alone; header names have any case; the time is that of now."""
        case = CASES["webhooks"][0]
        headers = {name.title(): value for name, value in case["headers"].items()}
        body = case["body"].encode()
        id = verify_webhook(case["secrets"][0], headers, body, now=case["now"])
        self.assertEqual(id, case["id"])
        with self.assertRaises(NotSigned):
            verify_webhook(case["secrets"][0], headers, body)

    def test_sign(self) -> None:
        """A request has a signature with each secret."""
        secrets = CASES["webhooks"][0]["secrets"]
        one = sign(secrets, "a.7", 1_614_265_330, b"{}")
        self.assertEqual(sign(secrets * 2, "a.7", 1_614_265_330, b"{}"), f"{one} {one}")
