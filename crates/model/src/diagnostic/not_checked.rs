//! Parts of a run that are not checked, although they may be valid.

use std::str::FromStr;

macro_rules! kinds {
    ($($variant:ident $name:literal $summary:literal;)*) => {
        /// The reason why a part of the inputs is not checked. Reports contain the names, so they are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum NotChecked {
            $(#[doc = $summary] $variant,)*
        }

        impl NotChecked {
            /// All reasons, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name in reports.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the meaning in one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }
        }
    };
}

kinds! {
    RemoteTemplate "remote-template" "A deployment or a stack has a template that is not in the repository.";
    GuessedTemplate "guessed-template" "A deployment or a stack has a template that is only guessed to be a file of the repository.";
    GuessedParameters "guessed-parameters" "A deployment has a parameter file that is only guessed to be a file of the repository.";
    RemoteParameters "remote-parameters" "A deployment has a parameter file that is not in the repository.";
    OrphanParameters "orphan-parameters" "No template belongs to a parameter file.";
    Branches "branches" "Conditions of a template allow for more combinations than a run looks at.";
    Macro "macro" "CloudFormation replaces a part of the template by what a macro, a module, or another tool makes.";
    Transform "transform" "A part of a template for AWS SAM is not expanded.";
    AzureStack "azure-stack" "A template is for Azure Stack Hub, and what only Azure has is not checked.";
    Environment "environment-variable" "A parameter file reads an environment variable that has no default value.";
    BicepModule "bicep-module" "A Bicep file uses a module that is not in a module cache, or an extension whose types are not known.";
    Pointer "git-lfs" "A file is a pointer of Git LFS, and its content was not downloaded.";
    Cookiecutter "cookiecutter" "A file is not a template before Cookiecutter makes a project of it.";
    Templated "templated" "A file is not a template before a template engine, such as that of Jinja or Go, writes it.";
    Tests "tests" "Templates are in a folder of tests, which nobody deploys.";
    Submodule "submodule" "A submodule is not checked out.";
    Link "link" "A symbolic link leads out of the repository.";
    Policy "azure-policy" "An assigned Azure policy decides nothing, because it is not found or a part of it is unknown.";
}

impl FromStr for NotChecked {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_a_name_of_its_own() {
        for kind in NotChecked::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
    }
}
