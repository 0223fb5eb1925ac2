//! The program: see [`formwork::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    formwork::cli::run(std::env::args_os(), &formwork::cli::Environment::of_process())
}
