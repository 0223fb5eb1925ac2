#!/usr/bin/env bash
# Brings the formwork binary, and writes its path and version to the outputs of the step.
#
# A release is taken by version and SHA-256, from the table that was committed with this revision of the action or from
# the input `checksum`, and is kept in the tool cache. A revision that is no release has no row in the table: it is
# built from its own sources. A wrong checksum ends the run, it never falls back.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/download.sh"

# The version in the manifest of this revision.
own_version() {
    sed -n 's/^version = "\([^"]*\)".*/\1/p' "$root/Cargo.toml" | head -n 1
}

# The target that releases have for this runner; nothing if there is none.
target() {
    case ${RUNNER_OS:-}/${RUNNER_ARCH:-} in
        Linux/X64) echo x86_64-unknown-linux-musl ;;
        Linux/ARM64) echo aarch64-unknown-linux-musl ;;
        macOS/X64) echo x86_64-apple-darwin ;;
        macOS/ARM64) echo aarch64-apple-darwin ;;
        Windows/X64) echo x86_64-pc-windows-msvc ;;
        Windows/ARM64) echo aarch64-pc-windows-msvc ;;
    esac
}

# verify_attestation FILE NAME. Only where the API can be asked: not without a token, nor without a `gh` that knows how.
verify_attestation() {
    if [[ -z ${GH_TOKEN:-} || -z ${FORMWORK_REPOSITORY:-} ]] || ! gh attestation verify --help >/dev/null 2>&1; then
        return 0
    fi
    muted gh attestation verify "$1" --repo "$FORMWORK_REPOSITORY" ||
        fail "the attestation of $2 was not confirmed; \`token: ''\` leaves this check out"
}

# from_release ARCHIVE VERSION CHECKSUM: sets `bin`.
from_release() {
    local folder staging
    folder=$(tool_folder formwork "$2")
    bin=$folder/formwork$suffix
    if is_kept "$folder" "$3" "formwork$suffix"; then
        return
    fi
    staging=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")
    fetch "$releases/v$2/$1" "$3" "$staging/archive"
    verify_attestation "$staging/archive" "$1"
    mkdir "$staging/content"
    # By redirection: GNU tar takes the colon of a Windows path for a host.
    (cd "$staging/content" && tar -xzf - <"$staging/archive")
    [[ -f $staging/content/formwork$suffix ]] || fail "$1 holds no formwork$suffix"
    keep "$folder" "$3" "$staging/content"
    rm -rf "$staging"
}

# Sets `bin`. The checkout stays as it is: what is built lies in the temporary folder of the job.
from_source() {
    command -v cargo >/dev/null ||
        fail "this revision of the action is no release for ${RUNNER_OS:-}/${RUNNER_ARCH:-}, and \`cargo\` to build it was not found"
    printf '::group::Build formwork %s from source\n' "$1"
    CARGO_TARGET_DIR=$RUNNER_TEMP/formwork-target \
        cargo install --path "$root" --locked --features github --root "$RUNNER_TEMP/formwork-source" ||
        fail "formwork cannot be built"
    printf '::endgroup::\n'
    bin=$RUNNER_TEMP/formwork-source/bin/formwork$suffix
}

suffix=$(program_suffix)
# A mirror that is laid out like the downloads of GitHub.
releases=${FORMWORK_RELEASES:-}
if [[ -z $releases && -n ${FORMWORK_REPOSITORY:-} ]]; then
    releases=https://github.com/$FORMWORK_REPOSITORY/releases/download
fi

own=$(own_version)
version=${FORMWORK_VERSION:-$own}
version=${version#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] ||
    fail "\`version\` is \`$version\`, wanted one like \`$own\`"
archive=formwork-$version-$(target).tar.gz
wanted_checksum checksum "${FORMWORK_CHECKSUM:-}"
checksum=${FORMWORK_CHECKSUM:-$(listed_checksum "$here/checksums.txt" "$archive")}

if [[ -n $checksum && -n $releases && -n $(target) ]]; then
    from_release "$archive" "$version" "$checksum"
elif [[ $version == "$own" ]]; then
    from_source "$version"
else
    fail "formwork $version is unknown to this revision of the action, which belongs to $own: give the \`checksum\` of $archive"
fi
printed=$("$bin" --version)
output bin "$bin"
output version "${printed#formwork }"
printf '%s is used: %s\n' "$printed" "$bin"
