"""The people and things of `contentsvc demo`.

All ids except those that the database gives are made from names. So a second run recognises the
world.
"""

from typing import NamedTuple
from uuid import UUID, uuid5

from contentsvc.roles import ADMIN, CURATOR, MODERATOR, PLAYER
from contentsvc.wire.challenges import Judging
from contentsvc.wire.content import ContentType, Platform, Visibility
from contentsvc.wire.library import GuestRole
from contentsvc.wire.moderation import Kind


def id_of(name: str) -> str:
    """The GUID of the demo's thing with this name."""
    return str(uuid5(UUID("f6f4ad6c-6b0a-4d0f-9f0e-6d0f3f0b7c11"), name))


class Person(NamedTuple):
    """A user. `full` is the private profile, if it differs from the public one."""

    name: str
    public: str | None
    full: str | None = None
    role: str = PLAYER


class Change(NamedTuple):
    """A later revision of an item: its version, its change notes, and which core entities of other
    items it uses."""

    version: str
    notes: str
    uses: list[str]


class Item(NamedTuple):
    """A content. `brings` are entities published with it. `uses` are core entities of other
    items."""

    name: str
    author: str
    type: str
    title: str
    description: str
    tags: list[str]
    brings: list[str] = []
    uses: list[str] = []
    package: str | None = None
    packages: list[str] = []
    changes: list[Change] = []
    visibility: Visibility = "public"
    attributes: dict[str, str | bool | float] = {}


class Needs(NamedTuple):
    """What a revision requires: versions of the game, platforms and features."""

    low: str | None = None
    high: str | None = None
    platforms: list[Platform] | None = None
    features: list[str] | None = None


class Guest(NamedTuple):
    """A tester or a member of an item. Members are invited, and some have accepted."""

    item: str
    name: str
    role: GuestRole
    accepted: bool = False


class Shelf(NamedTuple):
    """A collection of items, in its order."""

    owner: str
    name: str
    description: str
    public: bool
    items: list[str]


class Remark(NamedTuple):
    """A comment and its replies. Each is an author and a text."""

    item: str
    author: str
    text: str
    replies: list[tuple[str, str]] = []


class Complaint(NamedTuple):
    """A report of a person, with all messages that they have sent to the reporter; of an item; or,
    with kind `comment` and the item it is on, of RUDE."""

    reporter: str
    kind: Kind
    subject: str
    reason: str
    text: str = ""


class Contest(NamedTuple):
    """A design challenge. It opens and closes so many days from now. `entries` are items; without
    `winners` nobody has closed it."""

    name: str
    theme: str
    emblem: str
    color: str
    opens: int
    closes: int
    judging: Judging = "admins"
    types: list[ContentType] | None = None
    entries: list[str] = []
    winners: list[str] | None = None


PEOPLE = [
    Person("mira", "I build towers, and then I make them fall.", "Mira. Wakes up before noon."),
    Person("tomas", "Marble, brass and bad puns."),
    Person("juno", "Mostly here for the avatars."),
    Person("kestrel", None, "Trying things out."),
    Person("yuki", "Balloons, kites, anything that needs wind."),
    Person("pax", "Harbours, and the weather above them."),
    Person("bram", "Robots have feelings. Mine has two."),
    Person("odile", "I read what you report.", role=MODERATOR),
    Person("ivo", "I think up the challenges.", role=CURATOR),
    Person("warden", "I have the keys.", role=ADMIN),
]
ITEMS = [
    Item("pines", "mira", "asset", "Lowland Pines", "Twelve pines that sway in the wind.",
         ["nature", "trees"], ["bark", "needles"], package="foliage"),
    Item("marble", "tomas", "asset", "Marble Set", "Slabs, columns and one very round ball.",
         ["stone"], ["veins"]),
    Item("gears", "tomas", "asset", "Brass Gears", "Nine gears, none of them round.",
         ["machines"]),
    Item("tower", "mira", "game", "Tilting Tower", "Stack it as high as it goes. It will go.",
         ["physics", "co-op"], ["crane", "scoreboard"], ["pines", "marble"],
         packages=["foliage"],
         changes=[
             Change("1.1", "The gust is weaker.", ["pines", "marble"]),
             Change("2.0", "Cranes have gears, and twenty more floors.",
                    ["pines", "marble", "gears"]),
         ], attributes={"mode": "co-op", "players": 4, "floors": 39, "vr": False}),
    Item("market", "tomas", "scene_box", "Night Market", "Forty stalls, lanterns and rain.",
         ["city", "night"], ["lantern"], ["marble"],
         changes=[Change("1.1", "Snow instead of rain.", ["marble"])],
         attributes={"weather": "rain", "stalls": 40}),
    Item("duel", "kestrel", "gameplay_box", "Clockwork Duel", "Two players, one spring.",
         ["versus"], ["spring"], ["gears"], attributes={"mode": "versus", "players": 2}),
    Item("fox", "juno", "avatar_box", "Paper Fox", "Folds up when you sit down.", ["animals"]),
    Item("desert", "bram", "asset", "Desert Set",
         "Nine cacti and a horizon that stays where it is.", ["nature", "sand"], ["dune"]),
    Item("balloons", "yuki", "game", "Balloon Derby",
         "You steer up and down. The wind does the rest.", ["race", "co-op"],
         ["basket", "wind"], ["pines", "desert"],
         changes=[Change("1.1", "The wind keeps left.", ["pines", "desert"])],
         attributes={"mode": "race", "players": 8, "vr": True}),
    Item("harbour", "pax", "scene_box", "Paper Harbour", "It floats until it rains.",
         ["water", "night"], ["pier"], ["marble"], attributes={"weather": "fog"}),
    Item("robot", "bram", "avatar_box", "Rusty Robot", "Beeps when it agrees with you.",
         ["machines"]),
    Item("coins", "kestrel", "game", "Free Coins Here", "Just enter your password.", []),
    Item("lighthouse", "mira", "scene_box", "Leaning Lighthouse",
         "Not finished: the light goes round, and so does the house.", ["water", "night"], ["lamp"],
         ["marble"], visibility="private", attributes={"weather": "fog"}),
]  # fmt: skip
ROLLED_BACK = "market"
"""Its first revision is the current one again."""
WITHDRAWN = "gears"
"""Its author has withdrawn it, and what uses it goes on."""
LOCKED = "duel"
"""Its comments are locked."""
FEATURED = ["tower", "harbour"]
SUSPENDED = "coins"
REASON = "It asks players for their passwords."
FOLLOWS = [("juno", "mira"), ("juno", "tomas"), ("kestrel", "mira"), ("tomas", "mira"),
           ("mira", "tomas"), ("ivo", "juno"), ("yuki", "mira"), ("pax", "mira"), ("bram", "juno"),
           ("mira", "yuki"), ("juno", "yuki"), ("yuki", "pax"), ("pax", "tomas")]  # fmt: skip
VOTES = {"tower": ("juno tomas kestrel ivo yuki pax bram", ""),
         "market": ("mira juno pax", "kestrel"), "fox": ("mira ivo bram yuki", ""),
         "duel": ("juno", "tomas mira"), "pines": ("tomas yuki", ""), "marble": ("pax mira", ""),
         "balloons": ("mira juno tomas bram pax", "kestrel"), "harbour": ("yuki mira juno", ""),
         "robot": ("juno yuki", ""), "desert": ("yuki", "")}  # fmt: skip
REMARKS = [
    Remark("tower", "tomas", "Nineteen floors, then a gust.", [
        ("mira", "The gust is a feature."), ("tomas", "So is my lawyer.")]),
    Remark("tower", "juno", "More cranes, please."),
    Remark("market", "mira", "The rain on the lanterns is lovely.", [
        ("tomas", "It took a week. Thank you.")]),
    Remark("fox", "ivo", "Featured next week, I think."),
    Remark("fox", "bram", "It folded when my robot sat down. They are friends now."),
    Remark("balloons", "mira", "I came last, and have seen the most.", [
        ("yuki", "That is how it is scored from 1.2 on."), ("juno", "Then I have won twice.")]),
    Remark("balloons", "tomas", "The wind keeps left. So do I."),
    Remark("harbour", "yuki", "The flags know where the wind comes from. I checked.", [
        ("pax", "They ask your balloons.")]),
    Remark("robot", "juno", "It beeped at me. What did I say?", [
        ("bram", "Something that was right.")]),
]  # fmt: skip
DELETED = Remark("duel", "juno", "First.")
ADVERT = Remark("fox", "kestrel", "Coins for everybody, on my page.")
"""The moderator deletes it."""
ADVERT_REASON = "No advertising, please."
RUDE = Remark("tower", "kestrel", "Only losers stack things.")
FRIENDS = [("tomas", "mira"), ("mira", "juno"), ("kestrel", "tomas"), ("yuki", "mira"),
           ("pax", "yuki"), ("bram", "juno")]  # fmt: skip
REQUESTS = [("kestrel", "mira"), ("tomas", "juno"), ("bram", "mira")]
MESSAGES = [
    ("tomas", "mira", "May I use your crane in the market?"),
    ("mira", "tomas", "Bring it back in one piece."),
    ("tomas", "mira", "In how many pieces is it now?"),
    ("mira", "tomas", "Four. One of them is a wheel, and I had built no wheel."),
    ("tomas", "mira", "Then it was a gift."),
    ("juno", "mira", "The fox wants to live in your pines."),
    ("mira", "juno", "It may have the third one from the left."),
    ("juno", "mira", "It has moved in. It says that the needles are too sharp to fold."),
    ("mira", "yuki", "Can your wind push a tower over?"),
    ("yuki", "mira", "Only one that wants to fall."),
    ("mira", "yuki", "They all want to. That is the game."),
    ("yuki", "mira", "A race on Saturday, then: my balloons around your tower."),
    ("pax", "yuki", "I need a breeze for forty flags."),
    ("yuki", "pax", "From the left, as always."),
    ("bram", "juno", "Do foxes rust?"),
    ("kestrel", "tomas", "Free coins! Just tell me your password."),
]
BLOCKS = [("juno", "kestrel")]
MUTED = [("mira", ["NewFollower"])]
COMPLAINTS = [
    Complaint("mira", "content", "coins", "spam"),
    Complaint("juno", "content", "coins", "other", "My little brother has lost his account."),
    Complaint("kestrel", "content", "market", "copyright", "I had the idea first."),
    Complaint("juno", "comment", "tower", "abuse"),
    Complaint("tomas", "comment", "tower", "abuse", "He says this to everybody."),
    Complaint("tomas", "user", "kestrel", "spam", "He wants my password."),
    Complaint("pax", "content", "duel", "copyright", "The spring is out of my old game."),
    Complaint("bram", "content", "duel", "other", "It ends when the second player blinks."),
    Complaint("yuki", "content", "duel", "copyright"),
]
VERDICTS = [("coins", "upheld", "The third of its kind."),
            ("market", "dismissed", "Nobody owns markets.")]  # fmt: skip
"""About items. The other complaints are open."""
WARNING = ("kestrel", "Do not ask others for their passwords.")
CHALLENGES = [
    Contest("First steps", "beginnings", "sprout", "#6aa84f", -30, -7,
            entries=["duel", "fox", "market", "robot"], winners=["fox"]),
    Contest("Build it tall", "towers", "gold", "#d4a017", -3, 4, "votes", ["game", "scene_box"],
            entries=["market", "tower", "balloons", "harbour"]),
    Contest("One colour only", "colour", "prism", "#5b8def", -15, -1,
            entries=["marble", "fox", "desert"]),
    Contest("Winter lights", "winter", "frost", "#9fd3e8", 7, 21),
]  # fmt: skip
NEEDS = {
    ("tower", 1): Needs(high="1.1"),
    ("tower", 2): Needs(low="1.0", high="1.3"),
    ("tower", 3): Needs(low="1.4"),
    ("balloons", 2): Needs(low="1.2", platforms=["linux64", "win64"]),
    ("robot", 1): Needs(features=["avatars"]),
}
"""What revisions require, by item and number."""
GUESTS = [Guest("lighthouse", "tomas", "tester"), Guest("lighthouse", "juno", "editor"),
          Guest("balloons", "mira", "editor"), Guest("harbour", "yuki", "editor", True),
          Guest("tower", "pax", "tester")]  # fmt: skip
"""Whom authors have let in."""
KEPT = {"mira": "gears market fox balloons harbour duel", "tomas": "tower balloons pines",
        "juno": "tower market balloons robot lighthouse", "kestrel": "tower fox",
        "yuki": "tower harbour market", "pax": "balloons marble tower",
        "bram": "fox tower balloons", "ivo": "fox tower", "odile": "market"}  # fmt: skip
"""What each subscribes to, in this order."""
PINNED = [("mira", "market", 2), ("bram", "tower", 2)]
"""Revisions, by their numbers, with which some stay."""
LIKED = {"mira": "harbour balloons market", "tomas": "tower fox", "juno": "tower robot",
         "yuki": "harbour tower", "pax": "balloons", "bram": "fox tower", "ivo": "fox"}  # fmt: skip
"""The favourites of each, the newest first."""
SHELVES = [
    Shelf("mira", "Things that fall", "Sooner or later.", True,
          ["tower", "balloons", "duel", "marble"]),
    Shelf("mira", "For the lighthouse", "Parts that I may need.", False, ["marble", "harbour"]),
    Shelf("juno", "Paper only", "Nothing that would not burn.", True, ["fox", "harbour"]),
    Shelf("yuki", "Needs wind", "", True, ["balloons", "harbour", "desert"]),
]  # fmt: skip
PLAYED = {"tower": 9, "balloons": 7, "market": 4, "duel": 4, "harbour": 3, "fox": 2, "robot": 2,
          "desert": 1}  # fmt: skip
"""How often each is played on a good day, in the last MONTH."""
MONTH = 30
"""Days."""
HOST = "ivo"
"""The curator. The challenges are theirs."""
KEEPER = "odile"
"""The moderator, who decides about reports."""
PROUD = "juno"
"""They wear the last emblem that they have earned."""


SERVICE = "demo-server"
"""The service account: a game server."""
SCOPES = ["events", "notify", "progress"]
"""What it may do."""


def guide(base: str, media: str | None, secret: str, *, portal: bool) -> list[str]:
    """Which log-ins to try, and where the parts of the world can be seen, a line for each. `base`
    is where the daemon is, `media` the URL of a picture, None if the service has no files;
    `secret` is that of the service account; `portal` says whether it has pages."""
    places = [
        ("content?q=tow", "the search for words, and for the beginning of one"),
        (f"content/{id_of('tower')}/revisions", "three revisions, the last is the current one"),
        (f"content/{id_of(ROLLED_BACK)}/revisions", "two revisions, the first is current again"),
        (f"content/{id_of('pines')}/dependents", "the games that use these trees"),
        (f"content/{id_of(WITHDRAWN)}", "withdrawn: only tomas, its author, and odile see it"),
        (f"content/{id_of(SUSPENDED)}", "suspended: only kestrel, its author, and odile see it"),
        (f"content/{id_of(LOCKED)}", "its comments are locked"),
        ("moderation/reports", "for odile: a game, a comment and a player wait for a decision"),
        ("moderation/actions", "for odile: what she and ivo did"),
        ("moderation/staff", "for odile: who has a role"),
        ("design-challenges", "one is closed, one open, one judged, and one to come"),
        (f"content/{id_of('tower')}?game=1.2", "2.0 needs the game 1.4: 1.1 is what fits"),
        ("content?attr.mode=co-op", "the games for several that play together"),
        (f"collections/{id_of('Things that fall')}", "a collection of mira's"),
        (f"content/{id_of('lighthouse')}", "private: mira's, with a tester and an invitation"),
        ("user/search?q=juno", "juno has won a challenge, and wears its emblem"),
    ]
    if media is not None:
        files = "with a token: URLs of its files, which can be downloaded"
        places.insert(1, (f"content/{id_of('tower')}/files", files))
    lines = [line for path, what in places for line in (f"  GET /api/v1/{path}", f"    {what}")]
    if media is not None:
        lines += [f"  {media}", "    a screenshot; each content has three, and each user an avatar"]
    return [
        *_log_ins(base, portal),
        "Look at:",
        *lines,
        "  GET /api/v1/user/{id}/friends, …/friend-requests, …/blocked, …/messages",
        "    mira has three friends and two requests, juno blocks kestrel, tomas and mira write",
        "  GET /api/v1/user/{id}/notifications",
        "    mira, tomas, juno and kestrel were told of all this, once a daemon runs",
        *([] if media is not None else [EXTERNAL]),
        "For programs:",
        f"  {base}/docs: choose Authorize, and give a name and the password",
        f"  curl {base}/oauth/token -d grant_type=password -d username=mira -d password=…",
        "  contentsvc token mira, with the options of this command, prints an access token",
        f"  curl -u {id_of(SERVICE)}:{secret} {base}/oauth/token -d grant_type=client_credentials",
        f"    the service account {SERVICE}, with the scopes {', '.join(SCOPES)}",
        f"Users: {names()}",
    ]


def _log_ins(base: str, portal: bool) -> list[str]:
    places = {
        "mira": "a player, with friends, messages and content of her own",
        "odile": "a moderator: reports wait in the console",
        "ivo": "a curator: the challenges and what is featured, in the console",
        "warden": "an admin: all of the console, and who has which role",
    }
    where = f"Log in at {base}/log-in, with the password below, as one of these:"
    lines = [f"  {name:8} {what}" for name, what in places.items()]
    return [where, *lines] if portal else []


EXTERNAL = "The service has no files here: their paths are names with nothing behind them."


def names() -> str:
    """All people, and who has a role."""
    return ", ".join(p.name if p.role == PLAYER else f"{p.name} ({p.role})" for p in PEOPLE)
