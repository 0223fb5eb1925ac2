//! Names in lower case.

/// Maximum length of names that are converted without using the heap.
const MAX_ON_STACK: usize = 64;

/// Calls `then` with a name in ASCII lower case. Short names, which most are, are not copied to the heap.
pub fn with_lower_case<T>(name: &str, then: impl FnOnce(&str) -> T) -> T {
    let mut buffer = [0; MAX_ON_STACK];
    let room = buffer.get_mut(..name.len()).filter(|_| name.is_ascii());
    let short = room.and_then(|room| {
        room.copy_from_slice(name.as_bytes());
        room.make_ascii_lowercase();
        std::str::from_utf8(room).ok()
    });
    match short {
        Some(lower) => then(lower),
        None => then(&name.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_are_lowered() {
        let long = "Ab".repeat(MAX_ON_STACK);
        for name in ["", "vmName", "GRÖSSE", long.as_str()] {
            with_lower_case(name, |lower| assert_eq!(lower, name.to_ascii_lowercase()));
        }
    }
}
