/** Gives Node 20 the `Promise.withResolvers` that the SDK expects; Node 22 and later have their own. */
Promise.withResolvers ??= function withResolvers() {
  let settle;
  const promise = new this((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
};
