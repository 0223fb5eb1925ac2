//! What holds for every report of a part that is read back: see [`crate::totality`].

use std::path::Path;

use crate::join::{Around, Named, join};
use crate::totality::{check_problems, check_span};

/// A report: alone, or one of two that are joined, it gives a run whose findings have places.
pub fn shard(bytes: &[u8]) {
    let around = Around { working: Path::new("/gone/for/certain"), file_bytes: 1 << 20 };
    let read = || Named::read("part.json".to_owned(), bytes);
    let Ok(named) = read() else { return };
    for parts in [vec![named], read().into_iter().chain(read()).collect()] {
        let Ok(joined) = join(parts, &around) else { continue };
        let run = &joined.run;
        check_problems(&run.diagnostics, &run.sources);
        run.findings.iter().for_each(|finding| check_span(finding.span, &run.sources));
        crate::engine::totality::check_rendered(run);
    }
}
