#![no_main]

// Each reader refuses what is not meant for it by the schema that it names.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    #[cfg(feature = "github")]
    formwork_github::invariants::report(data);
    formwork_check::invariants::shard(data);
    formwork_check::invariants::baseline(data);
    formwork_check::invariants::difference(data);
});
