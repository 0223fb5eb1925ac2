//! The folders in which programs are looked for, by formwork and by the programs that it starts.
//!
//! A relative folder of the `PATH` is one of the current folder, which is that of the repository, and the `PATH` of a job
//! may have folders of the checkout. Whoever writes the repository would choose the program.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use crate::bicep::cli::Options;

/// The variable with the folder of the checkout, which the runner of a workflow sets.
const CHECKOUT_VARIABLE: &str = "GITHUB_WORKSPACE";

/// The folders of the `PATH` that the repository cannot fill, in their order.
pub(super) fn folders(options: &Options) -> Vec<PathBuf> {
    let named = options.variable(CHECKOUT_VARIABLE).map(PathBuf::from);
    let checkouts: Vec<PathBuf> =
        named.iter().filter_map(|path| fs::canonicalize(path).ok()).chain(named.clone()).collect();
    let is_foreign = |folder: &PathBuf| {
        // A folder that does not exist has no programs.
        let real = fs::canonicalize(folder).ok();
        let is_outside = |path: &PathBuf| !checkouts.iter().any(|checkout| path.starts_with(checkout));
        folder.is_absolute() && is_outside(folder) && real.as_ref().is_some_and(is_outside)
    };
    // Windows writes `Path`.
    let path = ["PATH", "Path"].into_iter().find_map(|name| options.variable(name)).unwrap_or_default();
    std::env::split_paths(path).filter(is_foreign).collect()
}

/// The `PATH` of these folders, for programs that formwork starts.
pub(super) fn path(options: &Options) -> OsString {
    // Folders that come from a `PATH` can be joined to one.
    std::env::join_paths(folders(options)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn folders_of_the_repository_are_not_searched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["checkout/bin", "checkout-tools", "system"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let all = ["bin", "", ".", "./bin", "../bin"].map(PathBuf::from).into_iter();
        let all = all.chain(["checkout", "checkout/bin", "checkout-tools", "missing", "system"].map(at));
        let check = |all: Vec<PathBuf>, checkout: &Path, expected: &[&str]| {
            let list = std::env::join_paths(all).unwrap().into_string().unwrap();
            let variables = [("PATH", list.as_str()), (CHECKOUT_VARIABLE, checkout.to_str().unwrap())]
                .map(|(name, it)| (name.to_owned(), it.to_owned()));
            let options = Options { variables: variables.into(), ..Options::default() };
            assert_eq!(folders(&options), expected.iter().map(|name| at(name)).collect::<Vec<_>>());
        };
        check(all.clone().collect(), &at("checkout"), &["checkout-tools", "system"]);
        check(all.collect(), Path::new(""), &["checkout", "checkout/bin", "checkout-tools", "system"]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("checkout/bin"), at("link-into")).unwrap();
            std::os::unix::fs::symlink(at("system"), at("checkout/link-out")).unwrap();
            check(vec![at("link-into"), at("checkout/link-out"), at("system")], &at("checkout"), &["system"]);
        }
    }
}
