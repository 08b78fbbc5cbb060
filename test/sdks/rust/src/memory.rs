//! What the handlers count and keep in this process, outside of any journal.
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

type Kept<T> = LazyLock<Mutex<HashMap<String, T>>>;

static EXECUTIONS: Kept<u32> = LazyLock::new(Default::default);
static DRAWN: Kept<Vec<String>> = LazyLock::new(Default::default);
static AWAKEABLES: Kept<String> = LazyLock::new(Default::default);

/// How often code ran outside the journal for this invocation, this time included.
pub fn count_execution(invocation_id: &str) -> u32 {
    let mut executions = EXECUTIONS.lock().unwrap();
    let count = executions.entry(invocation_id.to_owned()).or_default();
    *count += 1;
    *count
}

pub fn executions_of(invocation_id: &str) -> u32 {
    EXECUTIONS.lock().unwrap().get(invocation_id).copied().unwrap_or_default()
}

/// All that this invocation has drawn, this value included.
pub fn remember(invocation_id: &str, value: String) -> Vec<String> {
    let mut drawn = DRAWN.lock().unwrap();
    let values = drawn.entry(invocation_id.to_owned()).or_default();
    values.push(value);
    values.clone()
}

pub fn publish(token: String, awakeable_id: String) {
    AWAKEABLES.lock().unwrap().insert(token, awakeable_id);
}

pub fn published(token: &str) -> String {
    AWAKEABLES.lock().unwrap().get(token).cloned().unwrap_or_default()
}
