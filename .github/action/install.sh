#!/usr/bin/env bash
# Installs formwork, and writes its path and version to the step's outputs.
#
# A release is taken from the tool cache or downloaded, and in both cases verified with the SHA-256 checksum in the table of
# this commit or in the input `checksum`. A commit that is not a release has no row in the table; it is built from source. If a checksum
# differs, the action fails; it does not build from source instead.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/checkout.sh"
leave_checkout
root=${here%/.github/action}
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"
# shellcheck source-path=SCRIPTDIR
. "$here/download.sh"

# The version in the manifest of this commit.
own_version() {
    sed -n 's/^version = "\([^"]*\)".*/\1/p' "$root/Cargo.toml" | head -n 1
}

# The repository that has the releases; empty in a commit that is not a release. `github.action_repository` is not used: in
# a composite action, it may be the repository of another action.
own_repository() {
    sed '/^#/d' "$here/repository.txt" | head -n 1
}

# The branch that releases are built of, and the commit that this release was built of; empty like the repository.
own_ref() {
    sed '/^#/d' "$here/repository.txt" | sed -n 2p
}
own_source() {
    sed '/^#/d' "$here/repository.txt" | sed -n 3p
}

# The target of the release for this runner; empty if there is none.
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

# verify_attestation FILE NAME VERSION: does nothing without a token, or without a `gh` that can verify attestations.
verify_attestation() {
    local help policy ref source
    if [[ -z ${GH_TOKEN:-} || -z $repository ]] || ! help=$(gh attestation verify --help 2>/dev/null); then
        return 0
    fi
    # Other workflows of the repository can attest files, too, and anybody who can push a branch can run this one on it.
    policy=(--repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml")
    ref=$(own_ref)
    source=$(own_source)
    # Old versions of `gh` do not know these options.
    if [[ -n $ref && $help == *--source-ref* ]]; then
        policy+=(--source-ref "$ref")
    fi
    if [[ -n $source && $3 == "$own" && $help == *--source-digest* ]]; then
        policy+=(--source-digest "$source")
    fi
    muted gh attestation verify "$1" "${policy[@]}" ||
        fail "the attestation of $2 cannot be verified; \`token: ''\` skips this check"
}

# from_release ARCHIVE VERSION CHECKSUM: sets `bin`.
from_release() {
    local kept staging
    kept=$(kept_file formwork "$2" "$1")
    staging=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")
    if ! take "$kept" "$3" "$staging/archive"; then
        if [[ $releases == "$public" ]] && is_private "$public/v$2/$1"; then
            fetch_asset "$repository" "v$2" "$1" "$3" "$staging/archive"
        else
            fetch "$releases/v$2/$1" "$3" "$staging/archive"
        fi
        verify_attestation "$staging/archive" "$1" "$2"
        keep "$staging/archive" "$kept"
    fi
    mkdir "$staging/content"
    # Redirected, because GNU tar takes the colon in a Windows path as the end of a host name.
    (cd "$staging/content" && tar -xzf - <"$staging/archive")
    bin=$staging/content/formwork$suffix
    [[ -f $bin ]] || fail "$1 does not contain formwork$suffix"
}

# Drops the variables with which a build script could act for the job: tokens, and the files in which the runner reads outputs,
# variables, and the `PATH` of later steps. Cargo needs those of private registries.
leave_job() {
    local name
    while read -r name; do
        case $name in
            CARGO_REGISTRIES_*) continue ;;
            GITHUB_* | GH_* | ACTIONS_* | *TOKEN* | *SECRET* | *PASSWORD* | *CREDENTIAL*) unset "$name" ;;
        esac
    done < <(compgen -e)
}

# Sets `bin`. Builds a copy in the temporary folder of the job: the action may be in a subfolder of the checkout, and cargo
# reads files above the one that it builds. Hidden files, such as the settings of cargo, do not belong to the source.
from_source() {
    local copy entry
    command -v cargo >/dev/null ||
        fail "this commit of the action has no release for ${RUNNER_OS:-}/${RUNNER_ARCH:-}, and \`cargo\`, which is needed to build it, was not found"
    annotate notice "This commit of the action is not a release, so formwork is built from source, which takes minutes in each job. To download a program that was built and verified, use the commit of a release."
    printf '::group::Build formwork %s from source\n' "$1"
    copy=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")
    for entry in "$root"/*; do
        [[ ${entry##*/} == target ]] || cp -R "$entry" "$copy/"
    done
    (leave_job && cd "$copy" && CARGO_TARGET_DIR=$RUNNER_TEMP/formwork-target \
        cargo install --path . --locked --features github --root "$RUNNER_TEMP/formwork-source") ||
        fail "cannot build formwork"
    rm -rf "$copy"
    printf '::endgroup::\n'
    bin=$RUNNER_TEMP/formwork-source/bin/formwork$suffix
}

suffix=$(program_suffix)
repository=$(own_repository)
public=
if [[ -n $repository ]]; then
    # Only tests have downloads elsewhere.
    public=${FORMWORK_DOWNLOADS:-https://github.com}/$repository/releases/download
fi
# A mirror has the same layout as the release downloads on GitHub.
releases=${FORMWORK_RELEASES:-$public}

own=$(own_version)
version=${FORMWORK_VERSION:-$own}
version=${version#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] ||
    fail "\`version\` is \`$version\`; expected a version such as \`$own\`"
archive=formwork-$version-$(target).tar.gz
validate_checksum checksum "${FORMWORK_CHECKSUM:-}"
checksum=${FORMWORK_CHECKSUM:-$(listed_checksum "$here/checksums.txt" "$archive")}

if [[ -n $checksum && -n $releases && -n $(target) ]]; then
    from_release "$archive" "$version" "$checksum"
elif [[ $version == "$own" ]]; then
    from_source "$version"
else
    fail "this commit of the action belongs to formwork $own, and does not know version $version; set \`checksum\` to the SHA-256 checksum of $archive"
fi
printed=$("$bin" --version) || fail "the formwork at $bin does not run on this system"
[[ $printed == "formwork $version" ]] ||
    fail "the formwork at $bin reports \`$(printf '%s' "$printed" | head -n 1)\`; expected version $version"
output bin "$bin"
output version "${printed#formwork }"
printf 'using %s: %s\n' "$printed" "$bin"
