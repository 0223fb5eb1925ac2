//! Size of a report as the upload action sends it.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Returns the size of `text` after compression with gzip at its default level, in bytes.
pub(super) fn compressed(text: &[u8]) -> io::Result<usize> {
    let mut encoder = GzEncoder::new(Counter(0), Compression::default());
    encoder.write_all(text)?;
    encoder.finish().map(|Counter(size)| size)
}

/// Writer that counts the bytes and drops them.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn text_that_repeats_takes_little_room() {
        let text = "{\"rule\": \"AZ-STORAGE-001\", \"level\": \"error\"}\n".repeat(10_000);
        let size = compressed(text.as_bytes()).unwrap();
        assert!((20..text.len() / 100).contains(&size), "{size}");
    }

    #[test]
    fn text_that_does_not_repeat_stays_as_large() {
        let noise: Vec<u8> = (0..1_000_u32).flat_map(|at| Sha256::digest(at.to_le_bytes())).collect();
        let size = compressed(&noise).unwrap();
        assert!((noise.len()..noise.len() + 100).contains(&size), "{size}");
    }
}
