/**
 * The ARN of a Lambda function as a deployment. It always names a version or an alias, because a replay needs the code
 * that its invocation began with.
 */

export interface LambdaArn {
  /** The original text. */
  readonly text: string;
  readonly region: string;
  readonly account: string;
  readonly functionName: string;
  /** A version number, an alias or `$LATEST`. */
  readonly qualifier: string;
}

/** A text is not the ARN of a qualified function; the message says what to write instead. */
export class LambdaArnError extends Error {
  override name = "LambdaArnError";
}

const FORM = "arn:<partition>:lambda:<region>:<account>:function:<name>:<version or alias>";
const PARTITION = /^aws(-[a-z]+)*$/;
const REGION = /^[a-z]{2}(-[a-z]+)+-\d+$/;
const ACCOUNT = /^\d{12}$/;
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const QUALIFIER = /^(\$LATEST|[A-Za-z0-9_-]{1,128})$/;

/** @throws LambdaArnError */
export function parseLambdaArn(text: string): LambdaArn {
  const [arn, partition, service, region, account, kind, functionName, qualifier, ...rest] = text.split(":");
  if (arn !== "arn" || service !== "lambda" || kind !== "function" || rest.length > 0) {
    throw new LambdaArnError(`'${text}' is not the ARN of a Lambda function, which has the form ${FORM}`);
  }
  if (qualifier === undefined || qualifier === "") {
    throw new LambdaArnError(
      `'${text}' names no version. Append a published version or an alias, as in '${withoutColon(text)}:1', ` +
        "or $LATEST if open invocations may continue on changed code",
    );
  }
  const wrong = Object.entries({
    partition: PARTITION.test(partition ?? ""),
    region: REGION.test(region ?? ""),
    account: ACCOUNT.test(account ?? ""),
    "function name": FUNCTION_NAME.test(functionName ?? ""),
    "version or alias": QUALIFIER.test(qualifier),
  }).find(([, fits]) => !fits);
  if (wrong !== undefined) throw new LambdaArnError(`the ${wrong[0]} in '${text}' is not valid; the form is ${FORM}`);
  return { text, region: region!, account: account!, functionName: functionName!, qualifier };
}

function withoutColon(text: string): string {
  return text.replace(/:$/, "");
}
