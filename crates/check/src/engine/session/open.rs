//! The parts of a session that its options and settings decide.

use std::path::PathBuf;

use crate::bicep;
use crate::config::{self, Choices, Settings};
use crate::engine::changes::deleted;
use crate::engine::session::change::ChangeScope;
use crate::engine::session::load::refuse_errors;
use crate::engine::session::{CheckOptions, Error, Policy};
use crate::engine::{Observer, ParseCache};
use crate::files::{Disk, PathFilter, PathGlobs, repository_of};
use crate::text::Sources;
use crate::value::{Str, Value};

/// The settings of a session.
pub(super) struct ReadSettings {
    /// The texts of the settings. If there is a cache, they follow its own.
    pub(super) sources: Sources,
    pub(super) settings: Settings,
    /// The settings file of the options.
    pub(super) config: Option<PathBuf>,
}

impl ReadSettings {
    /// Reads the settings.
    ///
    /// # Errors
    ///
    /// Fails if they are invalid, of which the observer is notified, or if the change decides what the file is.
    pub(super) fn new(
        options: &CheckOptions,
        change: &ChangeScope,
        policy: &Policy,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let mut sources = options.cache.as_deref().map_or_else(Sources::new, ParseCache::sources);
        let config = options.config.as_deref().map(|path| change.locate(path));
        let config = policy.config(change.working(), config)?;
        let origin = config::Origin {
            working: change.working(),
            file: config.as_deref(),
            tree: policy.tree(),
            host: &Disk,
            environment: &options.variables,
            limits: &Settings::default().limits,
        };
        let (settings, problems) = config::load(&origin, &sources);
        refuse_errors(problems, &mut sources, observer)?;
        Ok(Self { sources, settings, config })
    }
}

/// Returns the values of single parameters, whose texts are added to `sources`.
pub(super) fn overrides(
    options: &CheckOptions,
    settings: &Settings,
    sources: &Sources,
) -> Result<Vec<(Str, Value)>, Error> {
    options.overrides.iter().map(|given| given.value(sources, &settings.limits)).collect()
}

/// Returns the paths of the options, and the deleted files that count as such.
pub(super) fn named_paths(options: &CheckOptions) -> Result<Vec<PathBuf>, Error> {
    let mut named = options.paths.clone();
    if let Some(what) = &options.deleted {
        named.extend(deleted(&options.working, what, options.programs()?)?);
    }
    Ok(named)
}

/// Returns the options of building Bicep files.
pub(super) fn bicep_options(
    options: &CheckOptions,
    choices: &Choices,
    settings: &Settings,
    policy: &Policy,
) -> Result<bicep::Options, Error> {
    Ok(bicep::Options {
        programs: options.programs().ok(),
        compiler: choices.bicep.and_then(bicep::Compiler::named).unwrap_or_default(),
        cache: options.bicep_cache.clone(),
        settings: policy.bicep_settings()?,
        ..bicep::Options::new(&options.variables, settings.configuration.as_ref())
            .in_folder(&options.working)
            .with_registry(options.registry, options.module_cache.as_deref())
    })
}

/// Returns the paths to search for files. For dependents, this includes the current folder: they may be anywhere in it.
pub(super) fn searched_paths(named: &[PathBuf], options: &CheckOptions, change: &ChangeScope) -> Vec<PathBuf> {
    let everywhere = (options.dependents && !named.is_empty()).then(|| PathBuf::from("."));
    everywhere.into_iter().chain(change.locate_all(&options.paths)).collect()
}

/// Returns the filter of the settings with the globs of the options: includes replace, excludes add.
pub(super) fn path_filter(
    options: &CheckOptions,
    settings: &Settings,
    change: &ChangeScope,
) -> Result<PathFilter, Error> {
    let (working, mut filter) = (change.working(), settings.files.clone());
    // All that is in a copy is tracked. A workflow without git downloads the files of a commit, and has no list of them.
    let is_download = || {
        let is_workflow = options.variables.get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        is_workflow && repository_of(working).is_none()
    };
    filter.takes_ignored = change.is_copy() || is_download();
    filter.skips_tests = !options.given.choices.or(settings.choices).check_tests.unwrap_or_default();
    filter.holds_for_named = options.force_exclude || options.dependents;
    let globs = |patterns: &[String]| {
        let globs = PathGlobs::new(working, patterns.iter().map(String::as_str));
        globs.map(PathGlobs::everywhere).map_err(|error| Error::Glob(error.to_string()))
    };
    if !options.given.include.is_empty() {
        filter.include = vec![globs(&options.given.include)?];
    }
    filter.exclude.push(globs(&options.given.exclude)?);
    Ok(filter)
}
