//! The filters of `formwork rules list`.

use clap::Args;

use crate::diagnostic::{Category, Control, Pillar, Severity};

/// What the rules that are listed have in common. A rule is listed if it satisfies each of them that is given.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub(in crate::cli) struct Filter {
    /// Rules about this service, for example storage; `azure` and `aws` are all services of a cloud.
    #[arg(long, value_name = "SERVICE")]
    pub(in crate::cli) service: Option<String>,
    /// Rules about this resource type.
    #[arg(long = "type", value_name = "TYPE")]
    pub(in crate::cli) type_name: Option<String>,
    /// Rules of this severity: high, medium, or low.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(in crate::cli) severity: Option<Severity>,
    /// Rules of this pillar: security, reliability, cost, operations, or performance.
    #[arg(long, value_name = "PILLAR", value_parser = Pillar::read)]
    pub(in crate::cli) pillar: Option<Pillar>,
    /// Rules of this category, for example network or encryption.
    #[arg(long, value_name = "CATEGORY", value_parser = Category::read)]
    pub(in crate::cli) category: Option<Category>,
    /// Rules that help to meet this control, for example mcsb:NS-2, or any control of a framework, for example mcsb.
    #[arg(long, value_name = "CONTROL", value_parser = controls)]
    pub(in crate::cli) control: Option<Controls>,
    /// Rules with this tag.
    #[arg(long, value_name = "TAG")]
    pub(in crate::cli) tag: Option<String>,
}

/// A control, or all controls of a framework.
#[derive(Clone, Debug)]
pub(in crate::cli) enum Controls {
    One(Control),
    /// All controls of the framework with this lowercase name.
    All(String),
}

impl Controls {
    /// Returns the name of the framework, which may be unknown.
    pub(in crate::cli) fn framework(&self) -> &str {
        match self {
            Self::One(control) => &control.framework,
            Self::All(framework) => framework,
        }
    }
}

fn severity(word: &str) -> Result<Severity, String> {
    const ALL: [Severity; 3] = [Severity::High, Severity::Medium, Severity::Low];
    let found = ALL.into_iter().find(|severity| severity.as_str().eq_ignore_ascii_case(word));
    found.ok_or_else(|| "expected `high`, `medium`, or `low`".to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "clap expects a parser that may fail")]
fn controls(text: &str) -> Result<Controls, String> {
    Ok(match text.split_once(':') {
        Some((framework, name)) => Controls::One(Control::new(framework, name)),
        None => Controls::All(text.to_lowercase()),
    })
}
