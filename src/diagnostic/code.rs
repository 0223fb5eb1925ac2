//! The codes of our own problems.

use crate::diagnostic::Level;

macro_rules! codes {
    ($($variant:ident $name:literal $level:ident $summary:literal;)*) => {
        /// A stable name for a kind of problem. Codes are never renamed once released; a test snapshots the list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $summary] $variant,)*
        }

        impl Code {
            /// Every code, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in reports, `family/problem`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }

            /// How bad such a problem usually is.
            pub const fn level(self) -> Level {
                match self { $(Self::$variant => Level::$level,)* }
            }
        }
    };
}

codes! {
    FileUnreadable "file/unreadable" Error "The file could not be read.";
    FileTooLarge "file/too-large" Error "The file is larger than the limit.";
    FileEncoding "file/encoding" Error "The file is not text in UTF-8, nor in UTF-16 with a byte order mark.";
    FileNotATemplate "file/not-a-template" Error "The file was named on the command line and is not a template that can be checked.";

    SyntaxJson "syntax/json" Error "The text is not JSON, even with comments and trailing commas.";
    SyntaxYaml "syntax/yaml" Error "The text is not YAML.";
    SyntaxBicep "syntax/bicep" Error "A part of a Bicep file cannot be read.";
    SyntaxDepth "syntax/depth" Error "Arrays and objects are nested deeper than the limit.";
    SyntaxDuplicateKey "syntax/duplicate-key" Warning "An object has the same key twice; the last one counts.";

    TemplateShape "template/shape" Error "A part of the template does not have the form that Resource Manager or CloudFormation expects.";
    TemplateValidate "template/validate" Error "A template validation error: a `validate` is not written by the rules of custom validation.";
    TemplateLink "template/link" Error "The template that a parameter file names cannot be used.";
    TemplateRemote "template/remote" Note "A linked template is not in the repository, so its resources are not seen.";
    TemplateLimit "template/limit" Error "The deployment grows past a limit.";
    TemplateCycle "template/cycle" Error "Resources form a dependency cycle.";
    TemplateDuplicate "template/duplicate" Error "Something is declared twice.";

    BicepTool "bicep/tool" Error "The Bicep CLI is missing, too old, or does not work, so Bicep files are not checked.";
    BicepFailed "bicep/failed" Error "The Bicep CLI failed with the file for a reason of its own.";
    BicepDiagnostic "bicep/diagnostic" Error "The Bicep compiler has something to say about the file.";
    BicepRestore "bicep/restore" Note "A module is not in the cache of the Bicep CLI, so what uses it is not checked.";

    ParameterFormat "parameter/format" Error "An entry of a parameter file has neither a value nor a reference.";
    ParameterUndefined "parameter/undefined" Error "A value is given for a parameter that the template does not declare.";
    ParameterMissing "parameter/missing" Warning "A parameter without a default has no value in the parameter file.";

    ExpressionSyntax "expression/syntax" Error "The expression does not follow the grammar.";
    ExpressionUnknownFunction "expression/unknown-function" Error "There is no function with this name.";
    ExpressionUndefined "expression/undefined" Error "The expression names something that is not declared.";
    ExpressionArguments "expression/arguments" Error "A function is called with arguments that it does not take.";
    ExpressionFailed "expression/failed" Error "Evaluating the expression failed, as it would in a deployment.";
    ExpressionRecursion "expression/recursion" Error "Something is defined in terms of itself.";
    ExpressionLimit "expression/limit" Error "Evaluating the expression takes more than the limit.";

    RuleSyntax "rule/syntax" Error "The rule file does not follow the grammar of its language.";
    RuleInvalid "rule/invalid" Error "A rule does not follow the rule language.";
    RuleSuspicious "rule/suspicious" Warning "A rule is legal and probably does not mean what its author wanted.";

    ConfigInvalid "config/invalid" Error "The configuration file has something that cannot be used.";
    ConfigUnknownKey "config/unknown-key" Warning "The configuration file has a key that means nothing.";

    BaselineInvalid "baseline/invalid" Error "The baseline has something that cannot be used.";
    BaselineStale "baseline/stale" Note "The baseline accepts findings that are not found any more.";

    InternalFault "internal/fault" Error "formwork itself failed on the file; the defect is ours.";
}
