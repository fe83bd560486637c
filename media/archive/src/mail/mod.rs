//! Mail: messages (RFC 5322 with MIME), those of Apple Mail, mbox, and Outlook's stores and
//! messages. A message of an mbox is a member as it is stored; a part of a message is a member
//! without its transfer encoding.

mod apple;
mod header;
mod mbox;
mod message;
mod names;
mod part;
mod transfer;

pub use mbox::{is_mbox, open as open_mbox};
pub use message::{is_message, is_message_named, open as open_message};
pub use names::Names;
pub use transfer::{Decoder, Encoding, base64, hexadecimal, sixes, uu_line};
