//! Mail: messages (RFC 5322 with MIME), mbox, and Outlook's stores and messages. Messages of an
//! mbox are members as they are; the parts of a message are members as they were before they were
//! encoded for transfer.

mod header;
mod mbox;
mod message;
mod names;
mod part;
mod transfer;

pub use mbox::{is_mbox, open as open_mbox};
pub use message::{is_message, is_message_named, open as open_message};
pub use names::Names;
