//! Keys from passwords.

use crate::Mac;

impl Mac {
    /// PBKDF2 (RFC 8018, 5.2) of a password that this has taken for its key, and of nothing else
    /// yet: `key.len()` bytes after that many rounds.
    pub fn derive(&self, salt: &[u8], rounds: u32, key: &mut [u8]) {
        let of = |messages: &[&[u8]]| {
            let mut mac = self.clone();
            messages.iter().for_each(|message| mac.update(message));
            mac.finalize()
        };
        let length = of(&[]).bytes().len();
        for (number, block) in (1_u32..).zip(key.chunks_mut(length)) {
            let mut last = of(&[salt, &number.to_be_bytes()]);
            block.copy_from_slice(&last.bytes()[..block.len()]);
            for _ in 1..rounds {
                last = of(&[last.bytes()]);
                block.iter_mut().zip(last.bytes()).for_each(|(sum, byte)| *sum ^= byte);
            }
        }
    }
}
