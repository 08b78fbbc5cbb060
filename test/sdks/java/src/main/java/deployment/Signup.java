package deployment;

import dev.restate.sdk.SharedWorkflowContext;
import dev.restate.sdk.WorkflowContext;
import dev.restate.sdk.annotation.Shared;
import dev.restate.sdk.annotation.Workflow;
import dev.restate.sdk.common.DurablePromiseKey;
import dev.restate.sdk.common.StateKey;

/** A workflow that waits for a promise which its shared handlers keep or break. */
@Workflow
public class Signup {
  private static final DurablePromiseKey<String> CLICKED = DurablePromiseKey.of("clicked", String.class);
  private static final StateKey<String> STATUS = StateKey.of("status", String.class);

  @Workflow
  public String run(WorkflowContext ctx, String email) {
    String id = ctx.request().invocationId().toString();
    int sent = ctx.run("send mail", Integer.class, () -> Memory.countExecution(id));
    ctx.set(STATUS, "waiting");
    String secret = ctx.promise(CLICKED).future().await();
    ctx.set(STATUS, "done");
    return email + " verified by " + secret + " after " + sent + " mail";
  }

  @Shared
  public void click(SharedWorkflowContext ctx, String secret) {
    ctx.promiseHandle(CLICKED).resolve(secret);
  }

  @Shared
  public void decline(SharedWorkflowContext ctx, String why) {
    ctx.promiseHandle(CLICKED).reject(why);
  }

  @Shared
  public String peek(SharedWorkflowContext ctx) {
    var clicked = ctx.promise(CLICKED).peek();
    return clicked.isReady() ? clicked.getValue() : "";
  }

  @Shared
  public String status(SharedWorkflowContext ctx) {
    return ctx.get(STATUS).orElse("");
  }
}
