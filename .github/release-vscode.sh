#!/usr/bin/env bash
# Packages the VS Code extension for each archive in `dist`, with the program of the archive: release-vscode.sh OWNER/NAME
# The packages are in `dist`, too.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$1
version=$(sed -n 's/^version = "\([^"]*\)".*/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d)
# The time of the files in a package, so that packaging the same programs again gives the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# platforms TARGET: the platforms of VS Code on which a program for this target runs.
platforms() {
    case $1 in
    x86_64-unknown-linux-musl) printf 'linux-x64 alpine-x64' ;;
    aarch64-unknown-linux-musl) printf 'linux-arm64 alpine-arm64' ;;
    x86_64-apple-darwin) printf 'darwin-x64' ;;
    aarch64-apple-darwin) printf 'darwin-arm64' ;;
    x86_64-pc-windows-msvc) printf 'win32-x64' ;;
    aarch64-pc-windows-msvc) printf 'win32-arm64' ;;
    *)
        printf 'no platform of VS Code is known for %s\n' "$1" >&2
        return 1
        ;;
    esac
}

(
    cd editors/vscode
    npm ci --no-audit --no-fund
    npm pkg set "repository.url=https://github.com/$repository"
)
for archive in dist/formwork-"$version"-*.tar.gz; do
    target=${archive#"dist/formwork-$version-"}
    target=${target%.tar.gz}
    mkdir "$work/$target"
    tar -xzf "$archive" -C "$work/$target"
    program=$(find "$work/$target" -name formwork -o -name formwork.exe)
    targets=$(platforms "$target")
    for platform in $targets; do
        editors/vscode/package "$program" "dist/formwork-$version-$platform.vsix" --target "$platform"
    done
done
