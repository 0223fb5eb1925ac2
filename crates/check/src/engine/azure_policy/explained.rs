//! Explains what policies do with the resources of an expansion, with each condition.

use crate::engine::azure_policy::governance::subjects;
use crate::engine::azure_policy::request::request;
use crate::engine::{Governance, RunError, Threads};
use crate::model::{Document, Resource};
use crate::policy::judge::{Explained, Explanations, Question};
use crate::policy::{Assignment, Judged, Request};
use crate::text::Suggestions;

/// Explanation of what an assignment or a definition does with the resources of a document.
#[derive(Debug)]
pub struct PolicyAnswer<'d> {
    /// Explanations for each resource and each definition that applies to it, in the order of the resources.
    pub all: Vec<(&'d Resource, Explained)>,
    /// True if there may be more.
    pub is_cut: bool,
    /// Number of definitions that are meant. 0 if there is no such assignment or definition.
    pub definitions: usize,
}

/// The most explanations of one answer.
const MAX_EXPLAINED: usize = 100;

impl Governance<'_> {
    /// Explains what an assignment or a definition, given by its name, ID or title, does with the resources that
    /// `is_meant` picks. If `needs_all`, a definition is explained as well that does not apply to a resource.
    ///
    /// # Errors
    ///
    /// If the thread for the evaluation does not start.
    pub fn explain<'d>(
        &self,
        document: &'d Document,
        policy: &str,
        is_meant: &dyn Fn(&Resource) -> bool,
        needs_all: bool,
    ) -> Result<PolicyAnswer<'d>, RunError> {
        let subjects = subjects(document);
        let asked: Vec<usize> =
            subjects.iter().enumerate().filter(|(_, (_, own))| is_meant(own)).map(|(at, _)| at).collect();
        let explain = || {
            let requests: Vec<Request> = subjects.iter().map(|(_, own)| request(document, own)).collect();
            let question = Question { policy, requests: &asked, needs_all, most: MAX_EXPLAINED };
            self.in_force.explain(&question, &requests, &self.surroundings)
        };
        // Evaluation needs the stack of these threads.
        let Explanations { all, is_cut, definitions } = Threads::start(1)?.install(explain);
        let of_resource = |explained: Explained| Some((subjects.get(explained.request)?.1, explained));
        Ok(PolicyAnswer { all: all.into_iter().filter_map(of_resource).collect(), is_cut, definitions })
    }

    /// Evaluates all policies on the resources of a document.
    ///
    /// # Errors
    ///
    /// If the thread for the evaluation does not start.
    pub fn judge<'d>(&self, document: &'d Document) -> Result<Vec<(&'d Resource, Judged)>, RunError> {
        let subjects = subjects(document);
        let judge = || {
            let requests: Vec<Request> = subjects.iter().map(|(_, own)| request(document, own)).collect();
            self.in_force.judge(&requests, &self.surroundings)
        };
        let judged = Threads::start(1)?.install(judge);
        Ok(subjects.into_iter().map(|(_, resource)| resource).zip(judged).collect())
    }

    /// Returns the assignment at an index, which explanations and verdicts have.
    pub fn assignment(&self, at: usize) -> Option<&Assignment> {
        self.policies.assignments.get(at)
    }

    /// Returns the definitions that an assignment or a definition with this name, ID or title puts in force: see
    /// [`InForce::meant`](crate::policy::InForce::meant).
    pub fn meant(&self, policy: &str) -> Vec<(usize, &str, &str)> {
        self.in_force.meant(policy)
    }

    /// Returns the end of a message that there is no such assignment or definition, which suggests another name.
    pub fn suggestion(&self, name: &str) -> String {
        Suggestions::default().did_you_mean(name, self.in_force.names())
    }
}
