//! A checkout that tries to choose which programs run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::action::job::{ACTION, Ended, INSTALL, Job, PROGRAMS};
use crate::harness::{standin, template};

/// What `rustup` and `cargo` obey: the toolchain and the settings in the current folder or above it.
const RUSTUP: &str = r#"
echo "cargo in $PWD" >>"$RUNNER_TEMP/folders"
folder=$PWD
while [ -n "$folder" ]; do
    if [ -z "$toolchain" ] && [ -f "$folder/rust-toolchain.toml" ]; then
        toolchain=$folder
        own=$(sed -n 's/^path = "\(.*\)"/\1/p' "$folder/rust-toolchain.toml")
        [ -z "$own" ] || exec "$folder/$own/bin/cargo" "$@"
    fi
    wrapper=$(sed -n 's/^rustc-wrapper = "\(.*\)"/\1/p' "$folder/.cargo/config.toml" 2>/dev/null)
    [ -z "$wrapper" ] || "$folder/$wrapper"
    folder=${folder%/*}
done
[ ! -f "$CARGO_HOME/config.toml" ] || "$(sed -n 's/^rustc-wrapper = "\(.*\)"/\1/p' "$CARGO_HOME/config.toml")"
[ -z "$RUSTC_WRAPPER" ] || "$RUSTC_WRAPPER"
"#;

/// A job with programs in the checkout that note that they ran.
struct Hostile(Job);

impl Hostile {
    fn new() -> Self {
        let it = Self(Job::new());
        let job = &it.0;
        job.program("cargo", &format!("{RUSTUP}\n{INSTALL}"));
        job.write("workspace/main.json", template(r#""resources": []"#));
        let others = ["cargo", "rustc", "rustup", "gh", "bicep", "az", "formwork", "python3", "sh", "env"];
        for name in PROGRAMS.iter().chain(&others) {
            for folder in ["", "bin/", "node_modules/.bin/"] {
                it.program(&format!("{folder}{name}"));
            }
        }
        it
    }

    /// Puts a program into the checkout.
    fn program(&self, name: &str) {
        let path = format!("workspace/{name}");
        self.0.write(&path, format!("#!/bin/sh\necho {name} >>'{}'\n", self.0.path("ran").display()));
        fs::set_permissions(self.0.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Names the folders of these programs on the `PATH`, before the others.
    fn on_the_path(&self) -> &Self {
        let at = |name: &str| self.0.path(name).display().to_string();
        symlink(self.0.path("workspace/bin"), self.0.path("linked")).unwrap();
        let folders = [
            "",
            ".",
            "node_modules/.bin",
            "../workspace/bin",
            &at("workspace"),
            &at("temp/../workspace/bin"),
            &at("linked"),
            &at("path"),
            "",
        ];
        self.0.variable("PATH", &folders.join(":"));
        self
    }

    #[track_caller]
    fn check(&self) -> Ended {
        let ended = self.0.run();
        let ran = fs::read_to_string(self.0.path("ran")).unwrap_or_default();
        assert_eq!(ran, "", "programs of the checkout ran: {ended:?}");
        assert_eq!(ended.code, 0, "{ended:?}");
        ended
    }
}

#[test]
fn the_toolchain_of_the_checkout_does_not_build_formwork() {
    let it = Hostile::new();
    it.program("evil/bin/cargo");
    it.0.write("workspace/rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n");
    it.program("wrapper");
    it.0.write("workspace/.cargo/config.toml", "[build]\nrustc-wrapper = \"wrapper\"\n");
    it.check();
    let folders = fs::read_to_string(it.0.path("temp/folders")).unwrap();
    assert!(!folders.contains("workspace") && folders.lines().count() == 1, "{folders}");
}

#[test]
fn the_checkout_does_not_build_an_action_that_is_in_a_subfolder_of_it() {
    let it = Hostile::new();
    it.program("wrapper");
    it.0.write("workspace/.cargo/config.toml", "[build]\nrustc-wrapper = \"wrapper\"\n");
    for name in ACTION {
        let content = fs::read(it.0.path("action").join(name)).unwrap();
        it.0.write(&format!("workspace/vendor/formwork/{name}"), content);
    }
    let action = it.0.path("workspace/vendor/formwork");
    it.0.variable("GITHUB_ACTION_PATH", action.to_str().unwrap());
    it.check();
}

#[test]
fn variables_do_not_lead_back_into_the_checkout() {
    let it = Hostile::new();
    it.program("wrapper");
    let wrapper = it.0.path("workspace/wrapper").display().to_string();
    it.0.write("workspace/.cargo/config.toml", format!("[build]\nrustc-wrapper = \"{wrapper}\"\n"));
    it.0.write("workspace/start.sh", "bin/sh\n");
    for (name, value) in
        [("CARGO_HOME", ".cargo"), ("RUSTC_WRAPPER", "wrapper"), ("BASH_ENV", "start.sh"), ("ENV", "start.sh")]
    {
        it.0.variable(name, it.0.path("workspace").join(value).to_str().unwrap());
    }
    it.check();
    it.0.variable("BASH_ENV", "start.sh").variable("CARGO_HOME", ".cargo").variable("CDPATH", ".");
    it.check();
}

#[test]
fn no_step_finds_its_programs_in_the_checkout() {
    let it = Hostile::new();
    it.on_the_path().0.git(&["init", "--quiet", "--initial-branch=main"]);
    it.0.commit();
    it.check();
    it.0.write("workspace/main.bicep", "param unused string = ''\n").input("bicep-compiler", "cli").with_bicep();
    it.0.write("workspace/main.bicep.twin", template(r#""resources": []"#));
    it.0.input("bicep-version", "0.46.1").input("summary-comment", "true").input("upload-sarif", "true");
    it.0.input("fail-on", "never");
    let ended = it.check();
    assert!(ended.log.contains("using Bicep CLI 0.46.1: ") && ended.log.contains("/path/bicep"), "{ended:?}");
}

#[test]
fn formwork_alone_does_not_find_the_bicep_cli_in_the_checkout() {
    let it = Hostile::new();
    it.on_the_path().0.write("workspace/main.bicep", "output one int = 1\n");
    let run = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(["check", "main.bicep", "--format=json"]).current_dir(it.0.path("workspace")).env_clear();
        command.envs(it.0.environment()).env("FORMWORK_CACHE_DIR", it.0.path("temp")).output().unwrap()
    };
    let output = run();
    let ran = fs::read_to_string(it.0.path("ran")).unwrap_or_default();
    assert!(!ran.contains("bicep"), "{ran}");
    assert_eq!(output.status.code(), Some(0), "the built-in compiler builds it: {output:?}");
    // A CLI outside of the checkout is found behind them, and does not run in the checkout.
    it.0.write("workspace/main.bicep.twin", template(r#""resources": []"#));
    let noted = it.0.path("temp/bicep-folder");
    it.0.program(
        "bicep",
        &format!("echo \"$PWD $PATH\" >'{}'\nexec '{}' \"$@\"", noted.display(), standin().display()),
    );
    run();
    let noted = fs::read_to_string(noted).unwrap();
    let path = it.0.path("path").display().to_string();
    assert_eq!(noted.trim_end(), format!("{path} {path}"));
}
