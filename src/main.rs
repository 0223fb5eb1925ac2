//! The program: see [`formwork::supervise`].

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    formwork::supervise(std::env::args_os(), &formwork::Environment::of_process())
}
