//! Limits at which a run stops with a diagnostic. Templates are untrusted: they must not make formwork hang, overflow
//! the stack, or exhaust memory.

/// Limits of one run. Exceeding one results in a diagnostic, not a crash. They restrict computed values, not the size
/// of the text: a longer template has higher limits for computed values. The defaults are here, and only `limits` in
/// the settings changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a file in bytes.
    pub file_bytes: u64,
    /// Maximum nesting of arrays and objects, literal or computed.
    pub nesting: u32,
    /// Maximum length of an evaluated expression in bytes. Resource Manager accepts 24,576 characters.
    pub expression_bytes: usize,
    /// Maximum nesting of evaluations: calls, variables, parameters, and the arrays, objects, resources, and nested
    /// templates around them.
    pub call_depth: u32,
    /// Maximum number of steps of one deployment: function calls, and values and 16-byte pieces of strings that they
    /// create. Each byte of the templates adds one.
    pub steps: u64,
    /// Maximum memory of the arrays and objects of one deployment during evaluation, in bytes. Each byte of the
    /// templates adds four.
    pub memory_bytes: usize,
    /// Maximum length of a computed string in bytes.
    pub text_bytes: usize,
    /// Maximum number of values in one computed array or object, including nested ones. Each two bytes of the
    /// templates add one.
    pub value_weight: u32,
    /// Maximum number of iterations of one `copy` loop. Resource Manager accepts 800.
    pub copies: i64,
    /// Maximum number of resources of one document that loops and repeated templates add to the declared ones.
    pub resources: usize,
}

impl Limits {
    /// Maximum file size in bytes that settings may allow.
    pub const MAX_FILE_BYTES: u64 = 1 << 30;

    /// Maximum evaluation depth that settings may allow. It fits the stack of a worker thread in an unoptimized
    /// build.
    pub const MAX_CALL_DEPTH: u32 = 4096;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 128 << 20,
            nesting: 256,
            expression_bytes: 128 << 10,
            call_depth: 1024,
            steps: 3_000_000,
            memory_bytes: 64 << 20,
            text_bytes: 4 << 20,
            value_weight: 500_000,
            copies: 800,
            resources: 20_000,
        }
    }
}
