/** An open exchange of a process that may die: after its death no call has an effect, and none is answered. */
import { TransportError, type Exchange } from "../../../shared/engine/ports/endpoints.ts";
import { never } from "../never.ts";

export function exchangeWhile(isAlive: () => boolean, opened: Promise<Exchange>): Exchange {
  opened.catch(() => undefined);
  const whenAlive = (act: (exchange: Exchange) => void): void => {
    if (isAlive()) void opened.then((exchange) => isAlive() && act(exchange)).catch(() => undefined);
  };
  const answered = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await Promise.race([answer, aborted]);
    return isAlive() ? value : never();
  };
  let abort: (error: Error) => void = () => {};
  const aborted = new Promise<never>((_, reject) => (abort = reject));
  aborted.catch(() => undefined);
  return {
    head: () => answered(opened.then((exchange) => exchange.head())),
    next: () => answered(opened.then((exchange) => exchange.next())),
    write: (bytes) => whenAlive((exchange) => exchange.write(bytes)),
    halfClose: () => whenAlive((exchange) => exchange.halfClose()),
    abort: () => {
      abort(new TransportError("aborted", "the exchange was aborted"));
      whenAlive((exchange) => exchange.abort());
    },
  };
}
