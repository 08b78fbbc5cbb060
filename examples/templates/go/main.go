// A service that greets and remembers to remind, and the server that serves it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	restate "github.com/restatedev/sdk-go"
	"github.com/restatedev/sdk-go/server"
)

var greetings = []string{"Hello", "Welcome", "Good to see you"}

type reminder struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Seconds float64 `json:"seconds"`
}

// restate.Run records the choice, so that a replay after a crash finds the same greeting.
func greet(ctx restate.Context, name string) (string, error) {
	greeting, err := restate.Run(ctx, func(restate.RunContext) (string, error) {
		return greetings[rand.IntN(len(greetings))], nil
	}, restate.WithName("pick a greeting"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %s!", greeting, name), nil
}

// The sleep holds no process. Stop everything, start it again: the reminder still comes, and on time.
func remind(ctx restate.Context, about reminder) (string, error) {
	if err := restate.Sleep(ctx, time.Duration(about.Seconds*float64(time.Second))); err != nil {
		return "", err
	}
	err := restate.RunVoid(ctx, func(restate.RunContext) error {
		fmt.Printf("%s, remember %s!\n", about.Name, about.About)
		return nil
	}, restate.WithName("remind"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is reminded of %s", about.Name, about.About), nil
}

func handlers() *server.Restate {
	greeter := restate.NewService("greeter").
		Handler("greet", restate.NewServiceHandler(greet)).
		Handler("remind", restate.NewServiceHandler(remind))
	return server.NewRestate().Bind(greeter)
}

func main() {
	address := "localhost:" + cmp.Or(os.Getenv("PORT"), "9080")
	log.Fatal(handlers().Start(context.Background(), address))
}
