package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	restate "github.com/restatedev/sdk-go"
)

func add(ctx restate.ObjectContext, by int) (int, error) {
	n, err := restate.Get[int](ctx, "n")
	if err != nil {
		return 0, err
	}
	restate.Set(ctx, "n", n+by)
	return n + by, nil
}

func linger(ctx restate.ObjectContext, ms int) (int, error) {
	n, err := restate.Get[int](ctx, "n")
	if err != nil {
		return 0, err
	}
	if err := restate.Sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
		return 0, err
	}
	restate.Set(ctx, "n", n+1)
	return n + 1, nil
}

func mark(ctx restate.ObjectContext, name string) (restate.Void, error) {
	restate.Set(ctx, name, name)
	return restate.Void{}, nil
}

func clear(ctx restate.ObjectContext, _ restate.Void) (restate.Void, error) {
	restate.Clear(ctx, "n")
	return restate.Void{}, nil
}

func wipe(ctx restate.ObjectContext, _ restate.Void) (restate.Void, error) {
	restate.ClearAll(ctx)
	return restate.Void{}, nil
}

func get(ctx restate.ObjectSharedContext, _ restate.Void) (int, error) {
	return restate.Get[int](ctx, "n")
}

func names(ctx restate.ObjectSharedContext, _ restate.Void) ([]string, error) {
	keys, err := restate.Keys(ctx)
	if err != nil {
		return nil, err
	}
	return append([]string{}, slices.Sorted(slices.Values(keys))...), nil
}

func run(ctx restate.WorkflowContext, email string) (string, error) {
	sent, err := restate.Run(ctx, func(ctx restate.RunContext) (int, error) {
		return countExecution(ctx), nil
	}, restate.WithName("send mail"))
	if err != nil {
		return "", err
	}
	restate.Set(ctx, "status", "waiting")
	secret, err := restate.Promise[string](ctx, "clicked").Result()
	if err != nil {
		return "", err
	}
	restate.Set(ctx, "status", "done")
	return fmt.Sprintf("%s verified by %s after %d mail", email, secret, sent), nil
}

func click(ctx restate.WorkflowSharedContext, secret string) (restate.Void, error) {
	return restate.Void{}, restate.Promise[string](ctx, "clicked").Resolve(secret)
}

func decline(ctx restate.WorkflowSharedContext, why string) (restate.Void, error) {
	return restate.Void{}, restate.Promise[string](ctx, "clicked").Reject(errors.New(why))
}

func peek(ctx restate.WorkflowSharedContext, _ restate.Void) (string, error) {
	return restate.Promise[string](ctx, "clicked").Peek()
}

func status(ctx restate.WorkflowSharedContext, _ restate.Void) (string, error) {
	return restate.Get[string](ctx, "status")
}
