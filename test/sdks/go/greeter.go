package main

import (
	"errors"
	"fmt"
	"time"

	restate "github.com/restatedev/sdk-go"
)

func quickly(name string, attempts int) []restate.RunOption {
	return []restate.RunOption{
		restate.WithName(name),
		restate.WithMaxRetryAttempts(uint(attempts)),
		restate.WithInitialRetryInterval(20 * time.Millisecond),
		restate.WithRetryIntervalFactor(1),
	}
}

func onPurpose(execution int) error {
	return fmt.Errorf("execution %d fails on purpose", execution)
}

func greet(_ restate.Context, name string) (string, error) {
	return fmt.Sprintf("Hello, %s!", name), nil
}

func steps(ctx restate.Context, count int) ([]int, error) {
	results := []int{}
	for n := range count {
		result, err := restate.Run(ctx, func(ctx restate.RunContext) (int, error) {
			return countExecution(ctx), nil
		}, restate.WithName(fmt.Sprintf("step %d", n)))
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

func flaky(ctx restate.Context, failures int) (int, error) {
	return restate.Run(ctx, func(ctx restate.RunContext) (int, error) {
		execution := countExecution(ctx)
		if execution <= failures {
			return 0, onPurpose(execution)
		}
		return execution, nil
	}, quickly("flaky", failures+5)...)
}

func surrender(ctx restate.Context, attempts int) (string, error) {
	err := restate.RunVoid(ctx, func(ctx restate.RunContext) error {
		return onPurpose(countExecution(ctx))
	}, quickly("surrender", attempts)...)
	if err != nil {
		return fmt.Sprintf("given up after %d", executionsOf(ctx.Request().ID)), nil
	}
	return "not reached", nil
}

func stumble(ctx restate.Context, failures int) (int, error) {
	attempt := countExecution(ctx)
	if attempt <= failures {
		return 0, onPurpose(attempt)
	}
	return attempt, nil
}

func fail(_ restate.Context, why string) (string, error) {
	return "", restate.ToTerminalError(errors.New(why), restate.WithErrorCode(418))
}

func nap(ctx restate.Context, ms int) (int, error) {
	if err := restate.Sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
		return 0, err
	}
	return ms, nil
}

func draw(ctx restate.Context, _ restate.Void) ([]string, error) {
	seen := remember(ctx.Request().ID, restate.UUID(ctx).String())
	if err := restate.Sleep(ctx, time.Millisecond); err != nil {
		return nil, err
	}
	return append(seen, restate.UUID(ctx).String()), nil
}

func relay(ctx restate.Context, name string) (string, error) {
	return restate.Service[string](ctx, "Greeter", "greet").Request(name)
}

func gather(ctx restate.Context, names []string) ([]string, error) {
	var calls []restate.ResponseFuture[string]
	var all []restate.Future
	for _, name := range names {
		call := restate.Service[string](ctx, "Greeter", "greet").RequestFuture(name)
		calls, all = append(calls, call), append(all, call)
	}
	for _, err := range restate.Wait(ctx, all...) {
		if err != nil {
			return nil, err
		}
	}
	greetings := []string{}
	for _, call := range calls {
		greeting, err := call.Response()
		if err != nil {
			return nil, err
		}
		greetings = append(greetings, greeting)
	}
	return greetings, nil
}

func dispatch(ctx restate.Context, name string) (string, error) {
	sent := restate.ServiceSend(ctx, "Greeter", "greet").Send(name, restate.WithDelay(50*time.Millisecond))
	return sent.GetInvocationId(), nil
}

func attach(ctx restate.Context, invocationID string) (string, error) {
	return restate.AttachInvocation[string](ctx, invocationID).Response()
}

func cancel(ctx restate.Context, invocationID string) (restate.Void, error) {
	restate.CancelInvocation(ctx, invocationID)
	return restate.Void{}, nil
}

func listen(ctx restate.Context, token string) (string, error) {
	awakeable := restate.Awakeable[string](ctx)
	err := restate.RunVoid(ctx, func(restate.RunContext) error {
		publish(token, awakeable.Id())
		return nil
	}, restate.WithName("publish"))
	if err != nil {
		return "", err
	}
	return awakeable.Result()
}

func lookup(_ restate.Context, token string) (string, error) {
	return published(token), nil
}

func wake(ctx restate.Context, awakeableID string) (restate.Void, error) {
	restate.ResolveAwakeable(ctx, awakeableID, "from inside")
	return restate.Void{}, nil
}

func impatient(ctx restate.Context, ms int) (string, error) {
	never := restate.Awakeable[string](ctx)
	late := restate.After(ctx, time.Duration(ms)*time.Millisecond)
	first, err := restate.WaitFirst(ctx, never, late)
	if err != nil {
		return "", err
	}
	if first == late {
		return "timed out", late.Done()
	}
	return never.Result()
}

func tally(ctx restate.Context, key string) (int, error) {
	return restate.Object[int](ctx, "Counter", key, "add").Request(1)
}
