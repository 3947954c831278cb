"""Names and addresses as somebody types them."""

import msgspec

from contentsvc.framework.http import decode
from contentsvc.wire.accounts import (
    EmailChange,
    EmailChangeBySubject,
    PasswordResetRequest,
    Registration,
)
from contentsvc.wire.moderation import UserLookup
from contentsvc.wire.oauth import TokenForm
from tests.framework.http.support import WebCase

BLANKS = (" ", "\t", "\u00a0", "\u2009", "\u200b", "\u3000", "\ufeff", " \u00a0 ")
"""What keyboards, cells and pages put beside a word."""


class TypedTests(WebCase):
    def test_members(self) -> None:
        """Names and addresses are typed, wherever they are taken; passwords and tokens are not."""
        expected = {
            Registration: ("username", "email"),
            TokenForm: ("username",),
            PasswordResetRequest: ("email",),
            EmailChange: ("email",),
            EmailChangeBySubject: ("email",),
            UserLookup: ("email", "name"),
        }
        self.assertEqual({type: decode.typed_members(type) for type in expected}, expected)

    def test_body(self) -> None:
        """Blanks at the ends of a name and of an address in JSON are left out; those of a password
        are a part of it."""
        decoder = msgspec.json.Decoder(Registration)
        for blank in BLANKS:
            body = {
                "username": f"{blank}mira{blank}",
                "email": f"{blank}mira@example.com{blank}",
                "password": "  open sesame ",
            }
            found = decode.json_body(msgspec.json.encode(body), None, decoder)
            self.assertEqual(
                (found.username, found.email, found.password),
                ("mira", "mira@example.com", "  open sesame "),
            )

    def test_form_and_query(self) -> None:
        """So are those of a form and of a query."""
        media = "application/x-www-form-urlencoded"
        form = b"grant_type=password&username=%C2%A0mira+&password=+open+sesame+"
        found = decode.form_body(form, media, TokenForm)
        self.assertEqual((found.username, found.password), ("mira", " open sesame "))
        looked = decode.query_string(b"email=+mira@example.com%E2%80%8B&name=%09mira", UserLookup)
        self.assertEqual((looked.email, looked.name), ("mira@example.com", "mira"))

    def test_others(self) -> None:
        """Unknown members may still have anything, and what is not JSON is said of the text that
        came."""
        decoder = msgspec.json.Decoder(PasswordResetRequest)
        odd = b'{"email": " mira@example.com ", "odd": [1e999, {"a": null}], "email2": 7}'
        self.assertEqual(decode.json_body(odd, None, decoder).email, "mira@example.com")
        for raw in (b'{"email": " a@b" x', b"7", b'{"email": 7}', b'{"email": " "}', b"[" * 99_999):
            with self.assertRaises(decode.Problem) as caught:
                decode.json_body(raw, None, decoder)
            self.assertEqual(caught.exception.status, 400)

    def test_inside(self) -> None:
        """A blank within stays, and is refused; so is a line break at an end."""
        decoder = msgspec.json.Decoder(PasswordResetRequest)
        for email in ("mi ra@example.com", "mira@example.com\n", "mira @example.com"):
            with self.assertRaises(decode.Problem):
                decode.json_body(msgspec.json.encode({"email": email}), None, decoder)
