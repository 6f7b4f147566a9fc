//! Bare fan-out: a server that writes the same bytes to all its connections, and does nothing else.
//!
//! It runs as a process of its own, as the daemon does. The first byte of a connection says what it is: `r` reads,
//! `w` brings frames, each after its length.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;

/// Frames that a reader may lag behind before it is a failure of the measurement.
const CAPACITY: usize = 16 * 1024;

/// Serves until the process is ended, or for as long as any measurement could take.
pub(crate) fn serve(socket: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let listener = UnixListener::bind(socket).expect("a socket");
        let frames = broadcast::Sender::new(CAPACITY);
        let serving = async {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                tokio::spawn(connection(stream, frames.clone()));
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(120), serving).await;
    });
}

async fn connection(mut stream: UnixStream, frames: broadcast::Sender<Bytes>) {
    match stream.read_u8().await {
        Ok(b'r') => {
            let mut received = frames.subscribe();
            if stream.write_all(b": bare\n\n").await.is_err() {
                return;
            }
            let mut together = Vec::new();
            while let Ok(frame) = received.recv().await {
                // Whoever is behind gets all that is there at once, as the daemon's readers do.
                together.clear();
                together.extend_from_slice(&frame);
                while let Ok(frame) = received.try_recv() {
                    together.extend_from_slice(&frame);
                }
                if stream.write_all(&together).await.is_err() {
                    return;
                }
            }
        }
        Ok(b'w') => {
            while let Ok(length) = stream.read_u32().await {
                let mut frame = vec![0; length as usize];
                if stream.read_exact(&mut frame).await.is_err() {
                    return;
                }
                let _ = frames.send(frame.into());
            }
        }
        _ => {}
    }
}
