//! Arguments that each function expects, as the end of a message that begins with the function's name.

pub(crate) const BASE64: &str = "takes a string";
pub(crate) const CIDR: &str = "takes a list of an address block, a number of blocks and a number of bits";
pub(crate) const FIND_IN_MAP: &str = "takes a list of the name of a mapping and two keys";
pub(crate) const GET_ATT: &str = "takes the name of a resource and an attribute";
pub(crate) const GET_AZS: &str = "takes the name of a Region";
pub(crate) const GET_STACK_OUTPUT: &str =
    "takes an object with `StackName`, `OutputName`, and perhaps `Region` and `RoleArn`";
pub(crate) const IF: &str = "takes the name of a condition and two values";
pub(crate) const IMPORT_VALUE: &str = "takes the name of an export";
pub(crate) const JOIN: &str = "takes a list of a delimiter and a list of strings";
pub(crate) const LENGTH: &str = "takes a list";
pub(crate) const REF: &str = "takes the name of a parameter or a resource";
pub(crate) const SELECT: &str = "takes a list of an index and a list";
pub(crate) const SPLIT: &str = "takes a list of a delimiter and a string";
pub(crate) const SUB: &str = "takes a string, or a list of a string and an object";
pub(crate) const TO_JSON_STRING: &str = "takes an object or a list";
