//! Proxies, other hosts, and where the token goes.

use serde_json::json;

use crate::github::fake::{Fault, TOKEN, status};
use crate::github::{Job, NEW_SUMMARY, REVIEW, check_exit};
use crate::server::{Answer, Reply, Server};

/// A server that says the same to all.
fn witness(code: u16) -> Server {
    Server::start(move |_| Reply::Answer(Answer { status: code, ..Answer::default() }))
}

/// A redirection to an address.
fn redirection(code: u16, to: &str) -> Fault {
    let mut answer = status(code, &json!({"message": "Moved Permanently"}));
    answer.headers.push(("location".to_owned(), to.to_owned()));
    Fault::Refused(answer)
}

#[test]
fn redirections_to_other_hosts_are_not_followed() {
    let elsewhere = witness(200);
    let address = format!("{}/api/v3/repos/org/infra/pulls/12", elsewhere.url());
    for (method, end) in [("GET", "/pulls/12"), ("POST", "/reviews")] {
        for code in [301, 302, 307, 308] {
            let job = Job::new(&["a"]);
            job.github.world().fault(method, end, redirection(code, &address));
            let ended = job.report();
            check_exit(&ended, 3);
            assert!(elsewhere.asked().is_empty());
        }
    }
}

#[test]
fn a_repository_that_was_renamed_is_followed_on_its_host() {
    let job = Job::new(&["a"]);
    job.github.world().fault("GET", "/pulls/12", redirection(301, "/api/v3/repos/org/infra/pulls/12"));
    let to = format!("{}/api/v3/repos/org/infra/pulls/12/reviews", job.github.url());
    job.github.world().fault("POST", "/reviews", redirection(307, &to));
    check_exit(&job.report(), 0);
    assert_eq!(job.writes(), [REVIEW, REVIEW, NEW_SUMMARY]);
    assert_eq!(job.commented_lines().len(), 1);
}

#[test]
fn redirections_end() {
    let job = Job::new(&["a"]);
    for _ in 0..10 {
        job.github.world().fault("GET", "/pulls/12", redirection(302, "/api/v3/repos/org/infra/pulls/12"));
    }
    let ended = job.report();
    check_exit(&ended, 3);
    assert_eq!(ended.stderr, "error: GitHub refuses: it redirects without end\n");
}

#[test]
fn a_proxy_for_plain_addresses_is_used() {
    let proxy = witness(502);
    let job = Job::new(&["a"]);
    let url = proxy.url();
    let ended =
        job.report_with(&["--review"], &[("HTTP_PROXY", &url), ("GITHUB_API_URL", "http://github.test/api/v3")]);
    check_exit(&ended, 3);
    let seen = proxy.asked();
    assert_eq!(seen[0].target, "http://github.test/api/v3/repos/org/infra/pulls/12");
    // This proxy is named by the user, so it may see what is sent over a plain connection.
    assert_eq!(seen[0].header("authorization"), [format!("Bearer {TOKEN}")]);
}

#[test]
fn a_proxy_for_safe_addresses_sees_only_the_host() {
    let job = Job::new(&["a"]);
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let proxy = witness(403);
        let address = proxy.url().replace("http://", "http://user:password@");
        let variables = [(name, address.as_str()), ("GITHUB_API_URL", "https://github.test/api/v3")];
        let ended = job.report_with(&["--review"], &variables);
        check_exit(&ended, 3);
        assert!(ended.stderr.starts_with("error: GitHub could not be reached: "), "{ended:?}");
        assert!(!ended.stderr.contains("password"), "{ended:?}");
        let seen = proxy.asked();
        assert_eq!((seen[0].method.as_str(), seen[0].target.as_str()), ("CONNECT", "github.test:443"));
        assert!(!format!("{seen:?}").contains(TOKEN));
        assert_eq!(seen[0].header("proxy-authorization"), ["Basic dXNlcjpwYXNzd29yZA=="]);
    }
}

#[test]
fn hosts_without_a_proxy_are_asked_directly() {
    let proxy = witness(502);
    let job = Job::new(&["a"]);
    let url = proxy.url();
    check_exit(&job.report_with(&["--review"], &[("HTTP_PROXY", &url), ("NO_PROXY", "127.0.0.1")]), 0);
    assert!(proxy.asked().is_empty());
    assert_eq!(job.writes(), [REVIEW]);
}

#[test]
fn the_token_of_formwork_comes_first() {
    let job = Job::new(&["a"]);
    check_exit(&job.report_with(&["--review"], &[("GITHUB_TOKEN", "other"), ("FORMWORK_TOKEN", TOKEN)]), 0);
}

#[test]
fn a_server_that_repeats_the_token_does_not_bring_it_into_the_log() {
    let job = Job::new(&["a"]);
    let message = format!("no rights for {TOKEN}");
    job.github.world().fault("POST", "/reviews", Fault::Refused(status(403, &json!({"message": message}))));
    let ended = job.report();
    assert!(ended.stdout.contains("no rights for ***"), "{ended:?}");
}

#[test]
fn a_server_that_is_not_there_is_named_as_such() {
    let job = Job::new(&["a"]);
    let gone = witness(200).url();
    let ended = job.report_with(&["--review"], &[("GITHUB_API_URL", &gone)]);
    check_exit(&ended, 3);
    assert!(ended.stderr.starts_with("error: GitHub could not be reached: no connection: "), "{ended:?}");
}
