package deployment;

import dev.restate.sdk.Awakeable;
import dev.restate.sdk.CallDurableFuture;
import dev.restate.sdk.Context;
import dev.restate.sdk.DurableFuture;
import dev.restate.sdk.RestateRandom;
import dev.restate.sdk.Select;
import dev.restate.sdk.annotation.Handler;
import dev.restate.sdk.annotation.Service;
import dev.restate.sdk.common.RetryPolicy;
import dev.restate.sdk.common.TerminalException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Handlers without a key, one for each thing that a handler can ask of the control plane. */
@Service
public class Greeter {
  private static String idOf(Context ctx) {
    return ctx.request().invocationId().toString();
  }

  private static RetryPolicy quickly(int attempts) {
    return RetryPolicy.exponential(Duration.ofMillis(20), 1f).setMaxAttempts(attempts);
  }

  @Handler
  public String greet(Context ctx, String name) {
    return "Hello, " + name + "!";
  }

  @Handler
  public List<Integer> steps(Context ctx, int count) {
    List<Integer> results = new ArrayList<>();
    String id = idOf(ctx);
    for (int n = 0; n < count; n++) {
      results.add(ctx.run("step " + n, Integer.class, () -> Memory.countExecution(id)));
    }
    return results;
  }

  @Handler
  public int flaky(Context ctx, int failures) {
    String id = idOf(ctx);
    return ctx.run(
        "flaky",
        Integer.class,
        quickly(failures + 5),
        () -> {
          int execution = Memory.countExecution(id);
          if (execution <= failures) throw new IllegalStateException("execution " + execution + " fails on purpose");
          return execution;
        });
  }

  @Handler
  public String surrender(Context ctx, int attempts) {
    String id = idOf(ctx);
    try {
      ctx.run(
          "surrender",
          quickly(attempts),
          () -> {
            throw new IllegalStateException("execution " + Memory.countExecution(id) + " fails on purpose");
          });
    } catch (TerminalException givenUp) {
      return "given up after " + Memory.executionsOf(id);
    }
    return "not reached";
  }

  @Handler
  public int stumble(Context ctx, int failures) {
    int attempt = Memory.countExecution(idOf(ctx));
    if (attempt <= failures) throw new IllegalStateException("attempt " + attempt + " fails on purpose");
    return attempt;
  }

  @Handler
  public String fail(Context ctx, String why) {
    throw new TerminalException(418, why);
  }

  @Handler
  public int nap(Context ctx, int ms) {
    ctx.sleep(Duration.ofMillis(ms));
    return ms;
  }

  @Handler
  public List<String> draw(Context ctx) {
    List<String> drawn = Memory.drawnBy(idOf(ctx));
    // Each call of ctx.random() begins the same sequence again.
    RestateRandom random = ctx.random();
    drawn.add(random.nextUUID().toString());
    ctx.sleep(Duration.ofMillis(1));
    List<String> all = new ArrayList<>(drawn);
    all.add(random.nextUUID().toString());
    return all;
  }

  @Handler
  public String relay(Context ctx, String name) {
    return GreeterClient.fromContext(ctx).greet(name).await();
  }

  @Handler
  public List<String> gather(Context ctx, List<String> names) {
    List<CallDurableFuture<String>> calls = new ArrayList<>();
    for (String name : names) calls.add(GreeterClient.fromContext(ctx).greet(name));
    DurableFuture.all(new ArrayList<>(calls)).await();
    return calls.stream().map(DurableFuture::await).toList();
  }

  @Handler
  public String dispatch(Context ctx, String name) {
    return GreeterClient.fromContext(ctx).send().greet(name, Duration.ofMillis(50)).invocationId();
  }

  @Handler
  public String attach(Context ctx, String invocationId) {
    return ctx.invocationHandle(invocationId, String.class).attach().await();
  }

  @Handler
  public void cancel(Context ctx, String invocationId) {
    ctx.invocationHandle(invocationId).cancel();
  }

  @Handler
  public String listen(Context ctx, String token) {
    Awakeable<String> heard = ctx.awakeable(String.class);
    ctx.run("publish", () -> Memory.AWAKEABLES.put(token, heard.id()));
    return heard.await();
  }

  @Handler
  public String lookup(Context ctx, String token) {
    return Memory.AWAKEABLES.getOrDefault(token, "");
  }

  @Handler
  public void wake(Context ctx, String awakeableId) {
    ctx.awakeableHandle(awakeableId).resolve(String.class, "from inside");
  }

  @Handler
  public String impatient(Context ctx, int ms) {
    return Select.<String>select()
        .or(ctx.awakeable(String.class))
        .when(ctx.timer(Duration.ofMillis(ms)), nothing -> "timed out")
        .await();
  }

  @Handler
  public int tally(Context ctx, String key) {
    return CounterClient.fromContext(ctx, key).add(1).await();
  }
}
