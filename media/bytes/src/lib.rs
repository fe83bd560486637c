//! The nouns that readers of media share: a [`Node`](node::Node) for each name, its
//! [`Content`](node::Content) and the runs where that lies, a [`Failure`](node::Failure) for all
//! that cannot be read, and the account of a medium. Numbers, texts and times as formats store
//! them.

#![forbid(unsafe_code)]

pub mod account;
pub mod apart;
pub mod bytes;
pub mod crc16;
pub mod field;
pub mod layout;
pub mod node;
pub mod reading;
pub mod stored;
pub mod text;
pub mod time;
