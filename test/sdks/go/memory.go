package main

import (
	"sync"

	restate "github.com/restatedev/sdk-go"
)

// What the handlers count and keep in this process, outside of any journal.
var (
	memory     sync.Mutex
	executions = map[string]int{}
	drawn      = map[string][]string{}
	awakeables = map[string]string{}
)

// countExecution says how often code ran outside the journal for this invocation, this time included.
func countExecution(ctx restate.RunContext) int {
	memory.Lock()
	defer memory.Unlock()
	id := ctx.Request().ID
	executions[id]++
	return executions[id]
}

func executionsOf(id string) int {
	memory.Lock()
	defer memory.Unlock()
	return executions[id]
}

// remember returns all that this invocation has drawn, this value included.
func remember(id, value string) []string {
	memory.Lock()
	defer memory.Unlock()
	drawn[id] = append(drawn[id], value)
	return append([]string(nil), drawn[id]...)
}

func publish(token, awakeableID string) {
	memory.Lock()
	defer memory.Unlock()
	awakeables[token] = awakeableID
}

func published(token string) string {
	memory.Lock()
	defer memory.Unlock()
	return awakeables[token]
}
