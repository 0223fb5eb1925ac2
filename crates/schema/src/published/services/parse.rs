//! Reads files of facts. The format is in `CONTRIBUTING.md`, "Add a fact of a service".

use crate::published::services::fact::{Condition, Evidence, Fact, FactTarget, ServiceFile};
use crate::published::services::path::Path;
use crate::published::services::predicate::Predicate;

/// A fact of which not all lines are read.
#[derive(Default)]
struct Draft {
    path: Option<Path>,
    conditions: Vec<Condition>,
    must: Option<Predicate>,
    words: Option<&'static str>,
    message: Option<&'static str>,
    is_usual: bool,
    is_secret: bool,
    evidence: Evidence,
}

/// The types that the facts after them are about.
#[derive(Default)]
struct FactTargets {
    targets: Vec<FactTarget>,
    /// True until the first fact: further types join the group.
    is_open: bool,
}

/// Reads a file. What cannot be read is a problem, and left out.
pub(super) fn parse(text: &'static str) -> ServiceFile {
    let mut file = ServiceFile::default();
    let mut group = FactTargets::default();
    let mut draft: Option<Draft> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let (word, rest) = trimmed.split_once(' ').map_or((trimmed, ""), |(word, rest)| (word, rest.trim()));
        let result = if line.starts_with(' ') {
            draft.as_mut().ok_or("is not in a fact").and_then(|draft| draft.read(word, rest))
        } else {
            if let Some(draft) = draft.take() {
                draft.finish(&group, &mut file);
            }
            match word {
                "service" => {
                    file.service = rest;
                    Ok(())
                }
                "type" => group.add(rest),
                "fact" => {
                    group.is_open = false;
                    let path = Path::parse(rest);
                    let is_path = path.is_some();
                    let evidence = Evidence { line: number, ..Evidence::default() };
                    draft = Some(Draft { path, evidence, ..Draft::default() });
                    if is_path { Ok(()) } else { Err("has a path that cannot be read") }
                }
                _ => Err("begins with an unknown word"),
            }
        };
        if let Err(problem) = result {
            file.problems.push(format!("line {number} {problem}: {trimmed}"));
        }
    }
    if let Some(draft) = draft {
        draft.finish(&group, &mut file);
    }
    file
}

impl FactTargets {
    /// Reads `Microsoft.X/y`, or `Microsoft.X/y at properties.z[*]`.
    fn add(&mut self, text: &'static str) -> Result<(), &'static str> {
        if !self.is_open {
            *self = Self { is_open: true, ..Self::default() };
        }
        let (type_name, at) = text.split_once(" at ").map_or((text, "."), |(name, at)| (name, at));
        let at = Path::parse(at).ok_or("has a path that cannot be read")?;
        if type_name.contains(' ') || type_name.is_empty() || at.leaves_resource() {
            return Err("does not name a type");
        }
        self.targets.push(FactTarget { type_name, at });
        Ok(())
    }
}

impl Draft {
    fn read(&mut self, word: &str, rest: &'static str) -> Result<(), &'static str> {
        match word {
            "when" => self.conditions.push(read_condition(rest, false)?),
            "unless" => self.conditions.push(read_condition(rest, true)?),
            "must" => self.must = Some(Predicate::parse(rest).ok_or("has a requirement that cannot be read")?),
            "words" => self.words = Some(rest),
            "message" => self.message = Some(rest),
            "usual" => self.is_usual = true,
            "secret" => self.is_secret = true,
            "code" => self.evidence.code = rest,
            "source" => {
                let (source, date) = rest.rsplit_once(' ').ok_or("has no date")?;
                (self.evidence.source, self.evidence.date) = (source, date);
            }
            "bad" => self.evidence.bad.push(rest),
            "good" => self.evidence.good.push(rest),
            _ => return Err("begins with an unknown word"),
        }
        Ok(())
    }

    fn finish(self, group: &FactTargets, file: &mut ServiceFile) {
        let Self { conditions, words, message, evidence, .. } = self;
        let line = evidence.line;
        let (Some(path), Some(must)) = (self.path, self.must) else {
            return file.problems.push(format!("line {line}: the fact has no path or no requirement"));
        };
        if group.targets.is_empty() || path.leaves_resource() {
            let problem = format!("line {line}: the fact has no type, or its path leads to another resource");
            return file.problems.push(problem);
        }
        let (targets, must) = (group.targets.clone(), Predicate { words, ..must });
        let (is_certain, is_secret) = (!self.is_usual, self.is_secret);
        file.facts.push(Fact { targets, path, conditions, must, message, is_secret, is_certain, evidence });
    }
}

fn read_condition(text: &'static str, is_negated: bool) -> Result<Condition, &'static str> {
    let (path, predicate) = text.split_once(' ').ok_or("has no predicate")?;
    let path = Path::parse(path).ok_or("has a path that cannot be read")?;
    let predicate = Predicate::parse(predicate).ok_or("has a predicate that cannot be read")?;
    Ok(Condition { path, predicate, is_negated })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &'static str, facts: usize, problems: &[&str]) {
        let file = parse(text);
        assert_eq!(
            (file.facts.len(), file.problems),
            (facts, problems.iter().map(|&text| text.to_owned()).collect()),
            "{text}"
        );
    }

    #[test]
    fn facts_are_read() {
        let text = "service S\ntype A/b\ntype A/c at d[*]\nfact e\n  when /sku is x\n  must be absent\n\nfact f\n  must have 1 to 3 items";
        check(text, 2, &[]);
        let file = parse(text);
        assert_eq!(file.service, "S");
        assert_eq!(file.facts[1].targets.iter().map(|target| target.type_name).collect::<Vec<_>>(), ["A/b", "A/c"]);
    }

    #[test]
    fn types_after_a_fact_begin_a_group() {
        let file = parse("type A/b\nfact e\n  must be present\ntype A/c\nfact e\n  must be present");
        assert_eq!(file.facts[1].targets.iter().map(|target| target.type_name).collect::<Vec<_>>(), ["A/c"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_problem() {
        check("fact a\n  must be absent", 0, &["line 1: the fact has no type, or its path leads to another resource"]);
        check("type A/b\nfact a", 0, &["line 2: the fact has no path or no requirement"]);
        check(
            "type A/b\nfact a..b\n  must be absent",
            0,
            &["line 2 has a path that cannot be read: fact a..b", "line 2: the fact has no path or no requirement"],
        );
        check(
            "type A/b\nfact a\n  must vanish\n  must be absent",
            1,
            &["line 3 has a requirement that cannot be read: must vanish"],
        );
        check(
            "type A/b\nfact a\n  must be absent\n  whne b is c",
            1,
            &["line 4 begins with an unknown word: whne b is c"],
        );
        check(
            "type A/b\nfact ^.a\n  must be absent",
            0,
            &["line 2: the fact has no type, or its path leads to another resource"],
        );
        check("  must be absent", 0, &["line 1 is not in a fact: must be absent"]);
    }
}
