//! Temporary driver: eval only.
use formwork::{
    arm,
    model::Limits,
    syntax::json,
    text::{FileId, Sources, Span},
    value::Value,
};
use std::sync::Arc;
fn main() {
    let h = std::thread::Builder::new().stack_size(64 << 20).spawn(real).unwrap();
    std::process::exit(h.join().unwrap());
}
fn real() -> i32 {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let sources = Sources::new();
    let limits = Limits::default();
    match args[0].as_str() {
        "eval" => {
            let mut ctx = Value::object(vec![]);
            if args[1] == "--context" {
                let t: Arc<str> = std::fs::read_to_string(&args[2]).unwrap().into();
                let f = sources.add("ctx", t.clone());
                ctx = json::parse(f, &t, 256).value.unwrap();
            }
            let e = args.last().unwrap();
            let f = sources.add("expr", e.as_str());
            match arm::evaluate(e, Span::new(f, 0, e.len() as u32), &ctx, &limits) {
                Ok(v) => {
                    if let Some(u) = v.as_unknown() {
                        println!("{}", serde_json::json!({"$unknown": &*u.why}));
                    } else {
                        println!("{}", v.to_json())
                    }
                    0
                }
                Err(d) => {
                    for d in d {
                        eprintln!("{}: {}", d.code.as_str(), d.message);
                    }
                    1
                }
            }
        }
        "expand" => {
            let read = |p: &str| {
                let t: Arc<str> = formwork::text::decode(std::fs::read(p).unwrap()).unwrap().into();
                let f = sources.add(p, t.clone());
                (f, json::parse(f, &t, 256).value.unwrap())
            };
            let mut params = None;
            let mut file = None;
            let mut cfg = Value::object(vec![]);
            let mut i = 1;
            while i < args.len() {
                match args[i].as_str() {
                    "--parameters" => {
                        params = Some(read(&args[i + 1]));
                        i += 1;
                    }
                    "--config" => {
                        cfg = read(&args[i + 1]).1.get("configuration").cloned().unwrap();
                        i += 1;
                    }
                    p => file = Some(read(p)),
                }
                i += 1;
            }
            let (f, t): (FileId, Value) = file.unwrap();
            let ctx = arm::Context::from_config(&cfg);
            let e = arm::expand(&arm::Request {
                file: f,
                template: &t,
                parameters: params.as_ref().map(|(f, v)| (*f, v)),
                overrides: &[],
                context: &ctx,
                limits: &limits,
            });
            for d in &e.diagnostics {
                let (p, _) = sources.range(d.primary.span);
                eprintln!(
                    "{} {}:{}:{}: {}: {}",
                    d.level.as_str(),
                    sources.get(d.primary.span.file).name(),
                    p.line,
                    p.column,
                    d.code.as_str(),
                    d.message
                );
            }
            if let Some(d) = &e.document {
                for r in &d.resources {
                    println!("{} {} {}", r.id, r.path, r.body.to_json());
                }
                println!("outputs {}", d.deployments[0].outputs.to_json());
            }
            0
        }
        _ => 2,
    }
}
