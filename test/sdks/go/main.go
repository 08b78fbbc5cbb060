// The table's three services on the Go SDK. MODE is bidi or request-response; prints the port it took.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	restate "github.com/restatedev/sdk-go"
	"github.com/restatedev/sdk-go/server"
)

func greeter() restate.ServiceDefinition {
	return restate.NewService("Greeter").
		Handler("greet", restate.NewServiceHandler(greet)).
		Handler("steps", restate.NewServiceHandler(steps)).
		Handler("flaky", restate.NewServiceHandler(flaky)).
		Handler("surrender", restate.NewServiceHandler(surrender)).
		Handler("stumble", restate.NewServiceHandler(stumble)).
		Handler("fail", restate.NewServiceHandler(fail)).
		Handler("nap", restate.NewServiceHandler(nap)).
		Handler("draw", restate.NewServiceHandler(draw)).
		Handler("relay", restate.NewServiceHandler(relay)).
		Handler("gather", restate.NewServiceHandler(gather)).
		Handler("dispatch", restate.NewServiceHandler(dispatch)).
		Handler("attach", restate.NewServiceHandler(attach)).
		Handler("cancel", restate.NewServiceHandler(cancel)).
		Handler("listen", restate.NewServiceHandler(listen)).
		Handler("lookup", restate.NewServiceHandler(lookup)).
		Handler("wake", restate.NewServiceHandler(wake)).
		Handler("impatient", restate.NewServiceHandler(impatient)).
		Handler("tally", restate.NewServiceHandler(tally))
}

func counter() restate.ServiceDefinition {
	return restate.NewObject("Counter").
		Handler("add", restate.NewObjectHandler(add)).
		Handler("linger", restate.NewObjectHandler(linger)).
		Handler("mark", restate.NewObjectHandler(mark)).
		Handler("clear", restate.NewObjectHandler(clear)).
		Handler("wipe", restate.NewObjectHandler(wipe)).
		Handler("get", restate.NewObjectSharedHandler(get)).
		Handler("names", restate.NewObjectSharedHandler(names))
}

func signup() restate.ServiceDefinition {
	return restate.NewWorkflow("Signup").
		Handler("run", restate.NewWorkflowHandler(run)).
		Handler("click", restate.NewWorkflowSharedHandler(click)).
		Handler("decline", restate.NewWorkflowSharedHandler(decline)).
		Handler("peek", restate.NewWorkflowSharedHandler(peek)).
		Handler("status", restate.NewWorkflowSharedHandler(status))
}

func main() {
	requestResponse := os.Getenv("MODE") == "request-response"
	handler, err := server.NewRestate().Bidirectional(!requestResponse).
		Bind(greeter()).Bind(counter()).Bind(signup()).Handler()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	// The SDK's own Start serves HTTP/2 alone, and on a port that is chosen beforehand.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	log.Fatal((&http.Server{Handler: handler, Protocols: &protocols}).Serve(listener))
}
