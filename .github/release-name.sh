#!/usr/bin/env bash
# Prints the tag of the release of this commit, and names the repository in the files that programs are built from:
# release-name.sh OWNER/NAME
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$1
[[ $repository =~ ^[0-9A-Za-z-]+/[0-9A-Za-z._-]+$ ]] || {
    printf '%s is not the name of a repository, such as owner/name\n' "$repository" >&2
    exit 2
}
sed -i.old "s|^repository = .*|repository = \"https://github.com/$repository\"|" Cargo.toml
rm Cargo.toml.old
printf 'v%s\n' "$(sed -n 's/^version = "\([^"]*\)".*/\1/p' Cargo.toml | head -n 1)"
