"""The greeter greets, and reminds after its sleep. The context is a stand-in that does at once what a handler asks for."""

import asyncio
import unittest
from datetime import timedelta

import services


class Context:
    """Notes the recorded steps and the sleeps, in their order."""

    def __init__(self):
        self.asked = []

    async def run_typed(self, name, action):
        self.asked.append(name)
        return action()

    async def sleep(self, time):
        self.asked.append(time)


class GreeterTest(unittest.TestCase):
    def test_greets_with_a_greeting_that_it_records(self):
        context = Context()
        answer = asyncio.run(services.greet(context, "Ada"))
        self.assertIn(answer, [f"{greeting}, Ada!" for greeting in services.GREETINGS])
        self.assertEqual(context.asked, ["pick a greeting"])

    def test_reminds_after_the_sleep(self):
        context = Context()
        reminder = {"name": "Ada", "about": "the tea", "seconds": 60}
        answer = asyncio.run(services.remind(context, reminder))
        self.assertEqual(answer, "Ada is reminded of the tea")
        self.assertEqual(context.asked, [timedelta(minutes=1), "remind"])
