//! Handlers without a key, one for each thing that a handler can ask of the control plane.
use std::{io, time::Duration};

use restate_sdk::prelude::*;

use crate::counter::CounterClient;
use crate::memory::{count_execution, executions_of, publish, published, remember};

pub struct Greeter;

fn quickly(attempts: u32) -> RunRetryPolicy {
    RunRetryPolicy::new().initial_delay(Duration::from_millis(20)).max_attempts(attempts)
}

fn on_purpose(execution: u32) -> io::Error {
    io::Error::other(format!("execution {execution} fails on purpose"))
}

#[service]
impl Greeter {
    #[handler]
    async fn greet(&self, _ctx: Context<'_>, name: String) -> Result<String, HandlerError> {
        Ok(format!("Hello, {name}!"))
    }

    #[handler]
    async fn steps(&self, ctx: Context<'_>, count: u32) -> Result<Json<Vec<u32>>, HandlerError> {
        let mut results = Vec::new();
        for n in 0..count {
            let step = ctx.run(|| async { Ok(count_execution(ctx.invocation_id())) });
            results.push(step.name(format!("step {n}")).await?);
        }
        Ok(Json(results))
    }

    #[handler]
    async fn flaky(&self, ctx: Context<'_>, failures: u32) -> Result<u32, HandlerError> {
        let action = || async {
            let execution = count_execution(ctx.invocation_id());
            if execution <= failures { Err(on_purpose(execution).into()) } else { Ok(execution) }
        };
        Ok(ctx.run(action).name("flaky").retry_policy(quickly(failures + 5)).await?)
    }

    #[handler]
    async fn surrender(&self, ctx: Context<'_>, attempts: u32) -> Result<String, HandlerError> {
        let action = || async { Err::<(), _>(on_purpose(count_execution(ctx.invocation_id())).into()) };
        let outcome = ctx.run(action).name("surrender").retry_policy(quickly(attempts)).await;
        Ok(match outcome {
            Err(_) => format!("given up after {}", executions_of(ctx.invocation_id())),
            Ok(()) => "not reached".to_owned(),
        })
    }

    #[handler]
    async fn stumble(&self, ctx: Context<'_>, failures: u32) -> Result<u32, HandlerError> {
        let attempt = count_execution(ctx.invocation_id());
        if attempt <= failures { Err(on_purpose(attempt).into()) } else { Ok(attempt) }
    }

    #[handler]
    async fn fail(&self, _ctx: Context<'_>, why: String) -> Result<String, HandlerError> {
        Err(TerminalError::new_with_code(418, why).into())
    }

    #[handler]
    async fn nap(&self, ctx: Context<'_>, ms: u64) -> Result<u64, HandlerError> {
        ctx.sleep(Duration::from_millis(ms)).await?;
        Ok(ms)
    }

    #[handler]
    async fn draw(&self, mut ctx: Context<'_>) -> Result<Json<Vec<String>>, HandlerError> {
        let first = ctx.rand_uuid().to_string();
        let mut drawn = remember(ctx.invocation_id(), first);
        ctx.sleep(Duration::from_millis(1)).await?;
        drawn.push(ctx.rand_uuid().to_string());
        Ok(Json(drawn))
    }

    #[handler]
    async fn relay(&self, ctx: Context<'_>, name: String) -> Result<String, HandlerError> {
        Ok(ctx.service_client::<GreeterClient>().greet(name).call().await?)
    }

    #[handler]
    async fn gather(&self, ctx: Context<'_>, names: Json<Vec<String>>) -> Result<Json<Vec<String>>, HandlerError> {
        let Json(names) = names;
        let mut greetings = vec![String::new(); names.len()];
        let mut calls: DurableFuturesUnordered<_> =
            names.into_iter().map(|name| ctx.service_client::<GreeterClient>().greet(name).call()).collect();
        while let Some((index, greeting)) = calls.next().await? {
            greetings[index] = greeting?;
        }
        Ok(Json(greetings))
    }

    #[handler]
    async fn dispatch(&self, ctx: Context<'_>, name: String) -> Result<String, HandlerError> {
        let sent = ctx.service_client::<GreeterClient>().greet(name).send_after(Duration::from_millis(50)).await?;
        Ok(sent.invocation_id().to_owned())
    }

    #[handler]
    async fn attach(&self, ctx: Context<'_>, invocation_id: String) -> Result<String, HandlerError> {
        Ok(ctx.invocation_handle(invocation_id).attach::<String>().await?)
    }

    #[handler]
    async fn cancel(&self, ctx: Context<'_>, invocation_id: String) -> Result<(), HandlerError> {
        ctx.invocation_handle(invocation_id).cancel();
        Ok(())
    }

    #[handler]
    async fn listen(&self, ctx: Context<'_>, token: String) -> Result<String, HandlerError> {
        let (awakeable_id, heard) = ctx.awakeable::<String>();
        ctx.run(|| async {
            publish(token, awakeable_id);
            Ok(())
        })
        .name("publish")
        .await?;
        Ok(heard.await?)
    }

    #[handler]
    async fn lookup(&self, _ctx: Context<'_>, token: String) -> Result<String, HandlerError> {
        Ok(published(&token))
    }

    #[handler]
    async fn wake(&self, ctx: Context<'_>, awakeable_id: String) -> Result<(), HandlerError> {
        ctx.resolve_awakeable(&awakeable_id, "from inside".to_owned());
        Ok(())
    }

    #[handler]
    async fn impatient(&self, ctx: Context<'_>, ms: u64) -> Result<String, HandlerError> {
        let (_, never) = ctx.awakeable::<String>();
        restate_sdk::select! {
            heard = never => { Ok(heard?) },
            _ = ctx.sleep(Duration::from_millis(ms)) => { Ok("timed out".to_owned()) }
        }
    }

    #[handler]
    async fn tally(&self, ctx: Context<'_>, key: String) -> Result<i64, HandlerError> {
        Ok(ctx.object_client::<CounterClient>(key).add(1).call().await?)
    }
}
