//! The library in WebAssembly, without any imports: what goes in and comes out passes byte by byte, so that neither side
//! needs to know the memory of the other.

mod report;

use std::sync::Mutex;

/// What goes in: names and texts of files by turns, each with a NUL after it.
static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// What comes out.
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Appends a byte of the input.
#[expect(unsafe_code, reason = "the name must be unique")]
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u8) {
    INPUT.lock().expect("there is one thread").push(byte);
}

/// Checks the files of the input. Returns the length of the output.
#[expect(unsafe_code, reason = "the name must be unique")]
#[unsafe(no_mangle)]
pub extern "C" fn check() -> usize {
    let input = std::mem::take(&mut *INPUT.lock().expect("there is one thread"));
    let input = String::from_utf8(input).expect("texts are UTF-8");
    let parts: Vec<&str> = input.split('\0').collect();
    let out = report::report(parts.chunks_exact(2).map(|file| (file[0], file[1])));
    let mut output = OUTPUT.lock().expect("there is one thread");
    *output = out.into_bytes();
    output.len()
}

/// A byte of the output.
#[expect(unsafe_code, reason = "the name must be unique")]
#[unsafe(no_mangle)]
pub extern "C" fn pull(at: usize) -> u8 {
    OUTPUT.lock().expect("there is one thread")[at]
}
