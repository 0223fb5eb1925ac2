#!/usr/bin/env bash
# Brings the Bicep CLI of the version that the input `bicep-version` names, and writes its path to the outputs of the step.
#
# Where the `PATH` has that version, it is used. Otherwise it is taken from the releases of Azure/bicep by version and
# SHA-256, from the table beside this file or from the input `bicep-checksum`, and kept in the tool cache. A version
# without a checksum is refused: Azure/bicep publishes none that could be asked for here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/download.sh"

# The file that a release has for this runner; nothing if there is none.
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
    local folder staging
    folder=$(tool_folder formwork-bicep "$1")
    bin=$folder/bicep$suffix
    if is_kept "$folder" "$3" "bicep$suffix"; then
        return
    fi
    staging=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")
    mkdir "$staging/content"
    fetch "$releases/v$1/$2" "$3" "$staging/content/bicep$suffix"
    chmod +x "$staging/content/bicep$suffix"
    keep "$folder" "$3" "$staging/content"
    rm -rf "$staging"
}

suffix=$(program_suffix)
# A mirror that is laid out like the downloads of GitHub.
releases=${FORMWORK_BICEP_RELEASES:-https://github.com/Azure/bicep/releases/download}

version=${FORMWORK_BICEP_VERSION#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
    fail "\`bicep-version\` is \`$version\`, wanted one like \`0.45.15\`"
wanted_checksum bicep-checksum "${FORMWORK_BICEP_CHECKSUM:-}"

bin=$(command -v bicep || true)
if [[ -z $bin || $(version_of "$bin") != "$version" ]]; then
    name=$(asset)
    [[ -n $name ]] || fail "there is no Bicep CLI for ${RUNNER_OS:-}/${RUNNER_ARCH:-}"
    checksum=${FORMWORK_BICEP_CHECKSUM:-$(listed_checksum "$here/bicep-checksums.txt" "$version/$name")}
    [[ -n $checksum ]] ||
        fail "Bicep $version is not on the \`PATH\`, and its checksum is not known here: give the SHA-256 of $name as \`bicep-checksum\`"
    from_release "$version" "$name" "$checksum"
    found=$(version_of "$bin")
    [[ $found == "$version" ]] ||
        fail "the Bicep CLI at $bin says that its version is \`$found\`, wanted $version; it may not run on this system"
fi
output bin "$bin"
printf 'Bicep CLI %s is used: %s\n' "$version" "$bin"
