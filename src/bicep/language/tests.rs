use super::*;
use crate::text::Sources;

fn walk(dir: &std::path::Path, f: &mut dyn FnMut(&std::path::Path)) {
    for e in std::fs::read_dir(dir).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() { walk(&p, f) } else if p.extension().is_some_and(|x| x == "bicep" || x == "bicepparam") { f(&p) }
    }
}

#[test]
fn tmp_all() {
    let Ok(dirs) = std::env::var("BICEP_DIRS") else { return };
    let (mut n, mut bad) = (0, 0);
    let sources = Sources::new();
    for d in dirs.split(':') {
        walk(std::path::Path::new(d), &mut |p| {
            let Ok(text) = std::fs::read_to_string(p) else { return };
            let id = sources.add(p.to_string_lossy().into_owned(), text.clone());
            let (_, problems) = parse(id, &text);
            n += 1;
            if !problems.is_empty() {
                bad += 1;
                let (pos, _) = sources.range(problems[0].primary.span);
                println!("{}:{}:{} {}", p.display(), pos.line, pos.column, problems[0].message);
            }
        });
    }
    println!("{n} files, {bad} bad");
}
