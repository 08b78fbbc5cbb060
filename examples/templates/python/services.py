"""A service that greets and remembers to remind, and the application that serves it."""

import random
from datetime import timedelta
from typing import TypedDict

import restate

GREETINGS = ["Hello", "Welcome", "Good to see you"]


class Reminder(TypedDict):
    name: str
    about: str
    seconds: float


greeter = restate.Service("greeter")


@greeter.handler()
async def greet(ctx: restate.Context, name: str) -> str:
    """`ctx.run_typed` records the choice, so that a replay after a crash finds the same greeting."""
    greeting = await ctx.run_typed("pick a greeting", lambda: random.choice(GREETINGS))
    return f"{greeting}, {name}!"


@greeter.handler()
async def remind(ctx: restate.Context, reminder: Reminder) -> str:
    """The sleep holds no process. Stop everything, start it again: the reminder still comes, and on time."""
    name, about = reminder["name"], reminder["about"]
    await ctx.sleep(timedelta(seconds=reminder["seconds"]))
    await ctx.run_typed("remind", lambda: print(f"{name}, remember {about}!", flush=True))
    return f"{name} is reminded of {about}"


app = restate.app([greeter])
