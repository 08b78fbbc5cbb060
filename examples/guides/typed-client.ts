/** Calls handlers from a web application, with their types: a client, an Express handler and a route of Next. */
import * as clients from "@restatedev/restate-sdk-clients";
import type { Order, payments } from "./failures.ts";

const stepwell = clients.connect({ url: process.env["STEPWELL_INGRESS_URL"] ?? "http://localhost:8080" });
const PAYMENTS: typeof payments = { name: "payments" } as typeof payments;

/** Waits for the result. The same key again, also after a crash of the application, gives the same result, and charges once. */
export function charge(order: Order): Promise<string> {
  const once = clients.rpc.opts<Order, string>({ idempotencyKey: order.id });
  return Promise.resolve(stepwell.serviceClient(PAYMENTS).charge(order, once));
}

/** Does not wait: the answer comes once the invocation is stored. */
export async function chargeLater(order: Order): Promise<string> {
  const once = clients.rpc.sendOpts<Order>({ idempotencyKey: order.id });
  const { invocationId } = await stepwell.serviceSendClient(PAYMENTS).charge(order, once);
  return invocationId;
}

/** Next: `app/orders/route.ts`. */
export async function POST(request: Request): Promise<Response> {
  const order = (await request.json()) as Order;
  return Response.json({ invocationId: await chargeLater(order) }, { status: 202 });
}

interface ExpressRequest {
  readonly body: Order;
}
interface ExpressResponse {
  status(code: number): ExpressResponse;
  json(body: unknown): unknown;
}
type Next = (error: unknown) => void;

/** Express: `app.post("/orders", express.json(), placeOrder)`. */
export function placeOrder({ body }: ExpressRequest, response: ExpressResponse, next: Next): void {
  charge(body).then(
    (receipt) => response.json({ receipt }),
    (error: unknown) => {
      if (!(error instanceof clients.HttpCallError)) return next(error);
      response.status(error.status).json({ message: error.message });
    },
  );
}
