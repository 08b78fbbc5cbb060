/** Commands as values and as bytes; the bytes are written by hand. */
import { ALL, BAD, BAD_WITH_METADATA, bad, badWithMetadata, type GoldenVector } from "./golden-vector.ts";
import { text } from "./hex.ts";

const wrapped = { content: text("v") };
const unnamed = { name: "" };
const headers = [{ key: "k", value: "v" }];
const HEADER = "0a016b 120176";
const TARGET = "0a06 696e765f3178";
const AWAKEABLE = "0a06 7369676e5f31";
const atMs = 1_700_000_000_000;

const call = {
  serviceName: "S",
  handlerName: "h",
  parameter: text("{}"),
  headers,
  key: "k",
  idempotencyKey: "ik",
  invocationIdNotificationIdx: 1,
  resultCompletionId: 2,
  name: "n",
};
const { resultCompletionId: _, ...rest } = call;
const send = { ...rest, invokeTimeMs: atMs, invocationIdNotificationIdx: 3, name: "" };
const flow = { scope: "sc", limitKey: "lk" };
const idempotent = { serviceName: "S", serviceKey: "k", handlerName: "h", idempotencyKey: "ik" };
const workflow = { workflowName: "W", workflowKey: "k" };
const promise = { key: "p", resultCompletionId: 1, name: "" };

const attachVectors = (name: string, code: string): GoldenVector[] => {
  const one = { ...unnamed, resultCompletionId: 1 };
  return [
    { name, versions: ALL, hex: `${code}00000000000a ${TARGET} 5801`, value: { ...one, invocationId: "inv_1x" } },
    {
      name,
      versions: ALL,
      hex: `${code}000000000011 1a0d 0a0153 12016b 1a0168 2202696b 5801`,
      value: { ...one, idempotentRequest: idempotent },
    },
    {
      name,
      versions: [7],
      hex: `${code}000000000015 1a11 0a0153 12016b 1a0168 2202696b 2a027363 5801`,
      value: { ...one, idempotentRequest: { ...idempotent, scope: "sc" } },
    },
    { name, versions: ALL, hex: `${code}00000000000a 2206 0a0157 12016b 5801`, value: { ...one, workflow } },
    {
      name,
      versions: [7],
      hex: `${code}00000000000e 220a 0a0157 12016b 1a027363 5801`,
      value: { ...one, workflow: { ...workflow, scope: "sc" } },
    },
  ];
};

const CALL_FIELDS = `0a0153 120168 1a027b7d 2206 ${HEADER} 2a016b 3202696b`;
const SEND_FIELDS = `0a0153 120168 1a027b7d 2080d095ffbc31 2a06 ${HEADER} 32016b 3a02696b`;

export const COMMAND_VECTORS: readonly GoldenVector[] = [
  {
    name: "Input",
    versions: ALL,
    hex: "0400000000000005 72030a0131",
    value: { headers: [], value: { content: text("1") }, name: "" },
  },
  {
    name: "Input",
    versions: ALL,
    hex: `0400000000000010 0a06 ${HEADER} 62016e 72030a0176`,
    value: { headers, value: wrapped, name: "n" },
  },
  {
    name: "Output",
    versions: ALL,
    hex: "0401000000000007 72050a035b305d",
    value: { value: { content: text("[0]") }, name: "" },
  },
  { name: "Output", versions: ALL, hex: `040100000000000a 7a08 ${BAD}`, value: { failure: bad, name: "" } },
  {
    name: "Output",
    versions: [6, 7],
    hex: `0401000000000012 7a10 ${BAD_WITH_METADATA}`,
    value: { failure: badWithMetadata, name: "" },
  },
  {
    name: "GetLazyState",
    versions: ALL,
    hex: "0402000000000008 0a016b 5801 62016e",
    value: { key: text("k"), resultCompletionId: 1, name: "n" },
  },
  {
    name: "SetState",
    versions: ALL,
    hex: "040300000000000b 0a016b 1a030a0176 62016e",
    value: { key: text("k"), value: wrapped, name: "n" },
  },
  { name: "ClearState", versions: ALL, hex: "0404000000000006 0a016b 62016e", value: { key: text("k"), name: "n" } },
  { name: "ClearAllState", versions: ALL, hex: "0405000000000000", value: { name: "" } },
  { name: "ClearAllState", versions: ALL, hex: "0405000000000003 62016e", value: { name: "n" } },
  {
    name: "GetLazyStateKeys",
    versions: ALL,
    hex: "0406000000000005 5802 62016e",
    value: { resultCompletionId: 2, name: "n" },
  },
  {
    name: "GetEagerState",
    versions: ALL,
    hex: "0407000000000008 0a016b 72030a0176",
    value: { key: text("k"), value: wrapped, name: "" },
  },
  {
    name: "GetEagerState",
    versions: ALL,
    hex: "0407000000000005 0a016b 6a00",
    value: { key: text("k"), void: {}, name: "" },
  },
  {
    name: "GetEagerStateKeys",
    versions: ALL,
    hex: "0408000000000008 7206 0a016b 0a016c",
    value: { value: { keys: [text("k"), text("l")] }, name: "" },
  },
  { name: "GetPromise", versions: ALL, hex: "0409000000000005 0a0170 5801", value: promise },
  { name: "PeekPromise", versions: ALL, hex: "040a000000000005 0a0170 5801", value: promise },
  {
    name: "CompletePromise",
    versions: ALL,
    hex: "040b00000000000a 0a0170 12030a0176 5801",
    value: { ...promise, completionValue: wrapped },
  },
  {
    name: "CompletePromise",
    versions: ALL,
    hex: `040b00000000000f 0a0170 1a08 ${BAD} 5801`,
    value: { ...promise, completionFailure: bad },
  },
  {
    name: "Sleep",
    versions: ALL,
    hex: "040c000000000009 0880d095ffbc31 5801",
    value: { wakeUpTimeMs: atMs, resultCompletionId: 1, name: "" },
  },
  { name: "Call", versions: ALL, hex: `040d000000000020 ${CALL_FIELDS} 5001 5802 62016e`, value: call },
  {
    name: "Call",
    versions: [7],
    hex: `040d000000000028 ${CALL_FIELDS} 3a027363 42026c6b 5001 5802 62016e`,
    value: { ...call, ...flow },
  },
  { name: "OneWayCall", versions: ALL, hex: `040e000000000022 ${SEND_FIELDS} 5003`, value: send },
  {
    name: "OneWayCall",
    versions: [7],
    hex: `040e00000000002a ${SEND_FIELDS} 42027363 4a026c6b 5003`,
    value: { ...send, ...flow },
  },
  {
    name: "SendSignal",
    versions: ALL,
    hex: `041000000000000f ${TARGET} 1001 2200 62016e`,
    value: { targetInvocationId: "inv_1x", signalIndex: 1, void: {}, name: "n" },
  },
  {
    name: "SendSignal",
    versions: ALL,
    hex: `0410000000000010 ${TARGET} 1a0167 2a030a0176`,
    value: { targetInvocationId: "inv_1x", signalName: "g", value: wrapped, name: "" },
  },
  {
    name: "SendSignal",
    versions: ALL,
    hex: `0410000000000014 ${TARGET} 1011 3208 ${BAD}`,
    value: { targetInvocationId: "inv_1x", signalIndex: 17, failure: bad, name: "" },
  },
  { name: "Run", versions: ALL, hex: "0411000000000006 5801 62027230", value: { resultCompletionId: 1, name: "r0" } },
  ...attachVectors("AttachInvocation", "0412"),
  ...attachVectors("GetInvocationOutput", "0413"),
  {
    name: "CompleteAwakeable",
    versions: ALL,
    hex: `041400000000000d ${AWAKEABLE} 12030a0176`,
    value: { awakeableId: "sign_1", value: wrapped, name: "" },
  },
  {
    name: "CompleteAwakeable",
    versions: ALL,
    hex: `0414000000000012 ${AWAKEABLE} 1a08 ${BAD}`,
    value: { awakeableId: "sign_1", failure: bad, name: "" },
  },
];
