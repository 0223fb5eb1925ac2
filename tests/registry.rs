//! Modules that are downloaded from a registry, which is a server on this machine.

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{Ended, Folder};
use crate::server::{Answer, Incoming, Reply, Server};

const LAYER: &str = "application/vnd.ms.bicep.module.layer.v1+json";
const TEMPLATE: &str = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0", "resources": [], "outputs": {"a": {"type": "string", "value": "b"}}}"#;
const TOKEN: &str = "for-everyone";

fn digest(bytes: &[u8]) -> String {
    let hex: Vec<String> = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", hex.concat())
}

fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Answer { status, headers, body: body.into() }
}

fn manifest() -> Value {
    json!({
        "schemaVersion": 2,
        "artifactType": "application/vnd.ms.bicep.module.artifact",
        "config": {"mediaType": "application/vnd.ms.bicep.module.config.v1+json", "digest": digest(b"{}"), "size": 2},
        "layers": [{"mediaType": LAYER, "digest": digest(TEMPLATE.as_bytes()), "size": TEMPLATE.len()}],
    })
}

/// What a registry with one module answers, before a test changes it.
fn honest(asked: &Incoming) -> Answer {
    let manifest = manifest().to_string();
    match asked.target.as_str() {
        "/v2/team/thing/manifests/1.0.0" => {
            answer(200, &[("docker-content-digest", &digest(manifest.as_bytes()))], manifest)
        }
        target if *target == format!("/v2/team/thing/manifests/{}", digest(manifest.as_bytes())) => {
            answer(200, &[], manifest)
        }
        target if *target == format!("/v2/team/thing/blobs/{}", digest(TEMPLATE.as_bytes())) => {
            answer(200, &[], TEMPLATE)
        }
        _ => answer(404, &[], "{}"),
    }
}

/// A registry, and a folder with a file that uses its module.
struct Team {
    folder: Folder,
    server: Server,
}

impl Team {
    /// A registry that answers as `change` says: it gets a request and the honest answer.
    fn new(change: impl Fn(&Incoming, Answer) -> Reply + Send + Sync + 'static) -> Self {
        let server = Server::start(move |asked| change(asked, honest(asked)));
        let team = Self { folder: Folder::new(), server };
        team.uses("thing:1.0.0");
        team
    }

    fn honest() -> Self {
        Self::new(|_, answer| Reply::Answer(answer))
    }

    fn host(&self) -> String {
        self.server.url().replace("http://", "")
    }

    fn uses(&self, module: &str) {
        let text = format!("module m 'br:{}/team/{module}' = {{}}\noutput x string = m.outputs.a\n", self.host());
        self.folder.write("work/main.bicep", text);
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let home = self.folder.path().join("home").display().to_string();
        let host = self.host();
        let common = [("HOME", home.as_str()), ("BICEP_TRUSTED_REGISTRIES", host.as_str())];
        self.folder.run_with(arguments, &[&common, variables].concat(), b"")
    }

    fn build(&self) -> Ended {
        self.run(&["build", "work/main.bicep", "--bicep", "builtin"], &[])
    }

    /// How often addresses were asked for whose path contains `part`.
    fn count(&self, part: &str) -> usize {
        self.server.asked().iter().filter(|asked| asked.target.contains(part)).count()
    }

    /// The folder of the module in the cache.
    fn cached(&self) -> std::path::PathBuf {
        let registry = self.host().replace(':', "$");
        self.folder.path().join("home/.cache/formwork/modules/br").join(registry).join("team$thing/1.0.0$")
    }
}

/// A build that fails, with one message that says why and what to do, and leaves nothing in the cache.
#[track_caller]
fn check_refused(team: &Team, why: &str) {
    let ended = team.build();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.lines().count()), (3, "", 1), "{ended:?}");
    let problem = ["bicep/restore", "BCP192"].map(|code| format!("main.bicep(1,10) : Error {code}: "));
    let name = format!("the module `br:{}/team/", team.host());
    assert!(problem.iter().any(|problem| ended.stderr.contains(problem.as_str())), "{why}: {ended:?}");
    assert!(ended.stderr.contains(&name) && ended.stderr.contains(why), "{why}: {ended:?}");
    assert!(!team.cached().join("main.json").exists());
}

#[test]
fn a_module_is_downloaded_once() {
    let team = Team::honest();
    for _ in 0..2 {
        let ended = team.build();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let template = &ended.json()["resources"]["m"]["properties"]["template"];
        assert_eq!(template["outputs"]["a"]["value"], "b");
    }
    assert_eq!((team.count("manifests"), team.count("blobs")), (1, 1));
    assert_eq!(fs::read_to_string(team.cached().join("main.json")).unwrap(), TEMPLATE);
    assert_eq!(fs::read_to_string(team.cached().join("manifest")).unwrap(), manifest().to_string());
    assert_eq!(fs::read_dir(team.cached()).unwrap().count(), 2, "no half of a file stays behind");
    let checked = team.run(&["check", "work", "--offline", "--strict"], &[]);
    assert_eq!(checked.code, 0, "{checked:?}");
}

#[test]
fn files_of_one_run_share_a_download() {
    let team = Team::honest();
    let text = fs::read_to_string(team.folder.path().join("work/main.bicep")).unwrap();
    for at in 0..8 {
        team.folder.write(&format!("work/other{at}.bicep"), &text);
    }
    let ended = team.run(&["check", "work", "--bicep", "builtin", "--cache-dir", "cache", "--threads", "8"], &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!((team.count("manifests"), team.count("blobs")), (1, 1));
    assert!(team.folder.path().join("cache/modules/br").exists());
}

#[test]
fn a_module_can_be_named_by_its_digest() {
    let team = Team::honest();
    team.uses(&format!("thing@{}", digest(manifest().to_string().as_bytes())));
    assert_eq!(team.build().code, 0);
    let other = Team::new(|asked, answer| {
        if asked.target.contains("manifests") {
            Reply::json(200, manifest().to_string())
        } else {
            Reply::Answer(answer)
        }
    });
    other.uses(&format!("thing@{}", digest(b"other")));
    check_refused(&other, "the manifest does not have the digest");
}

/// Other jobs of the runner can write to a cache.
#[test]
fn a_module_by_digest_is_compared_again_in_the_cache() {
    let team = Team::honest();
    let version = digest(manifest().to_string().as_bytes());
    team.uses(&format!("thing@{version}"));
    assert_eq!((team.build().code, team.count("manifests")), (0, 1));
    assert_eq!((team.build().code, team.count("manifests")), (0, 1), "the cache is used");
    let folder = team.cached().with_file_name(version.replace(':', "#"));
    assert!(folder.join("main.json").is_file(), "{}", folder.display());
    for (file, text) in [("main.json", TEMPLATE.replace('b', "c")), ("manifest", manifest().to_string() + " ")] {
        let honest = fs::read(folder.join(file)).unwrap();
        fs::write(folder.join(file), text).unwrap();
        let offline = team.run(&["build", "work/main.bicep", "--bicep", "builtin", "--offline"], &[]);
        assert_eq!(offline.code, 3, "{file}: {offline:?}");
        assert!(offline.stderr.contains("what is in the cache is not used: the "), "{file}: {offline:?}");
        let before = team.count("manifests");
        let ended = team.build();
        assert_eq!((ended.code, team.count("manifests")), (0, before + 1), "{file}: {ended:?}");
        assert_eq!(ended.json()["resources"]["m"]["properties"]["template"]["outputs"]["a"]["value"], "b");
        assert_eq!(fs::read(folder.join(file)).unwrap(), honest, "it is downloaded again");
    }
    fs::remove_file(folder.join("manifest")).unwrap();
    assert_eq!(team.run(&["build", "work/main.bicep", "--bicep", "builtin", "--offline"], &[]).code, 3);
}

#[test]
fn a_registry_is_asked_only_if_the_environment_trusts_it() {
    let team = Team::honest();
    let build = ["build", "work/main.bicep", "--bicep", "builtin"];
    let alias = json!({"moduleAliases": {"br": {"own": {"registry": team.host(), "modulePath": "team"}}}});
    team.folder.write("work/bicepconfig.json", alias.to_string());
    for text in
        ["module m 'br/own:thing:1.0.0' = {}\n", &format!("module m 'br:{}/team/thing:1.0.0' = {{}}\n", team.host())]
    {
        team.folder.write("work/main.bicep", text);
        let ended = team.run(&build, &[("BICEP_TRUSTED_REGISTRIES", "other.example")]);
        assert_eq!(ended.code, 3);
        let why = format!("`{}` is not a registry that formwork downloads from", team.host());
        assert!(ended.stderr.contains(&why) && ended.stderr.contains("BICEP_TRUSTED_REGISTRIES"), "{ended:?}");
    }
    assert!(team.server.asked().is_empty());
    assert_eq!(team.build().code, 0);
}

#[test]
fn an_offline_run_asks_nobody() {
    let team = Team::honest();
    let ended = team.run(&["build", "work/main.bicep", "--bicep", "builtin", "--offline"], &[]);
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("`--offline` prevents downloads"), "{ended:?}");
    let skipped = team.run(&["check", "work", "--bicep", "builtin", "--offline", "--format", "json"], &[]);
    assert_eq!((skipped.code, skipped.diagnostics()), (0, vec!["bicep/restore work/main.bicep:1".to_owned()]));
    assert_eq!(team.run(&["check", "work", "--bicep", "builtin", "--offline", "--strict"], &[]).code, 3);
    assert!(team.server.asked().is_empty());
}

#[test]
fn a_check_says_what_helps() {
    let team = Team::new(|_, _| Reply::json(401, "{}"));
    let ended = team.run(&["check", "work", "--bicep", "builtin", "--format", "json"], &[]);
    assert_eq!(ended.code, 0, "the module is listed as not checked: {ended:?}");
    let problem = &ended.json()["diagnostics"][0];
    assert!(problem["message"].as_str().unwrap().contains("the registry needs credentials"), "{problem}");
    assert!(problem["help"].as_str().unwrap().contains("bicep restore"), "{problem}");
}

#[test]
fn the_public_registry_is_asked_through_the_proxy() {
    let team = Team::new(|_, _| Reply::json(502, ""));
    team.folder.write("work/main.bicep", "module m 'br/public:avm/thing:1.0.0' = {}\n");
    let ended = team.run(&["build", "work/main.bicep"], &[("HTTPS_PROXY", &team.server.url())]);
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("the registry cannot be reached"), "{ended:?}");
    let asked = team.server.asked();
    assert_eq!((asked[0].method.as_str(), asked[0].target.as_str()), ("CONNECT", "mcr.microsoft.com:443"));
}

#[test]
fn a_registry_that_is_not_there_is_asked_once() {
    let team = Team::honest();
    // Port 1 is nobody's.
    let modules = [1, 2, 3, 4, 5].map(|at| format!("module m{at} 'br:127.0.0.1:1/team/thing:{at}' = {{}}\n"));
    team.folder.write("work/main.bicep", modules.concat());
    let ended = team.run(&["build", "work/main.bicep"], &[("BICEP_TRUSTED_REGISTRIES", "127.0.0.1:1")]);
    assert_eq!((ended.code, ended.stderr.lines().count()), (3, 1), "{ended:?}");
    assert!(ended.stderr.contains("5 modules are not in the module cache, and the registry cannot be reached"));
}

#[test]
fn tokens_for_everyone_are_fetched_and_sent_to_the_registry_alone() {
    let storage = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&storage);
    let elsewhere = Server::start(move |asked| {
        seen.lock().unwrap().push(asked.clone());
        Reply::Answer(answer(200, &[], TEMPLATE))
    });
    let place = elsewhere.url();
    let realm = Arc::new(Mutex::new(String::new()));
    let address = Arc::clone(&realm);
    let team = Team::new(move |asked, honest| {
        if asked.target.starts_with("/token?") {
            return Reply::json(200, json!({"access_token": TOKEN}).to_string());
        }
        if asked.header("authorization") != [format!("Bearer {TOKEN}")] {
            let realm = address.lock().unwrap();
            let challenge = format!("Bearer realm=\"{realm}\",service=\"team\",scope=\"repository:team/thing:pull\"");
            return Reply::Answer(answer(401, &[("www-authenticate", &challenge)], "{}"));
        }
        if asked.target.contains("blobs") {
            return Reply::Answer(answer(307, &[("location", &format!("{place}/blob?sig=1"))], ""));
        }
        Reply::Answer(honest)
    });
    *realm.lock().unwrap() = format!("{}/token", team.server.url());
    let ended = team.build();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert_eq!(team.count("/token?service=team&scope=repository%3Ateam%2Fthing%3Apull"), 1);
    let asked = storage.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].header("authorization").is_empty(), "{asked:?}");
}

#[test]
fn a_registry_that_wants_credentials_is_refused() {
    for challenge in ["Basic realm=\"x\"", "Bearer service=\"x\"", ""] {
        let team = Team::new(move |_, _| Reply::Answer(answer(401, &[("www-authenticate", challenge)], "{}")));
        check_refused(&team, "the registry needs credentials, which formwork does not use");
    }
    // A token that is not enough.
    let realm = Arc::new(Mutex::new(String::new()));
    let address = Arc::clone(&realm);
    let team = Team::new(move |asked, _| {
        let challenge = format!("Bearer realm=\"{}/token\"", address.lock().unwrap());
        if asked.target.starts_with("/token") {
            Reply::json(200, json!({"token": TOKEN}).to_string())
        } else {
            Reply::Answer(answer(401, &[("www-authenticate", &challenge)], "{}"))
        }
    });
    *realm.lock().unwrap() = team.server.url();
    check_refused(&team, "the registry needs credentials");
    assert_eq!(team.count("/token"), 1);
}

#[test]
fn no_other_place_is_asked_than_over_https() {
    // Documentation addresses: were one asked, the failure would be another one.
    for to in ["http://192.0.2.1/blob", "ftp://192.0.2.1/blob", "file:///etc/passwd", "https://u:p@192.0.2.1/", ""] {
        let team = Team::new(move |asked, honest| {
            if asked.target.contains("blobs") {
                Reply::Answer(answer(302, &[("location", to)], ""))
            } else {
                Reply::Answer(honest)
            }
        });
        check_refused(&team, if to.is_empty() { "refused" } else { "it leads to" });
        let realm = format!("Bearer realm=\"{to}\"");
        let team = Team::new(move |_, _| Reply::Answer(answer(401, &[("www-authenticate", &realm)], "{}")));
        check_refused(&team, if to.is_empty() { "needs credentials" } else { "it leads to" });
    }
}

#[test]
fn redirections_end() {
    let team = Team::new(|asked, _| Reply::Answer(answer(307, &[("location", &asked.target)], "")));
    check_refused(&team, "it redirects without end");
    assert_eq!(team.server.asked().len(), 6);
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let wrong_template = |asked: &Incoming, honest: Answer, body: Vec<u8>| {
        if asked.target.contains("blobs") { Answer { body, ..honest } } else { honest }
    };
    let same_length = TEMPLATE.replace("\"b\"", "\"c\"");
    let team = Team::new(move |asked, honest| Reply::Answer(wrong_template(asked, honest, same_length.clone().into())));
    check_refused(&team, "the template does not have the digest");
    let team = Team::new(move |asked, honest| Reply::Answer(wrong_template(asked, honest, TEMPLATE[..50].into())));
    check_refused(&team, "the template does not have the digest");
    let team = Team::new(move |asked, honest| Reply::Answer(wrong_template(asked, honest, vec![b' '; 1 << 20])));
    check_refused(&team, "an answer is longer than");
    let team = Team::new(|asked, honest| {
        if asked.target.contains("manifests") {
            Reply::Answer(answer(200, &[("docker-content-digest", &digest(b"other"))], honest.body))
        } else {
            Reply::Answer(honest)
        }
    });
    check_refused(&team, "the manifest does not have the digest");
    let team = Team::new(|_, _| Reply::Answer(answer(404, &[], "{}")));
    check_refused(&team, "the registry has no such module");
    // That is an error, and no module that may come later.
    assert_eq!(team.run(&["check", "work"], &[]).code, 3);
    let team = Team::new(|_, _| Reply::Answer(answer(418, &[], "{}")));
    check_refused(&team, "HTTP status 418");
}

#[test]
fn hostile_manifests_are_refused() {
    let layer = |digest: &str, size: u64| json!([{"mediaType": LAYER, "digest": digest, "size": size}]);
    for (body, why) in [
        ("<html>".to_owned(), "the manifest cannot be read"),
        (" ".repeat(5 << 20), "an answer is longer than 4194304 bytes"),
        (json!({"schemaVersion": 2, "layers": layer("sha256:0", 1)}).to_string(), "is not a digest"),
        (json!({"schemaVersion": 2, "layers": layer("../../../x", 1)}).to_string(), "is not a digest"),
        (json!({"schemaVersion": 2, "layers": layer(&digest(b""), u64::MAX)}).to_string(), "more than the limit of"),
        (json!({"schemaVersion": 2, "layers": []}).to_string(), "the manifest has no template"),
    ] {
        let team = Team::new(move |_, _| Reply::json(200, body.clone()));
        check_refused(&team, why);
    }
}

#[test]
fn a_module_that_is_no_template_is_an_error() {
    let team = Team::new(|asked, honest| {
        let body = b"[1]".to_vec();
        if asked.target.contains("manifests") {
            let layers = json!([{"mediaType": LAYER, "digest": digest(&body), "size": body.len()}]);
            return Reply::json(200, json!({"schemaVersion": 2, "layers": layers}).to_string());
        }
        Reply::Answer(Answer { status: 200, body, ..honest })
    });
    let ended = team.build();
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("main.bicep(1,10)") && ended.stderr.contains("is not a template"), "{ended:?}");
}

/// A blob whose connection breaks, `times` times.
fn breaking(times: usize) -> Team {
    let left = Mutex::new(times);
    Team::new(move |asked, honest| {
        let mut left = left.lock().unwrap();
        if asked.target.contains("blobs") && *left > 0 {
            *left -= 1;
            let length = honest.body.len().to_string();
            // The server says its own length as well; a client that sees two different ones gives up.
            let body = honest.body[..40].to_vec();
            return if left.is_multiple_of(2) {
                Reply::Silence
            } else {
                Reply::Answer(answer(200, &[("content-length", &length)], body))
            };
        }
        Reply::Answer(honest)
    })
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let team = breaking(2);
    let ended = team.build();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    check_refused(&breaking(9), "the download failed");
    let team = Team::new(|_, _| Reply::json(503, "{}"));
    check_refused(&team, "the download failed (HTTP status 503)");
    assert_eq!(team.server.asked().len(), 3);
}

#[test]
fn a_registry_that_does_not_answer_is_not_waited_for() {
    let team = Team::new(|_, honest| {
        std::thread::sleep(std::time::Duration::from_secs(20));
        Reply::Answer(honest)
    });
    team.folder.write("formwork.yaml", "configuration:\n  AZURE_BICEP_FILE_EXPANSION_TIMEOUT: 1\n");
    check_refused(&team, "the registry did not answer within 1 s");
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let team = Team::honest();
    team.folder.write("home/.cache/formwork/modules", "a file, where the folder should be");
    for _ in 0..2 {
        let ended = team.build();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    }
    assert_eq!(team.count("blobs"), 2);
}

#[test]
fn runs_at_the_same_time_share_a_cache() {
    let team = Team::honest();
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6).map(|_| scope.spawn(|| team.build().code)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(codes, [0; 6]);
    assert_eq!(fs::read_dir(team.cached()).unwrap().count(), 2);
    assert_eq!(fs::read_to_string(team.cached().join("main.json")).unwrap(), TEMPLATE);
}
