package deployment;

import dev.restate.sdk.ObjectContext;
import dev.restate.sdk.SharedObjectContext;
import dev.restate.sdk.annotation.Handler;
import dev.restate.sdk.annotation.Shared;
import dev.restate.sdk.annotation.VirtualObject;
import dev.restate.sdk.common.StateKey;
import java.time.Duration;
import java.util.List;

/** State under a key, and handlers that run one at a time on it. */
@VirtualObject
public class Counter {
  private static final StateKey<Integer> N = StateKey.of("n", Integer.class);

  @Handler
  public int add(ObjectContext ctx, int by) {
    int n = ctx.get(N).orElse(0) + by;
    ctx.set(N, n);
    return n;
  }

  @Handler
  public int linger(ObjectContext ctx, int ms) {
    int n = ctx.get(N).orElse(0) + 1;
    ctx.sleep(Duration.ofMillis(ms));
    ctx.set(N, n);
    return n;
  }

  @Handler
  public void mark(ObjectContext ctx, String name) {
    ctx.set(StateKey.of(name, String.class), name);
  }

  @Handler
  public void clear(ObjectContext ctx) {
    ctx.clear(N);
  }

  @Handler
  public void wipe(ObjectContext ctx) {
    ctx.clearAll();
  }

  @Shared
  public int get(SharedObjectContext ctx) {
    return ctx.get(N).orElse(0);
  }

  @Shared
  public List<String> names(SharedObjectContext ctx) {
    return ctx.stateKeys().stream().sorted().toList();
  }
}
