/** A function that misbehaves as the path of its event demands; for any other path it returns the event. */

interface Event {
  readonly path: string;
}

const BEYOND_THE_TIMEOUT_MS = 30_000;
const BUSY_MS = 1_500;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function handler(event: Event): Promise<unknown> {
  switch (event.path) {
    case "/throw":
      throw new Error("the handler is on fire");
    case "/exit":
      return process.exit(3);
    case "/hang":
      return await pause(BEYOND_THE_TIMEOUT_MS);
    case "/busy":
      await pause(BUSY_MS);
      return { statusCode: 200, headers: null };
    case "/nothing":
      return null;
    case "/hello":
      return "hello";
    case "/status":
      return { statusCode: "200" };
    case "/zipped":
      return { statusCode: 200, headers: { "Content-Encoding": "gzip" }, body: "AAAA", isBase64Encoded: true };
    case "/refuse":
      return { statusCode: 429, headers: { "Retry-After": "7" }, body: "later" };
    default: {
      const seen = JSON.stringify(event);
      return {
        statusCode: 200,
        headers: { "Content-Type": "application/json", "X-Version": process.env["AWS_LAMBDA_FUNCTION_VERSION"] },
        body: Buffer.from(seen).toString("base64"),
        isBase64Encoded: true,
      };
    }
  }
}
