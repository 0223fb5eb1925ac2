//! The policy documents in the files of a repository.
