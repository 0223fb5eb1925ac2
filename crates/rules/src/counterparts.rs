//! Rules of other tools that correspond to ours: the table `rules/data/counterparts.txt`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use foldhash::HashMap;

/// A tool with rules in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    TemplateAnalyzer,
    PsRule,
    Checkov,
    CfnNag,
    CfnLint,
    GuardRegistry,
}

/// IDs of cfn-nag that are as long as those of cfn-lint. Source: its rules `SageMaker*KmsKeyIdRule`.
const LONG_IDS_OF_CFN_NAG: [&str; 2] = ["W1200", "W1201"];

/// Length of cfn-lint's IDs, `E3002`. Almost all IDs of cfn-nag are shorter, `W28`.
const CFN_LINT: usize = 5;

impl Tool {
    /// Returns the name that users know.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TemplateAnalyzer => "Template Analyzer",
            Self::PsRule => "PSRule",
            Self::Checkov => "checkov",
            Self::CfnNag => "cfn-nag",
            Self::CfnLint => "cfn-lint",
            Self::GuardRegistry => "Guard Rules Registry",
        }
    }

    /// Returns the name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::TemplateAnalyzer => "template-analyzer",
            Self::PsRule => "psrule",
            Self::Checkov => "checkov",
            Self::CfnNag => "cfn-nag",
            Self::CfnLint => "cfn-lint",
            Self::GuardRegistry => "guard-rules-registry",
        }
    }

    /// Returns the tool whose rules have such IDs.
    fn from_id(id: &str) -> Self {
        if id.starts_with("TA-") {
            Self::TemplateAnalyzer
        } else if id.starts_with("Azure.") {
            Self::PsRule
        } else if id.starts_with("CKV") {
            Self::Checkov
        } else if LONG_IDS_OF_CFN_NAG.contains(&id) {
            Self::CfnNag
        } else if id.len() == CFN_LINT && id.strip_prefix(['E', 'W', 'I']).is_some_and(is_number) {
            Self::CfnLint
        } else if id.strip_prefix(['W', 'F']).is_some_and(is_number) {
            Self::CfnNag
        } else {
            Self::GuardRegistry
        }
    }
}

/// Share of our rule's findings that the other rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All findings, or more.
    Whole,
    /// All findings, but only on some of the resources.
    SomeResources,
    /// Some of the findings.
    Part,
}

impl Extent {
    /// Returns the name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::SomeResources => "some-resources",
            Self::Part => "part",
        }
    }
}

/// A rule of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterpart {
    pub tool: Tool,
    pub id: &'static str,
    pub extent: Extent,
}

impl fmt::Display for Counterpart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)?;
        match self.extent {
            Extent::Whole => Ok(()),
            Extent::SomeResources => f.write_str(" (some resources)"),
            Extent::Part => f.write_str(" (part)"),
        }
    }
}

/// A line of the table.
#[derive(Clone, Debug)]
struct CounterpartRow {
    ours: &'static str,
    theirs: Vec<Counterpart>,
    /// True if the narrower rules of a tool together have all findings.
    add_up: bool,
}

/// Lines of the table.
static ROWS: LazyLock<Vec<CounterpartRow>> = LazyLock::new(|| {
    formwork_builtin::COUNTERPARTS.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

/// Returns the IDs of the rules and checks in the table.
pub fn own_ids() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.ours)
}

/// Lines that name a rule of another tool, by its ID in capitals. A template may name hundreds.
static NAMED: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut named: HashMap<String, Vec<usize>> = HashMap::default();
    for (at, row) in ROWS.iter().enumerate() {
        row.theirs.iter().for_each(|known| named.entry(known.id.to_ascii_uppercase()).or_default().push(at));
    }
    named
});

fn row(line: &'static str) -> Option<CounterpartRow> {
    let mut words = line.split_whitespace();
    let ours = words.next()?;
    let (mut theirs, mut add_up) = (Vec::new(), true);
    for word in words {
        if word == "..." {
            add_up = false;
            continue;
        }
        let (id, extent) = match (word.strip_suffix('<'), word.strip_suffix('@')) {
            (Some(id), _) => (id, Extent::Part),
            (_, Some(id)) => (id, Extent::SomeResources),
            _ => (word, Extent::Whole),
        };
        theirs.push(Counterpart { tool: Tool::from_id(id), id, extent });
    }
    Some(CounterpartRow { ours, theirs, add_up })
}

/// Returns the counterparts of one of our rules or checks.
pub fn counterparts(ours: &str) -> Vec<Counterpart> {
    let row = ROWS.iter().find(|row| row.ours.eq_ignore_ascii_case(ours));
    row.map(|row| row.theirs.clone()).unwrap_or_default()
}

/// Purpose of naming rules of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The rules run, so every rule of ours with some of their findings has to run.
    Run,
    /// The rules are not run at all: a rule of ours is only skipped if they have all of its findings.
    Skip,
    /// The rules are skipped on a single resource.
    SkipOnResource,
}

/// Our rules that correspond to some rules of another tool.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ours {
    /// Our rules in the order of the table, each with the indexes of the other tool's rules.
    pub rules: Vec<(&'static str, Vec<usize>)>,
    /// Our rules with more findings than the given ones, with the indexes of those.
    pub narrower: Vec<(&'static str, Vec<usize>)>,
}

impl Ours {
    /// True if the rule at this index has a counterpart.
    pub fn knows(&self, at: usize) -> bool {
        self.rules.iter().chain(&self.narrower).any(|(_, theirs)| theirs.contains(&at))
    }
}

/// Returns our counterparts of another tool's rules. IDs may have the wildcards `*` and `?`, and are case-insensitive.
pub fn ours(theirs: &[&str], purpose: Purpose) -> Ours {
    let mut found = Ours::default();
    for row in rows(theirs) {
        let named: Vec<(usize, &Counterpart)> = theirs
            .iter()
            .enumerate()
            .flat_map(|(at, id)| row.theirs.iter().filter(|known| is_meant(id, known.id)).map(move |known| (at, known)))
            .collect();
        if named.is_empty() {
            continue;
        }
        let mut indexes: Vec<usize> = named.iter().map(|&(at, _)| at).collect();
        indexes.dedup();
        let is_whole = named.iter().any(|&(_, known)| {
            let suffices = match purpose {
                Purpose::Run => true,
                Purpose::Skip => known.extent == Extent::Whole,
                Purpose::SkipOnResource => known.extent != Extent::Part,
            };
            suffices || row.has_all_parts(known.tool, &named)
        });
        if is_whole { &mut found.rules } else { &mut found.narrower }.push((row.ours, indexes));
    }
    found
}

impl CounterpartRow {
    /// True if the named rules include all narrower rules of a tool, and these together have all findings.
    fn has_all_parts(&self, tool: Tool, named: &[(usize, &Counterpart)]) -> bool {
        let narrower: Vec<&Counterpart> =
            self.theirs.iter().filter(|known| known.tool == tool && known.extent != Extent::Whole).collect();
        self.add_up && narrower.len() > 1 && narrower.iter().all(|known| named.iter().any(|(_, other)| other == known))
    }
}

/// Returns the lines of the table that may be about rules of other tools, in order.
fn rows<'a>(theirs: &'a [&str]) -> Box<dyn Iterator<Item = &'static CounterpartRow> + 'a> {
    if theirs.iter().any(|pattern| pattern.contains(['*', '?'])) {
        return Box::new(ROWS.iter());
    }
    let named = theirs.iter().filter_map(|id| NAMED.get(&without_module(id).to_ascii_uppercase()));
    let named: BTreeSet<usize> = named.flatten().copied().collect();
    Box::new(named.into_iter().filter_map(|at| ROWS.get(at)))
}

/// True if an ID or a pattern matches the ID of a rule.
fn is_meant(pattern: &str, id: &str) -> bool {
    let (pattern, id) = (without_module(pattern).to_ascii_uppercase(), id.to_ascii_uppercase());
    matches(pattern.as_bytes(), id.as_bytes())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns an ID without the module that `PSRule` allows before it.
fn without_module(id: &str) -> &str {
    id.rsplit('\\').next().unwrap_or(id)
}

/// True if a pattern with `*` and `?` matches a whole name.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(byte) if *byte == b'?' || Some(byte) == name.get(from) => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((stood, reached)) => {
                    at = stood + 1;
                    from = reached + 1;
                    star = Some((stood, from));
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_about_one_of_our_rules_and_names_each_counterpart_once() {
        let all: Vec<&str> = formwork_builtin::FILES.iter().map(|(_, text)| *text).collect();
        let is_rule = |id: &str| {
            all.iter().any(|text| text.contains(&format!("\"{id}\"")) || text.contains(&format!("id: {id}")))
        };
        // Crates above this one declare the checks, and test that their IDs are right.
        let is_check = |id: &str| id.contains('/');
        let mut seen = BTreeSet::new();
        for row in ROWS.iter() {
            assert!(is_rule(row.ours) || is_check(row.ours), "{}", row.ours);
            assert!(seen.insert(row.ours) && !row.theirs.is_empty(), "{}", row.ours);
            let ids: BTreeSet<&str> = row.theirs.iter().map(|known| known.id).collect();
            assert_eq!(ids.len(), row.theirs.len(), "{}", row.ours);
        }
        assert!(seen.len() > 90, "{}", seen.len());
    }

    #[test]
    fn an_id_tells_its_tool() {
        let tools = ["W28", "W1201", "F1000", "W2001", "E3002"].map(|id| Tool::from_id(id).key());
        assert_eq!(tools, ["cfn-nag", "cfn-nag", "cfn-nag", "cfn-lint", "cfn-lint"]);
    }

    #[track_caller]
    fn check(theirs: &[&str], purpose: Purpose, expected: &str) {
        let found = ours(theirs, purpose);
        let show = |rules: &[(&str, Vec<usize>)]| rules.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(" ");
        let narrower = if found.narrower.is_empty() { String::new() } else { format!(" < {}", show(&found.narrower)) };
        assert_eq!(format!("{}{narrower}", show(&found.rules)), expected, "{theirs:?}");
    }

    #[test]
    fn a_rule_that_finds_the_same_or_more_is_ours() {
        check(&["CKV_AZURE_3"], Purpose::Skip, "AZ-STORAGE-001");
        check(&["ckv_azure_42"], Purpose::Skip, "AZ-KEYVAULT-001 AZ-KEYVAULT-002");
        check(&[r"PSRule.Rules.Azure\Azure.Storage.SecureTransfer"], Purpose::Skip, "AZ-STORAGE-001");
        check(
            &["CKV_AZURE_4?"],
            Purpose::Skip,
            "AZ-KEYVAULT-001 AZ-KEYVAULT-002 AZ-KEYVAULT-007 AZ-KEYVAULT-008 AZ-STORAGE-002 AZ-VMSS-001",
        );
        check(&["Azure.SignalR.*"], Purpose::Skip, "AZ-SIGNALR-003 AZ-SIGNALR-004");
        check(&["CKV_AZURE_9999", "Azure.Storage"], Purpose::Skip, "");
        assert!(!ours(&["CKV_AZURE_9999", "W1"], Purpose::Run).knows(0));
        assert!(ours(&["CKV_AZURE_9999", "CKV_AZURE_3"], Purpose::Run).knows(1));
        assert!(ours(&["CKV_AZURE_9"], Purpose::Skip).knows(0));
    }

    #[test]
    fn narrower_rules_are_ours_only_together() {
        check(&["CKV_AZURE_9"], Purpose::Skip, " < AZ-NSG-001 AZ-NSG-002");
        check(&["CKV_AZURE_9"], Purpose::SkipOnResource, " < AZ-NSG-001 AZ-NSG-002");
        check(&["CKV_AZURE_9"], Purpose::Run, "AZ-NSG-001 AZ-NSG-002");
        check(&["CKV_AZURE_9", "CKV_AZURE_10"], Purpose::Skip, "AZ-NSG-001 AZ-NSG-002");
        check(&["TA-000004"], Purpose::Skip, " < AZ-APPSERVICE-001");
        check(&["TA-000004"], Purpose::SkipOnResource, "AZ-APPSERVICE-001");
        check(&["TA-000004", "TA-000010", "TA-000016"], Purpose::Skip, "AZ-APPSERVICE-001");
        check(&["TA-000004", "CKV_AZURE_70", "CKV_AZURE_153"], Purpose::Skip, " < AZ-APPSERVICE-001");
        check(&["TA-000025"], Purpose::Skip, " < AZ-AKS-023");
        let versions = ["Azure.AppService.NETVersion", "Azure.AppService.PHPVersion", "Azure.AppService.NodeJsVersion"];
        check(&versions, Purpose::Skip, " < AZ-APPSERVICE-015");
        check(&["W43"], Purpose::Skip, " < AWS-IAM-001");
        check(&["W43"], Purpose::SkipOnResource, "AWS-IAM-001");
    }

    #[test]
    fn patterns_match_whole_names() {
        let is = |pattern: &str, name: &str| matches(pattern.as_bytes(), name.as_bytes());
        assert!(is("A*C*E", "ABCDE") && is("*", "") && is("A**", "A") && is("?", "x"));
        assert!(is("A*B", "AB") && is("A*B", "AxBB"));
        assert!(!is("A*C", "ABCD") && !is("", "A") && !is("?", "") && !is("A", "AA"));
    }

    #[test]
    fn the_form_of_an_id_tells_its_tool() {
        let tools: Vec<&str> =
            ["TA-000001", "Azure.VM.Name", "CKV_AWS_1", "W2", "F10", "W2001", "WAFV2_LOGGING_ENABLED"]
                .iter()
                .map(|id| Tool::from_id(id).key())
                .collect();
        let expected =
            ["template-analyzer", "psrule", "checkov", "cfn-nag", "cfn-nag", "cfn-lint", "guard-rules-registry"];
        assert_eq!(tools, expected);
    }
}
