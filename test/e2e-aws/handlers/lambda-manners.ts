/** The behaviour of Lambda that the emulator lacks, and answers that no SDK gives. */
import * as zlib from "node:zlib";

interface LambdaEvent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface LambdaAnswer {
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

type LambdaHandler<Event, LambdaContext, Answer> = (event: Event, context: LambdaContext) => Promise<Answer>;

/** Lambda's limit on the size of an answer, as the message of Lambda's failure states it. */
const ANSWER_MAX_BYTES = 6_291_556;
/** A registration with this header gets the manifest of a streaming endpoint, which a function cannot be. */
export const STREAMING_HEADER = "x-e2e-streaming";
/** A registration with this header gets an answer that unpacks to as many bytes as the header's value says. */
export const SWELLING_HEADER = "x-e2e-swelling";

/** Fails as Lambda does for an answer that is too large: after the handler has run, and with the same message. */
export function withinAnswerLimit<Event, LambdaContext, Answer>(
  answer: LambdaHandler<Event, LambdaContext, Answer>,
): LambdaHandler<Event, LambdaContext, Answer> {
  return async (event, context) => {
    const given = await answer(event, context);
    if (Buffer.byteLength(JSON.stringify(given)) <= ANSWER_MAX_BYTES) return given;
    throw new Error(`Response payload size exceeded maximum allowed payload size (${ANSWER_MAX_BYTES} bytes).`);
  };
}

export function asStreaming<Event, LambdaContext, Answer>(
  answer: LambdaHandler<Event, LambdaContext, Answer>,
): LambdaHandler<Event, LambdaContext, Answer> {
  return async (event, context) => {
    const given = await answer(event, context);
    const { path, headers } = event as unknown as LambdaEvent;
    if (!path.endsWith("/discover") || headers[STREAMING_HEADER] === undefined) return given;
    const { body, isBase64Encoded } = given as unknown as LambdaAnswer;
    const manifest = Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8").toString("utf8");
    const streaming = { ...(JSON.parse(manifest) as object), protocolMode: "BIDI_STREAM" };
    return { ...given, body: JSON.stringify(streaming), isBase64Encoded: false };
  };
}

/** The functions run on a Node that has the codec; the installed type declarations are older. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array };

export function asSwelling<Event, LambdaContext, Answer>(
  answer: LambdaHandler<Event, LambdaContext, Answer>,
): LambdaHandler<Event, LambdaContext, Answer> {
  return async (event, context) => {
    const { headers } = event as unknown as LambdaEvent;
    const bytes = Number(headers[SWELLING_HEADER] ?? 0);
    if (bytes === 0 || zstdCompressSync === undefined) return await answer(event, context);
    const body = Buffer.from(zstdCompressSync(new Uint8Array(bytes))).toString("base64");
    const swelling = { statusCode: 200, headers: { "content-encoding": "zstd" }, body, isBase64Encoded: true };
    return swelling as unknown as Answer;
  };
}
