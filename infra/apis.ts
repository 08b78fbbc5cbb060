/** The two doors: the ingress, where handlers are called, and the admin API, where nobody comes in without IAM. */
import { Duration, Stack } from "aws-cdk-lib";
import type { CfnStage, CorsPreflightOptions } from "aws-cdk-lib/aws-apigatewayv2";
import { CorsHttpMethod, HttpApi, HttpMethod, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer, HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction, IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { AccessLogProps } from "./access-log.ts";
import { logAccess } from "./access-log.ts";
import { acknowledgeOpenIngress, acknowledgeOpenPreflight, acknowledgeUnloggedIngress } from "./acknowledged.ts";

export interface IngressApiProps {
  /** Tells this API from those of other environments in the account's list of APIs. */
  readonly environment: string;
  readonly ingress: IFunction;
  readonly auth: IngressAuth;
  /** The account's own limits unless told. */
  readonly throttle?: IngressThrottle;
  /** There is none unless told. */
  readonly accessLog?: AccessLogProps;
  /** The gateway leaves it to the ingress unless told, which lets pages of any origin in that bring no credentials. */
  readonly cors?: IngressCors;
}

/** Which web pages may call handlers and read the answers. */
export interface IngressCors {
  /** As a browser names them, such as `https://shop.example.com`; `*` for every page. */
  readonly origins: readonly string[];
  /** Request headers that pages may send beside those of the ingress itself. */
  readonly headers?: readonly string[];
}

/** Named one by one: a star does not cover `authorization`. */
const CORS_HEADERS = ["authorization", "content-type", "idempotency-key", "traceparent", "tracestate"];
const CORS_AWS_HEADERS = ["x-amz-date", "x-amz-security-token", "x-amz-content-sha256"];
const CORS_OWN_HEADERS = ["x-restate-limit-key", "x-restateclient-retry-attempt"];
/** Response headers that show a web page the id of the invocation and the source of a failure. */
const CORS_EXPOSED = ["x-restate-id", "x-restate-error-source", "idempotency-expires"];
const CORS_REMEMBERED = Duration.hours(1);

/** So many requests a second, and so many at once beyond them, are let in; the next is answered with 429. */
export interface IngressThrottle {
  readonly ratePerS: number;
  readonly burst: number;
}

/** Who may call handlers from outside: everybody, whom IAM lets in, or who brings a token of one issuer for one of these audiences. */
export type IngressAuth = "open" | "iam" | { readonly jwt: JwtAuth };

export interface JwtAuth {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** A token needs one of these scopes; by default the ingress accepts any token of the issuer for an audience. */
  readonly scopes?: readonly string[];
}

export class IngressApi extends Construct {
  /** For what this construct has no property for, such as an `ApiMapping` of a domain. */
  readonly api: HttpApi;
  readonly url: string;

  constructor(scope: Construct, id: string, props: IngressApiProps) {
    super(scope, id);
    const { environment, ingress, auth, throttle, accessLog, cors } = props;
    const integration = new HttpLambdaIntegration("Ingress", ingress);
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-ingress`,
      defaultIntegration: integration,
      defaultAuthorizer: authorizerOf(auth),
      ...(typeof auth === "object" && auth.jwt.scopes && { defaultAuthorizationScopes: [...auth.jwt.scopes] }),
      ...(cors !== undefined && { corsPreflight: corsOf(cors) }),
    });
    this.api = api;
    if (auth === "open") acknowledgeOpenIngress(api);
    else if (cors !== undefined) letPreflightIn(api, integration);
    const stage = stageOf(api);
    if (throttle !== undefined) {
      const { ratePerS, burst } = throttle;
      stage.defaultRouteSettings = { throttlingRateLimit: ratePerS, throttlingBurstLimit: burst };
    }
    if (accessLog === undefined) acknowledgeUnloggedIngress(api);
    else logAccess(this, stage, accessLog, typeof auth === "object" ? "authorizer.claims.sub" : "identity.userArn");
    this.url = api.apiEndpoint;
  }
}

function corsOf({ origins, headers = [] }: IngressCors): CorsPreflightOptions {
  return {
    allowOrigins: [...origins],
    allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
    allowHeaders: [...CORS_HEADERS, ...CORS_AWS_HEADERS, ...CORS_OWN_HEADERS, ...headers],
    exposeHeaders: CORS_EXPOSED,
    maxAge: CORS_REMEMBERED,
  };
}

/** A browser sends no token with its preflight, and the default route would ask for one: AWS wants this route beside it. */
function letPreflightIn(api: HttpApi, integration: HttpLambdaIntegration): void {
  const routes = api.addRoutes({
    path: "/{proxy+}",
    methods: [HttpMethod.OPTIONS],
    integration,
    authorizer: new HttpNoneAuthorizer(),
    authorizationScopes: [],
  });
  for (const route of routes) acknowledgeOpenPreflight(route);
}

function authorizerOf(auth: IngressAuth) {
  if (auth === "open") return new HttpNoneAuthorizer();
  if (auth === "iam") return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer("Jwt", auth.jwt.issuer, { jwtAudience: [...auth.jwt.audiences] });
}

/** An admin API, of this stack or another one. */
export interface AdminApiReference {
  /** The name of the environment (`environmentName`), which is the tag of the functions that it may call. */
  readonly environment: string;
  readonly url: string;
  /** What IAM judges who may come in by, without its stage and routes: `arn:aws:execute-api:<region>:<account>:<api>`. */
  readonly arn: string;
}

export interface AdminApiProps extends AccessLogProps {
  /** Tells this API from those of other environments in the account's list of APIs. */
  readonly environment: string;
  readonly admin: LambdaFunction;
}

export class AdminApi extends Construct implements AdminApiReference {
  /** For what this construct has no property for, such as an `ApiMapping` of a domain. */
  readonly api: HttpApi;
  readonly environment: string;
  readonly url: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { environment, admin } = props;
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-admin`,
      defaultIntegration: new HttpLambdaIntegration("Admin", admin),
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    this.api = api;
    // Of operators each request is worth a line.
    logAccess(this, stageOf(api), props);
    this.environment = environment;
    this.url = api.apiEndpoint;
    this.arn = Stack.of(this).formatArn({ service: "execute-api", resource: api.apiId });
  }
}

/** The one stage that an HTTP API has unless told: no route of it has settings of its own. */
function stageOf(api: HttpApi): CfnStage {
  return api.defaultStage!.node.defaultChild as CfnStage;
}
