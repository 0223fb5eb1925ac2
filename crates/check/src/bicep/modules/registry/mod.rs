//! Caches of modules on the disk, and the registries that fill them.

mod cache;
mod cached;
mod digest;
#[cfg(feature = "download")]
mod download;
mod manifest;
mod trust;

pub use self::cached::Modules;
