"""What a device is called by its User-Agent (accounts#sessions)."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.accounts.devices import device_of

KHTML = "(KHTML, like Gecko)"
BROWSERS = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0": (
        "Firefox, Windows"
    ),
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0": "Firefox, Linux",
    "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0": "Firefox, Android",
    f"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 {KHTML} Chrome/126.0.0.0 Mobile "
    "Safari/537.36": "Chrome, Android",
    f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 {KHTML} Chrome/126.0.0.0 "
    "Safari/537.36": "Chrome, ChromeOS",
    f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 {KHTML} Version/17.5 "
    "Safari/605.1.15": "Safari, macOS",
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 {KHTML} "
    "Version/17.5 Mobile/15E148 Safari/604.1": "Safari, iOS",
    f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 {KHTML} "
    "CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1": "Chrome, iOS",
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 {KHTML} Chrome/126.0.0.0 "
    "Safari/537.36 Edg/126.0.0.0": "Edge, Windows",
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 {KHTML} Chrome/124.0.0.0 "
    "Safari/537.36 OPR/110.0.0.0": "Opera, Windows",
    f"Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 {KHTML} SamsungBrowser/25.0 "
    "Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet, Android",
    "Mozilla/5.0 (PlayStation 5) Gecko/20100101 Firefox/128.0": "Firefox",
}
PROGRAMS = {
    "MyGame/1.2": "MyGame/1.2",
    "MyGame/1.2 (Windows NT 10.0; Firefox/128.0) Engine/5": "MyGame/1.2",
    "UnityPlayer/2022.3.10f1 (UnityWebRequest/1.0, libcurl/8.1.1-DEV)": "UnityPlayer/2022.3.10f1",
    "MyGame": "MyGame",
    "My Game/1.2": "My",
    "  curl/8.9.1 ": "curl/8.9.1",
    "Mozilla/5.0 (compatible; Somebot/2.1)": "Mozilla/5.0",
    f"{'G' * 80}/1": "G" * 64,
    f"MyGame/{'1' * 10_000}": f"MyGame/{'1' * 57}",
}
NOTHING = (
    *(None, "", " ", "/", "/1.2", "(MyGame/1.2)", '"MyGame"', "<b>x</b>", "[1]"),
    # As a header's bytes come: Latin-1.
    *(
        "Spi\u00ebl/1",
        "\u202eemaGyM/1".encode().decode("latin-1"),
        "My\x00Game/1",
        "\x1b[31mMyGame",
    ),
    *("MyGame\x7f", "MyGame/1\u009b", "My\x85Game"),
)


class DeviceTests(SynchronousTestCase):
    def test_browsers(self) -> None:
        """A browser is called by its name and that of its system, without their versions."""
        self.assertEqual({each: device_of(each) for each in BROWSERS}, BROWSERS)

    def test_programs(self) -> None:
        """Another program is called by its first product, in at most 64 characters."""
        self.assertEqual({each: device_of(each) for each in PROGRAMS}, PROGRAMS)

    def test_nothing(self) -> None:
        """What does not begin with the name of a product, all of ASCII, is called nothing."""
        self.assertEqual({each: device_of(each) for each in NOTHING}, dict.fromkeys(NOTHING))

    def test_hostile_browser(self) -> None:
        """Nothing of what a browser says is repeated."""
        said = "Mozilla/5.0 (Windows \u202e\x00 secret) Firefox/\x1b[31m9 " + "x" * 10_000
        self.assertEqual(device_of(said), "Firefox, Windows")
