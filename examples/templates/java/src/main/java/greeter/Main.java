package greeter;

import dev.restate.sdk.endpoint.Endpoint;
import dev.restate.sdk.http.vertx.HttpEndpointRequestHandler;
import dev.restate.sdk.http.vertx.RestateHttpServer;

/** Serves the greeter over HTTP. */
public class Main {
  public static void main(String[] arguments) {
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9080"));
    Endpoint endpoint = Endpoint.bind(new Greeter()).build();
    RestateHttpServer.fromHandler(HttpEndpointRequestHandler.fromEndpoint(endpoint))
        .listen(port, "localhost")
        .onSuccess(server -> System.out.println("listening on " + server.actualPort()))
        .onFailure(
            failure -> {
              failure.printStackTrace();
              System.exit(1);
            });
  }
}
