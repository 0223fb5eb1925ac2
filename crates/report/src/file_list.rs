//! Short lists of files.

use crate::model::Finding;

/// Returns the parameter files of a finding, as [`short_names`].
pub(super) fn parameter_files(finding: &Finding) -> Option<String> {
    (!finding.parameters.is_empty()).then(|| short_names(&finding.parameters).join(", "))
}

/// Shortens files to their last names, if these are distinct.
pub fn short_names(paths: &[impl AsRef<str>]) -> Vec<String> {
    let paths: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
    let mut distinct: Vec<&str> = paths.iter().map(|path| last_name(path)).collect();
    let count = distinct.len();
    distinct.sort_unstable();
    distinct.dedup();
    let is_distinct = distinct.len() == count;
    paths.into_iter().map(|path| if is_distinct { last_name(path) } else { path }.to_owned()).collect()
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample;

    #[track_caller]
    fn check_parameters(parameters: &[&str], expected: Option<&str>) {
        let mut finding = sample::report(&sample::run()).findings.remove(0);
        finding.parameters = parameters.iter().map(|&name| Arc::from(name)).collect();
        assert_eq!(parameter_files(&finding).as_deref(), expected);
    }

    #[test]
    fn parameter_files_go_by_their_last_names() {
        check_parameters(&[], None);
        check_parameters(&["infra/dev.json", "infra/prod.json"], Some("dev.json, prod.json"));
    }

    #[test]
    fn parameter_files_of_one_last_name_keep_their_folders() {
        check_parameters(&["dev/main.json", "prod/main.json"], Some("dev/main.json, prod/main.json"));
    }
}
