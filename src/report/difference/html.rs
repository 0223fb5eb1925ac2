//! The difference as a page in HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::report::difference::model::{Change, Deployment, Difference, Outcome, Resource, Severity, Shown, both};
use crate::report::html::{Filter, code, page as shell, prose, service};
use crate::text::escape::html;

/// How many bytes a page has. A browser is slow with more, and the JSON has all of it.
const MAX_PAGE: usize = 20_000_000;

/// The page of a difference.
pub(crate) fn page(difference: &Difference) -> String {
    let mut body = String::new();
    let mut left = difference.deployments.len();
    for deployment in &difference.deployments {
        if body.len() > MAX_PAGE {
            break;
        }
        body.push_str(&block(deployment));
        left -= 1;
    }
    if left > 0 {
        let _ = writeln!(body, "<p>… and {left} more deployments, for which this page has no room</p>");
    }
    let resources = || difference.deployments.iter().flat_map(|deployment| &deployment.resources);
    let severities = resources().flat_map(|resource| &resource.risks).map(|risk| risk.severity.as_str());
    let filters = [
        Filter { name: "severity", label: "Risk", values: severities.collect() },
        Filter {
            name: "outcome",
            label: "Outcome",
            values: resources().map(|resource| word(resource.outcome)).collect(),
        },
        Filter {
            name: "service",
            label: "Service",
            values: resources().map(|resource| service(&resource.type_name)).collect(),
        },
        Filter {
            name: "file",
            label: "File",
            values: resources().filter_map(|resource| resource.file.as_deref()).collect(),
        },
    ];
    shell("What a change deploys", &intro(difference), &filters, &body)
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Create => "create",
        Outcome::Change => "change",
        Outcome::Remove => "remove",
        Outcome::Uncertain => "uncertain",
    }
}

fn intro(difference: &Difference) -> String {
    let (differing, all, unreadable) = difference.deployments();
    let mut text = format!(
        "<p>From {} to {}: {differing} of {all} deployments differ. {}.",
        code(&difference.old.name),
        code(&difference.new.name),
        difference.counts()
    );
    if unreadable > 0 {
        let _ = write!(text, " {unreadable} cannot be compared.");
    }
    text.push_str("</p>\n");
    let risks = Severity::ALL.map(|severity| (difference.risks(severity), severity.as_str()));
    for (count, word) in risks.iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(text, "<p class=\"{word}\">{count} {word} {}</p>", if *count == 1 { "risk" } else { "risks" });
    }
    if difference.leaves_resources() {
        text.push_str("<p>A resource that is no longer deployed is not deleted by an incremental deployment.</p>\n");
    }
    text
}

fn block(deployment: &Deployment) -> String {
    let with = deployment.parameters.as_ref().map_or_else(String::new, |file| format!(" with {}", code(file)));
    let parts = [deployment.note().to_owned(), deployment.counts()];
    let about: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut block = format!(
        "<details open data-group><summary>{}{with}: {}</summary>\n",
        code(&deployment.template),
        about.join("; ")
    );
    if !deployment.causes.is_empty() {
        block.push_str("<ul>\n");
        for cause in &deployment.causes {
            let values = values(cause.old.as_ref(), cause.new.as_ref());
            let _ = writeln!(block, "<li>parameter {}: {values}</li>", code(&cause.parameter));
        }
        block.push_str("</ul>\n");
    }
    deployment.resources.iter().for_each(|resource| block.push_str(&article(resource, deployment)));
    block.push_str("</details>\n");
    block
}

fn article(resource: &Resource, deployment: &Deployment) -> String {
    let severities: BTreeSet<&str> = resource.risks.iter().map(|risk| risk.severity.as_str()).collect();
    let severities: Vec<&str> = severities.into_iter().collect();
    let mut text = format!(
        "<article data-item data-severity=\"{}\" data-outcome=\"{}\" data-service=\"{}\" data-file=\"{}\">\n\
         <div><code>{}</code> {} {}",
        severities.join("\n"),
        word(resource.outcome),
        html(service(&resource.type_name)),
        html(resource.file.as_deref().unwrap_or_default()),
        resource.sign(),
        code(&resource.type_name),
        code(&resource.name),
    );
    if let Some(file) = &resource.file {
        let _ = write!(text, " <span class=\"place\">{}</span>", html(&format!("{file}:{}", resource.line)));
    }
    text.push_str("</div>\n<ul>\n");
    for note in resource.notes() {
        let _ = writeln!(text, "<li class=\"note\">{}</li>", prose(&note));
    }
    for risk in &resource.risks {
        let path = risk.path.as_ref().map_or_else(String::new, |path| format!(" ({})", code(path)));
        let word = risk.severity.as_str();
        let _ = writeln!(text, "<li><span class=\"{word}\">{word} risk</span>: {}{path}</li>", prose(&risk.message));
    }
    resource.changes.iter().for_each(|change| text.push_str(&property(change, deployment)));
    if resource.more_changes > 0 {
        let _ = writeln!(text, "<li>… and {} more properties</li>", resource.more_changes);
    }
    text.push_str("</ul>\n</article>\n");
    text
}

fn property(change: &Change, deployment: &Deployment) -> String {
    let cause = change.cause.and_then(|at| deployment.causes.get(at));
    let cause = cause.map_or_else(String::new, |cause| format!(" (parameter {})", code(&cause.parameter)));
    let values = values(change.old.as_ref(), change.new.as_ref());
    format!("<li>{}: {values}{cause}</li>\n", code(&change.path))
}

fn values(old: Option<&Shown>, new: Option<&Shown>) -> String {
    let [old, new] = both(old, new).map(|text| text.map_or_else(|| "(none)".to_owned(), code));
    if old == new { format!("{old}, changed") } else { format!("{old} → {new}") }
}
