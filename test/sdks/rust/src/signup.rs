//! A workflow that waits for a promise which its shared handlers keep or break.
use restate_sdk::prelude::*;

use crate::memory::count_execution;

pub struct Signup;

#[workflow]
impl Signup {
    #[handler]
    async fn run(&self, ctx: WorkflowContext<'_>, email: String) -> Result<String, HandlerError> {
        let sent = ctx.run(|| async { Ok(count_execution(ctx.invocation_id())) }).name("send mail").await?;
        ctx.set("status", "waiting".to_owned());
        let secret = ctx.promise::<String>("clicked").await?;
        ctx.set("status", "done".to_owned());
        Ok(format!("{email} verified by {secret} after {sent} mail"))
    }

    #[handler]
    async fn click(&self, ctx: SharedWorkflowContext<'_>, secret: String) -> Result<(), HandlerError> {
        ctx.resolve_promise("clicked", secret);
        Ok(())
    }

    #[handler]
    async fn decline(&self, ctx: SharedWorkflowContext<'_>, why: String) -> Result<(), HandlerError> {
        ctx.reject_promise("clicked", TerminalError::new(why));
        Ok(())
    }

    #[handler]
    async fn peek(&self, ctx: SharedWorkflowContext<'_>) -> Result<String, HandlerError> {
        Ok(ctx.peek_promise::<String>("clicked").await?.unwrap_or_default())
    }

    #[handler]
    async fn status(&self, ctx: SharedWorkflowContext<'_>) -> Result<String, HandlerError> {
        Ok(ctx.get::<String>("status").await?.unwrap_or_default())
    }
}
