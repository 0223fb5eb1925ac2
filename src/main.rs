//! The program: see [`formwork::run`].

use std::process::ExitCode;

fn main() -> ExitCode {
    formwork::run(std::env::args_os(), &formwork::Environment::of_process())
}
