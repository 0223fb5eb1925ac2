//! Limits, at which a run stops with a diagnostic. Templates come from strangers: none may make formwork hang, overflow
//! the stack or take all memory.

/// Bounds of one run. Reaching one is a diagnostic, never a crash. They protect from what a template multiplies, not from
/// what it says: where a limit is about computed things, a long text raises it. The defaults are here; `limits` in the settings of a
/// run changes them, and nothing else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of a file in bytes.
    pub file_bytes: u64,
    /// Arrays and objects in each other, written or computed.
    pub nesting: u32,
    /// Length of an expression in bytes that is still evaluated. Resource Manager takes 24,576 characters.
    pub expression_bytes: usize,
    /// Evaluations in each other: calls, variables and parameters, and the arrays, objects, resources and nested templates
    /// around them.
    pub call_depth: u32,
    /// Steps that one deployment may take: calls of functions, and values and 16-byte pieces of strings that they build.
    /// Each byte of its templates allows for one more.
    pub steps: u64,
    /// Bytes of the arrays and objects that the evaluation of one deployment holds at a time. Each byte of its templates
    /// allows for four more.
    pub memory_bytes: usize,
    /// Length of a computed string in bytes.
    pub text_bytes: usize,
    /// Values in one computed array or object, with everything in it. Each two bytes of the templates allow for one more.
    pub value_weight: u32,
    /// Iterations of one `copy` loop. Resource Manager takes 800.
    pub copies: i64,
    /// Resources of one document beyond those that are written: what loops and templates that are deployed again add.
    pub resources: usize,
}

impl Limits {
    /// The largest size of a file, in bytes, that settings may allow.
    pub const MAX_FILE_BYTES: u64 = 1 << 30;

    /// The deepest evaluation that settings may allow: what fits the stack of a worker thread in a build that is not
    /// optimized.
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
