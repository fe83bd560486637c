//! Questions with their answers, made while the auditor has the data: each lets him audit once
//! later, without it.
//!
//! Lines of text: `pfh-tokens 1` and the number of tokens, the line of the auditor's record, then
//! for each token `token CHALLENGE ANSWER`, both hexadecimal, or `used CHALLENGE`. The file is a
//! secret: anyone who knows an answer can give it.

use crate::{Error, KeptCommitment};
use pfh_digest::hex;
use pfh_tree::audit::{Challenge, KeyedAnswer};

const HEAD: &str = "pfh-tokens 1";

/// The tokens of one file, in the order in which they are used.
#[derive(Debug, Clone)]
pub struct Tokens {
    kept: KeptCommitment,
    tokens: Vec<(Challenge, Option<[u8; 32]>)>,
}

impl Tokens {
    /// None so far.
    pub fn new(kept: KeptCommitment) -> Tokens {
        Tokens { kept, tokens: Vec::new() }
    }

    /// The file that they ask about.
    pub fn kept(&self) -> &KeptCommitment {
        &self.kept
    }

    /// One more.
    pub fn add(&mut self, challenge: Challenge, answer: &KeyedAnswer) {
        self.tokens.push((challenge, Some(*answer.bytes())));
    }

    /// How many have not been used.
    pub fn left(&self) -> usize {
        self.tokens.iter().filter(|(_, answer)| answer.is_some()).count()
    }

    /// The next one, which counts as used from now on: the server may have seen its question.
    pub fn take(&mut self) -> Option<(Challenge, KeyedAnswer)> {
        let (challenge, answer) = self.tokens.iter_mut().find(|(_, answer)| answer.is_some())?;
        Some((challenge.clone(), KeyedAnswer::from_bytes(answer.take()?)))
    }

    /// The file's text.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = format!("{HEAD} {}\n{}\n", self.tokens.len(), self.kept);
        for (challenge, answer) in &self.tokens {
            let challenge = hex::encode(&challenge.encode());
            text += &match answer {
                Some(answer) => format!("token {challenge} {}\n", hex::encode(answer)),
                None => format!("used {challenge}\n"),
            };
        }
        text.into_bytes()
    }

    /// Reads the file's text.
    ///
    /// # Errors
    /// For the first line that is wrong, or of another file than the one that is kept.
    pub fn parse(text: &[u8]) -> Result<Tokens, Error> {
        let wrong = |line, why| Error::Tokens { line, why };
        // The line feed at the end ends the last line; a file that was cut has none.
        let text = text.strip_suffix(b"\n").ok_or(wrong(1, "it does not end with a line feed"))?;
        let mut lines = text.split(|&byte| byte == b'\n').enumerate().map(|(number, line)| (number + 1, line));
        let head = lines.next().and_then(|(_, line)| str::from_utf8(line).ok()?.strip_prefix(HEAD)?.strip_prefix(' '));
        let count: usize =
            head.and_then(|count| count.parse().ok()).ok_or(wrong(1, "it is not `pfh-tokens 1 NUMBER`"))?;
        let kept =
            KeptCommitment::read(lines.next().map_or(&b""[..], |(_, line)| line)).map_err(|why| wrong(2, why))?;
        let mut tokens = Vec::new();
        for (number, line) in lines {
            let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
            let (challenge, answer) = match fields[..] {
                [b"token", challenge, digits] => {
                    let mut answer = [0; 32];
                    hex::decode_into(digits, &mut answer).ok_or(wrong(number, "its answer has not 64 digits"))?;
                    (challenge, Some(answer))
                }
                [b"used", challenge] => (challenge, None),
                _ => return Err(wrong(number, "it is neither a token nor a used one")),
            };
            let challenge = hex::decode(challenge).and_then(|bytes| Challenge::decode(&bytes).ok());
            let challenge = challenge.ok_or(wrong(number, "its challenge is none"))?;
            if !challenge.is_about(&kept.commitment) || challenge.identity() != kept.identity {
                return Err(wrong(number, "it asks about another file"));
            }
            tokens.push((challenge, answer));
        }
        if tokens.len() != count {
            return Err(wrong(1, "there are not as many tokens as it says"));
        }
        Ok(Tokens { kept, tokens })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_tree::audit::{Commitment, Sample};
    use pfh_tree::outboard::{Function, Parameters};

    #[test]
    fn tokens_read_back_and_are_used_once() {
        let commitment = Commitment::new(Parameters::new(Function::Blake3, 1024).unwrap(), 5000, [3; 32]);
        let kept = KeptCommitment { identity: b"a b".to_vec(), commitment };
        let mut tokens = Tokens::new(kept.clone());
        for number in 0..3 {
            let challenge = Challenge::new([number; 32], kept.identity.clone(), &commitment, Sample::All).unwrap();
            tokens.add(challenge, &KeyedAnswer::from_bytes([number + 100; 32]));
        }
        for left in [3, 2, 1] {
            let text = tokens.encode();
            tokens = Tokens::parse(&text).unwrap();
            assert_eq!((tokens.left(), tokens.kept(), tokens.encode()), (left, &kept, text.clone()));
            for cut in 0..text.len() {
                assert!(Tokens::parse(&text[..cut]).is_err());
            }
            let (challenge, answer) = tokens.take().unwrap();
            assert_eq!((challenge.nonce()[0], answer.bytes()[0]), (3 - left as u8, 103 - left as u8));
        }
        assert!(tokens.take().is_none());
    }
}
