//! The program: see [`formwork::supervise`].

use std::process::ExitCode;

fn main() -> ExitCode {
    formwork::supervise(std::env::args_os(), &formwork::Environment::of_process())
}
