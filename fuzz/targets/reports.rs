#![no_main]

// Each reader refuses what is not meant for it by the schema that it names.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    #[cfg(feature = "github")]
    formwork_github::totality::report(data);
    formwork_check::totality::shard(data);
    formwork_check::totality::baseline(data);
    formwork_check::totality::difference(data);
});
