package deployment;

import dev.restate.sdk.endpoint.Endpoint;
import dev.restate.sdk.http.vertx.HttpEndpointRequestHandler;
import dev.restate.sdk.http.vertx.RestateHttpServer;

/** The table's three services on the Java SDK. MODE is bidi or request-response; prints the port it took. */
public class Main {
  public static void main(String[] arguments) {
    boolean requestResponse = "request-response".equals(System.getenv("MODE"));
    Endpoint endpoint = Endpoint.bind(new Greeter()).bind(new Counter()).bind(new Signup()).build();
    RestateHttpServer.fromHandler(HttpEndpointRequestHandler.fromEndpoint(endpoint, requestResponse))
        .listen(0, "127.0.0.1")
        .onSuccess(server -> System.out.println("listening on " + server.actualPort()))
        .onFailure(
            failure -> {
              failure.printStackTrace();
              System.exit(1);
            });
  }
}
