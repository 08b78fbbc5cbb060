"""The table's three services on the Python SDK. MODE is `bidi` or `request-response`; prints the port it took."""

import asyncio
import os
import socket
from collections import Counter as Tally
from datetime import timedelta

import hypercorn.asyncio
import hypercorn.config
import restate

greeter = restate.Service("Greeter")
counter = restate.VirtualObject("Counter")
signup = restate.Workflow("Signup")

executions: Tally[str] = Tally()
drawn: dict[str, list[str]] = {}
awakeables: dict[str, str] = {}


def count_execution(ctx: restate.Context) -> int:
    """How often code ran outside the journal for this invocation, this time included."""
    executions[ctx.request().id] += 1
    return executions[ctx.request().id]


def quickly(attempts: int) -> restate.RunOptions[int]:
    return restate.RunOptions(
        max_attempts=attempts,
        initial_retry_interval=timedelta(milliseconds=20),
        retry_interval_factor=1.0,
        type_hint=int,
    )


@greeter.handler()
async def greet(_ctx: restate.Context, name: str) -> str:
    return f"Hello, {name}!"


@greeter.handler()
async def steps(ctx: restate.Context, count: int) -> list[int]:
    return [await ctx.run_typed(f"step {n}", count_execution, restate.RunOptions(type_hint=int), ctx) for n in range(count)]


@greeter.handler()
async def flaky(ctx: restate.Context, failures: int) -> int:
    def action() -> int:
        execution = count_execution(ctx)
        if execution <= failures:
            raise RuntimeError(f"execution {execution} fails on purpose")
        return execution

    return await ctx.run_typed("flaky", action, quickly(failures + 5))


@greeter.handler()
async def surrender(ctx: restate.Context, attempts: int) -> str:
    def action() -> int:
        raise RuntimeError(f"execution {count_execution(ctx)} fails on purpose")

    try:
        await ctx.run_typed("surrender", action, quickly(attempts))
    except restate.TerminalError:
        return f"given up after {executions[ctx.request().id]}"
    return "not reached"


@greeter.handler()
async def stumble(ctx: restate.Context, failures: int) -> int:
    attempt = count_execution(ctx)
    if attempt <= failures:
        raise RuntimeError(f"attempt {attempt} fails on purpose")
    return attempt


@greeter.handler()
async def fail(_ctx: restate.Context, why: str) -> str:
    raise restate.TerminalError(why, status_code=418)


@greeter.handler()
async def nap(ctx: restate.Context, ms: int) -> int:
    await ctx.sleep(timedelta(milliseconds=ms))
    return ms


@greeter.handler()
async def draw(ctx: restate.Context) -> list[str]:
    seen = drawn.setdefault(ctx.request().id, [])
    seen.append(str(ctx.uuid()))
    await ctx.sleep(timedelta(milliseconds=1))
    return [*seen, str(ctx.uuid())]


@greeter.handler()
async def relay(ctx: restate.Context, name: str) -> str:
    return await ctx.service_call(greet, arg=name)


@greeter.handler()
async def gather(ctx: restate.Context, names: list[str]) -> list[str]:
    calls = [ctx.service_call(greet, arg=name) for name in names]
    await restate.gather(*calls)
    return [await call for call in calls]


@greeter.handler()
async def dispatch(ctx: restate.Context, name: str) -> str:
    return await ctx.service_send(greet, arg=name, send_delay=timedelta(milliseconds=50)).invocation_id()


@greeter.handler()
async def attach(ctx: restate.Context, invocation_id: str) -> str:
    return await ctx.attach_invocation(invocation_id, type_hint=str)


@greeter.handler()
async def cancel(ctx: restate.Context, invocation_id: str) -> None:
    ctx.cancel_invocation(invocation_id)


@greeter.handler()
async def listen(ctx: restate.Context, token: str) -> str:
    awakeable_id, heard = ctx.awakeable(type_hint=str)
    await ctx.run_typed("publish", lambda: awakeables.update({token: awakeable_id}))
    return await heard


@greeter.handler()
async def lookup(_ctx: restate.Context, token: str) -> str:
    return awakeables.get(token, "")


@greeter.handler()
async def wake(ctx: restate.Context, awakeable_id: str) -> None:
    ctx.resolve_awakeable(awakeable_id, "from inside")


@greeter.handler()
async def impatient(ctx: restate.Context, ms: int) -> str:
    _, never = ctx.awakeable(type_hint=str)
    match await restate.select(never=never, late=ctx.sleep(timedelta(milliseconds=ms))):
        case ["late", _]:
            return "timed out"
    return "not reached"


@greeter.handler()
async def tally(ctx: restate.Context, key: str) -> int:
    return await ctx.object_call(add, key=key, arg=1)


@counter.handler()
async def add(ctx: restate.ObjectContext, by: int) -> int:
    n = (await ctx.get("n", type_hint=int) or 0) + by
    ctx.set("n", n)
    return n


@counter.handler()
async def linger(ctx: restate.ObjectContext, ms: int) -> int:
    n = (await ctx.get("n", type_hint=int) or 0) + 1
    await ctx.sleep(timedelta(milliseconds=ms))
    ctx.set("n", n)
    return n


@counter.handler()
async def mark(ctx: restate.ObjectContext, name: str) -> None:
    ctx.set(name, name)


@counter.handler()
async def clear(ctx: restate.ObjectContext) -> None:
    ctx.clear("n")


@counter.handler()
async def wipe(ctx: restate.ObjectContext) -> None:
    ctx.clear_all()


@counter.handler(kind="shared")
async def get(ctx: restate.ObjectSharedContext) -> int:
    return await ctx.get("n", type_hint=int) or 0


@counter.handler(kind="shared")
async def names(ctx: restate.ObjectSharedContext) -> list[str]:
    return sorted(await ctx.state_keys())


@signup.main()
async def run(ctx: restate.WorkflowContext, email: str) -> str:
    sent = await ctx.run_typed("send mail", count_execution, restate.RunOptions(type_hint=int), ctx)
    ctx.set("status", "waiting")
    secret = await ctx.promise("clicked", type_hint=str).value()
    ctx.set("status", "done")
    return f"{email} verified by {secret} after {sent} mail"


@signup.handler()
async def click(ctx: restate.WorkflowSharedContext, secret: str) -> None:
    await ctx.promise("clicked", type_hint=str).resolve(secret)


@signup.handler()
async def decline(ctx: restate.WorkflowSharedContext, why: str) -> None:
    await ctx.promise("clicked", type_hint=str).reject(why)


@signup.handler()
async def peek(ctx: restate.WorkflowSharedContext) -> str:
    return await ctx.promise("clicked", type_hint=str).peek() or ""


@signup.handler()
async def status(ctx: restate.WorkflowSharedContext) -> str:
    return await ctx.get("status", type_hint=str) or ""


async def main() -> None:
    protocol = "request_response" if os.environ.get("MODE") == "request-response" else "bidi"
    listener = socket.create_server(("127.0.0.1", 0))
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listener.fileno()}"]
    print(f"listening on {listener.getsockname()[1]}", flush=True)
    app = restate.app([greeter, counter, signup], protocol=protocol)
    await hypercorn.asyncio.serve(app, config, shutdown_trigger=asyncio.Event().wait)


if __name__ == "__main__":
    asyncio.run(main())
