/** Gives Node 20 the `Promise.withResolvers` that the SDK calls; Node 22 and later have their own. */
interface Settled<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | PromiseLike<Value>) => void;
  readonly reject: (reason?: unknown) => void;
}

function withResolvers<Value>(): Settled<Value> {
  let settle!: Omit<Settled<Value>, "promise">;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}

if (!("withResolvers" in Promise)) Object.assign(Promise, { withResolvers });
