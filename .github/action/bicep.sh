#!/usr/bin/env bash
# Installs the version of the Bicep CLI that the input `bicep-version` names, and writes its path to the step's outputs.
#
# If the `PATH` has this version, it is used. Otherwise it is taken from the tool cache or downloaded from the releases of
# Azure/bicep, and in both cases verified with the SHA-256 checksum in the table beside this file or in the input
# `bicep-checksum`. A version without a checksum is rejected, because Azure/bicep does not publish checksums.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/checkout.sh"
leave_checkout
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/download.sh"

# The name of the release file for this runner; empty if there is none.
asset() {
    case ${RUNNER_OS:-}/${RUNNER_ARCH:-} in
        Linux/X64) echo bicep-linux-x64 ;;
        Linux/ARM64) echo bicep-linux-arm64 ;;
        macOS/X64) echo bicep-osx-x64 ;;
        macOS/ARM64) echo bicep-osx-arm64 ;;
        Windows/X64) echo bicep-win-x64.exe ;;
        Windows/ARM64) echo bicep-win-arm64.exe ;;
    esac
}

# The version of a Bicep CLI, which prints `Bicep CLI version 0.45.15 (0123456789)`.
version_of() {
    "$1" --version 2>/dev/null | sed -n 's/^Bicep CLI version \([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# from_release VERSION ASSET CHECKSUM: sets `bin`.
from_release() {
    local kept
    kept=$(kept_file formwork-bicep "$1" "$2")
    bin=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")/bicep$suffix
    if ! take "$kept" "$3" "$bin"; then
        fetch "$releases/v$1/$2" "$3" "$bin"
        keep "$bin" "$kept"
    fi
    chmod +x "$bin"
}

suffix=$(program_suffix)
# A mirror has the same layout as the release downloads on GitHub.
releases=${FORMWORK_BICEP_RELEASES:-https://github.com/Azure/bicep/releases/download}

version=${FORMWORK_BICEP_VERSION#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
    fail "\`bicep-version\` is \`$version\`; expected a version such as \`0.45.15\`"
validate_checksum bicep-checksum "${FORMWORK_BICEP_CHECKSUM:-}"

bin=$(command -v bicep || true)
if [[ -z $bin || $(version_of "$bin") != "$version" ]]; then
    name=$(asset)
    [[ -n $name ]] || fail "there is no Bicep CLI for ${RUNNER_OS:-}/${RUNNER_ARCH:-}"
    checksum=${FORMWORK_BICEP_CHECKSUM:-$(listed_checksum "$here/bicep-checksums.txt" "$version/$name")}
    [[ -n $checksum ]] ||
        fail "Bicep $version is not on the \`PATH\`, and this commit of the action does not know its checksum; set \`bicep-checksum\` to the SHA-256 checksum of $name"
    from_release "$version" "$name" "$checksum"
    found=$(version_of "$bin")
    [[ $found == "$version" ]] ||
        fail "the Bicep CLI at $bin reports version \`$found\`; expected $version. It may not run on this system"
fi
output bin "$bin"
printf 'using Bicep CLI %s: %s\n' "$version" "$bin"
