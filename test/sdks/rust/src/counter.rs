//! State under a key, and handlers that run one at a time on it.
use std::time::Duration;

use restate_sdk::prelude::*;

pub struct Counter;

#[object]
impl Counter {
    #[handler]
    async fn add(&self, ctx: ObjectContext<'_>, by: i64) -> Result<i64, HandlerError> {
        let n = ctx.get::<i64>("n").await?.unwrap_or(0) + by;
        ctx.set("n", n);
        Ok(n)
    }

    #[handler]
    async fn linger(&self, ctx: ObjectContext<'_>, ms: u64) -> Result<i64, HandlerError> {
        let n = ctx.get::<i64>("n").await?.unwrap_or(0) + 1;
        ctx.sleep(Duration::from_millis(ms)).await?;
        ctx.set("n", n);
        Ok(n)
    }

    #[handler]
    async fn mark(&self, ctx: ObjectContext<'_>, name: String) -> Result<(), HandlerError> {
        ctx.set(&name, name.clone());
        Ok(())
    }

    #[handler]
    async fn clear(&self, ctx: ObjectContext<'_>) -> Result<(), HandlerError> {
        ctx.clear("n");
        Ok(())
    }

    #[handler]
    async fn wipe(&self, ctx: ObjectContext<'_>) -> Result<(), HandlerError> {
        ctx.clear_all();
        Ok(())
    }

    #[handler]
    async fn get(&self, ctx: SharedObjectContext<'_>) -> Result<i64, HandlerError> {
        Ok(ctx.get::<i64>("n").await?.unwrap_or(0))
    }

    #[handler]
    async fn names(&self, ctx: SharedObjectContext<'_>) -> Result<Json<Vec<String>>, HandlerError> {
        let mut names = ctx.get_keys().await?;
        names.sort();
        Ok(Json(names))
    }
}
