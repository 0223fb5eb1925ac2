//! Temporary: in-process timing.
use formwork::machinery::*;
use std::{sync::Arc, time::Instant};
fn main() {
    std::thread::Builder::new().stack_size(64 << 20).spawn(real).unwrap().join().unwrap();
}
fn real() {
    let dir = std::env::args().nth(1).unwrap();
    let mut files = vec![];
    fn walk(d: &std::path::Path, o: &mut Vec<std::path::PathBuf>) {
        for e in std::fs::read_dir(d).unwrap() {
            let p = e.unwrap().path();
            if p.is_dir() {
                walk(&p, o)
            } else if p.file_name().unwrap().to_string_lossy().ends_with(".json") {
                o.push(p)
            }
        }
    }
    walk(std::path::Path::new(&dir), &mut files);
    let texts: Vec<(String, Arc<str>)> =
        files.iter().map(|p| (p.display().to_string(), decode(std::fs::read(p).unwrap()).unwrap().into())).collect();
    for _ in 0..5 {
        let t = Instant::now();
        for (_, x) in &texts {
            let _ = std::hint::black_box(serde_json::from_str::<serde_json::Value>(x));
        }
        let serde = t.elapsed();
        let sources = Sources::new();
        let t = Instant::now();
        let parsed: Vec<_> = texts
            .iter()
            .map(|(n, x)| {
                let f = sources.add(n.as_str(), x.clone());
                (n, f, json::parse(f, x, 256).value)
            })
            .collect();
        let parse = t.elapsed();
        let ctx = Context::default();
        let limits = Limits::default();
        let t = Instant::now();
        let mut n = 0;
        let mut worst = (std::time::Duration::ZERO, String::new());
        for (name, f, v) in &parsed {
            let Some(v) = v else { continue };
            if name.contains("arameters") {
                continue;
            }
            let params = name.replace("azuredeploy.json", "azuredeploy.parameters.json");
            let p = if params != **name {
                parsed.iter().find(|x| *x.0 == params).and_then(|x| x.2.as_ref().map(|v| (x.1, v)))
            } else {
                None
            };
            let t1 = Instant::now();
            let e = expand(&Request {
                file: *f,
                template: v,
                parameters: p,
                overrides: &[],
                context: &ctx,
                limits: &limits,
            });
            n += e.document.map_or(0, |d| d.resources.len());
            if t1.elapsed() > worst.0 {
                worst = (t1.elapsed(), (*name).clone());
            }
        }
        println!("serde {serde:?} parse {parse:?} expand {:?} resources {n} worst {worst:?}", t.elapsed());
    }
}
