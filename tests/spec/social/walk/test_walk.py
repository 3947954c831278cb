"""Players and an admin in random order, compared with a model of social#friends,
notifications#notifications and moderation#moderation."""

from tests.spec.social.walk.steps import LogSteps, OrderSteps

STEPS = 240


class WalkTests(LogSteps, OrderSteps):
    """Requests to both workers in turn, and a socket of each user on each."""

    async def test_walk(self) -> None:
        """Each answer, list and notification is what the page says, whoever did what before."""
        await self.walk(1, STEPS)

    async def test_other_walk(self) -> None:
        """So it is in another order."""
        await self.walk(2, STEPS)
