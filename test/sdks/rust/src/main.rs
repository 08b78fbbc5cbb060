//! The table's three services on the Rust SDK. MODE is bidi or request-response; prints the port it took.
mod counter;
mod greeter;
mod memory;
mod signup;

use std::{convert::Infallible, env};

use counter::Counter;
use greeter::Greeter;
use hyper_util::rt::{TokioExecutor, TokioIo};
use restate_sdk::prelude::*;
use signup::Signup;

#[tokio::main]
async fn main() {
    let request_response = env::var("MODE").is_ok_and(|mode| mode == "request-response");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("listening on {}", listener.local_addr().expect("an address").port());
    let endpoint = Endpoint::builder().bind(Greeter).bind(Counter).bind(Signup).build();
    // The SDK's own server knows HTTP/2 and the bidirectional mode alone.
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let endpoint = endpoint.clone();
        let service = hyper::service::service_fn(move |request| {
            let protocol_mode =
                if request_response { ProtocolMode::RequestResponse } else { ProtocolMode::BidiStream };
            let response = endpoint.handle_with_options(request, HandleOptions { protocol_mode });
            async move { Ok::<_, Infallible>(response) }
        });
        tokio::spawn(async move {
            let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
