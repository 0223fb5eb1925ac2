//! The codes of diagnostics: problems that prevent formwork from reading, expanding, or checking an input.

use crate::diagnostic::{BicepCode, Level};

/// The consequence of a problem for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The run ends, because something that is needed before reading any input is invalid.
    EndsRun,
    /// An input cannot be analyzed. This fails the run unless it is allowed.
    Error,
    /// A part of an input is not checked, although it may be valid. This fails only a strict run.
    Unchecked,
    Warning,
    Note,
}

macro_rules! codes {
    ($($family:ident $family_name:literal { $($variant:ident $name:literal $effect:ident $summary:literal;)* })*) => {
        /// The subject of a code, which is the first part of its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum CodeFamily {
            $(#[doc = concat!("The codes `", $family_name, "/…`.")] $family,)*
        }

        /// A stable name for a kind of problem. A code never changes after its release. A test has a snapshot of the
        /// list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $summary] $variant,)*)*
        }

        impl Code {
            /// All codes, in the order of declaration.
            pub const ALL: &[Self] = &[$($(Self::$variant,)*)*];

            /// Returns the name in reports, `family/problem`.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $name,)*)* }
            }

            /// Returns the code with this name.
            pub fn read(name: &str) -> Option<Self> {
                if BicepCode::read_id(name).is_some() {
                    return Some(Self::BicepDiagnostic);
                }
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// Returns the subject.
            pub const fn family(self) -> CodeFamily {
                match self { $($(Self::$variant => CodeFamily::$family,)*)* }
            }

            /// Returns the meaning of a diagnostic with this code, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $($(Self::$variant => $summary,)*)* }
            }

            /// Returns the consequence of a diagnostic with this code, unless it has another level.
            pub const fn effect(self) -> Effect {
                match self { $($(Self::$variant => Effect::$effect,)*)* }
            }

            /// Returns the default level of a diagnostic with this code.
            pub const fn level(self) -> Level {
                match self.effect() {
                    Effect::EndsRun | Effect::Error => Level::Error,
                    Effect::Warning => Level::Warning,
                    Effect::Unchecked | Effect::Note => Level::Note,
                }
            }
        }
    };
}

codes! {
    File "file" {
        FileUnreadable "file/unreadable" Error "The file could not be read.";
        FileTooLarge "file/too-large" Error "The file is larger than the limit.";
        FileEncoding "file/encoding" Error "The file is not UTF-8, nor UTF-16 with a byte order mark.";
        FilePointer "file/git-lfs" Unchecked "The file is a pointer of Git LFS, and its content was not downloaded, so it is not checked.";
        FileSubmodule "file/submodule" Unchecked "A submodule is not checked out, so its files are not checked.";
        FileTemplated "file/templated" Unchecked "The file has placeholders of a template engine, such as that of Jinja or Go, so it is checked only as the engine writes it.";
        FileCookiecutter "file/cookiecutter" Unchecked "The file has placeholders of Cookiecutter, so it is checked only in the projects that are made of it.";
        FileTests "file/tests" Unchecked "The templates in a folder of tests are not checked.";
        FileNotATemplate "file/not-a-template" Error "The file was named on the command line and is not a template.";
    }
    Syntax "syntax" {
        SyntaxJson "syntax/json" Error "The file is not valid JSON, even with comments and trailing commas allowed.";
        SyntaxYaml "syntax/yaml" Error "The file is not valid YAML.";
        SyntaxToml "syntax/toml" Error "The file is not valid TOML.";
        SyntaxBicep "syntax/bicep" Error "A part of a Bicep file cannot be parsed.";
        SyntaxDepth "syntax/depth" Error "Arrays and objects are nested deeper than the limit.";
        SyntaxDuplicateKey "syntax/duplicate-key" Warning "An object has the same key twice; the last value is used.";
    }
    Template "template" {
        TemplateShape "template/shape" Error "A part of the template does not have the structure that Resource Manager or CloudFormation expects.";
        TemplateValidate "template/validate" Error "A template validation error: a `validate` does not follow the syntax of custom validation.";
        TemplateLink "template/link" Error "The template that a parameter file names cannot be used.";
        TemplateRemote "template/remote" Unchecked "A linked template is not in the repository, so its resources are not checked.";
        TemplateGuessed "template/guessed" Unchecked "A file of the repository was checked as a linked template, but a deployment may read another.";
        TemplateCondition "template/condition" Note "The condition of a resource depends on an environment that the settings do not describe, so the resource is checked as if it were deployed.";
        TemplateMacro "template/macro" Unchecked "A macro changes the template when it is deployed, so what it makes is not checked.";
        TemplateTransform "template/transform" Unchecked "A part of a template for AWS SAM is not expanded, so the resources that it would generate are not checked.";
        TemplateAzureStack "template/azure-stack" Unchecked "The template is for Azure Stack Hub, so the types of Azure and most rules are not checked.";
        TemplateLimit "template/limit" Error "Expanding the deployment exceeds a limit.";
        TemplateCycle "template/cycle" Error "Resources depend on each other in a cycle.";
        TemplateDuplicate "template/duplicate" Error "A resource or another part of the template is declared twice.";
        TemplateAmbiguous "template/ambiguous-name" Error "An object has two names that differ only in case, which Resource Manager does not tell apart.";
        TemplateSchema "template/schema" Error "The file looks like a template or a parameter file, but its `$schema` is missing or unknown.";
        TemplateProperty "template/unknown-property" Error "A part of the template has a section or a property that Resource Manager does not know.";
        TemplateSegments "template/name-segments" Error "The name of a resource does not have one segment for each segment of its type.";
        TemplateType "template/type" Error "The type of a resource is not written as Resource Manager requires it.";
        TemplateDependency "template/dependency" Error "A resource depends on something that its template does not declare.";
    }
    Bicep "bicep" {
        BicepTool "bicep/tool" Error "The Bicep CLI is missing, too old, or not working. A note says that the built-in compiler takes its place; after an error, Bicep files are not checked.";
        BicepFailed "bicep/failed" Error "The Bicep CLI failed to build the file and did not say why in a diagnostic.";
        BicepDiagnostic "bicep/diagnostic" Error "The Bicep compiler reported a problem in the file.";
        BicepRestore "bicep/restore" Unchecked "A module or an extension is not available, so what it deploys is not checked.";
    }
    Parameter "parameter" {
        ParameterFormat "parameter/format" Error "An entry of a parameter file has neither a value nor a reference.";
        ParameterUndefined "parameter/undefined" Error "A value is set for a parameter that the template does not declare.";
        ParameterRequired "parameter/required" Error "A nested deployment sets no value for a parameter without a default value.";
        ParameterMissing "parameter/missing" Warning "The parameter file has no value for a parameter without a default value.";
    }
    Expression "expression" {
        ExpressionSyntax "expression/syntax" Error "The expression has a syntax error.";
        ExpressionUnknownFunction "expression/unknown-function" Error "The expression calls a function that does not exist.";
        ExpressionUndefined "expression/undefined" Error "The expression refers to a name that is not declared.";
        ExpressionArguments "expression/arguments" Error "A function is called with arguments that it does not accept.";
        ExpressionPlacement "expression/placement" Error "A function is called where Resource Manager does not allow it.";
        ExpressionFailed "expression/failed" Error "Evaluating the expression failed, as it would in a deployment.";
        ExpressionRecursion "expression/recursion" Error "A definition refers to itself.";
        ExpressionLimit "expression/limit" Error "Evaluating the expression exceeds a limit.";
    }
    Rule "rule" {
        RuleSyntax "rule/syntax" EndsRun "The rule file has a syntax error.";
        RuleInvalid "rule/invalid" EndsRun "A rule does not follow its rule language.";
        RuleSuspicious "rule/suspicious" Warning "A rule is valid, but probably does not do what its author intended.";
    }
    AzurePolicy "azure-policy" {
        AzurePolicyInvalid "azure-policy/invalid" EndsRun "A file of Azure policies cannot be used.";
        AzurePolicyUnresolved "azure-policy/unresolved" Unchecked "An assigned policy decides nothing, because its definition is not found or a part of it is unknown.";
        AzurePolicyNotJudged "azure-policy/not-judged" Note "A service judges assigned definitions itself, and formwork does not.";
    }
    Config "config" {
        ConfigInvalid "config/invalid" EndsRun "The settings file has an invalid value.";
        ConfigUnknownKey "config/unknown-key" Warning "The settings file has an unknown key.";
        ConfigBase "config/base" Warning "The change edits settings, and those of its base count for this check.";
        ConfigWeakened "config/weakened" Warning "The change weakens the settings that count for its own check.";
        ConfigNotImported "config/not-imported" Note "A setting of another tool has no counterpart, or is read only by `formwork init`.";
    }
    Baseline "baseline" {
        BaselineInvalid "baseline/invalid" EndsRun "The baseline has an invalid value.";
        BaselineStale "baseline/stale" Note "The baseline has entries that no longer match a finding.";
    }
    Internal "internal" {
        InternalFault "internal/fault" Error "formwork failed on the file because of a bug in formwork, or because the system ended it.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_the_codes_of_its_name() {
        for &code in Code::ALL {
            let (family, _) = code.as_str().split_once('/').unwrap();
            assert_eq!(format!("{:?}", code.family()).to_lowercase(), family.replace('-', ""), "{code:?}");
        }
    }
}
