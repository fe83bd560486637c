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

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6070, the first two vectors and the fifth.
    #[test]
    fn keys_are_derived_as_the_standard_has_it() {
        let long = (&b"passwordPASSWORDpassword"[..], &b"saltSALTsaltSALTsaltSALTsaltSALTsalt"[..]);
        for ((password, salt), rounds, expected) in [
            ((&b"password"[..], &b"salt"[..]), 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ((b"password", b"salt"), 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            (long, 4096, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
        ] {
            let mut key = vec![0; expected.len() / 2];
            Mac::new("sha1".parse().unwrap(), password).derive(salt, rounds, &mut key);
            assert_eq!(key.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), expected);
        }
    }
}
