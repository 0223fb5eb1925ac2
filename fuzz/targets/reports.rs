#![no_main]

// Each reader refuses what is not meant for it by the schema that it names.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    #[cfg(feature = "github")]
    formwork_github::totality::report(data);
    formwork::totality::shard(data);
    formwork::totality::baseline(data);
    formwork::totality::difference(data);
});
