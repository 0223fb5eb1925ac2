#!/usr/bin/env bash
# Builds the release archive and the wheel of a target in `dist`: release-archive.sh TARGET [WHEEL-PLATFORM].
# `.github/action/install.sh` expects these names. WHEEL-PLATFORM replaces the platform tag of the wheel, because maturin
# does not know that a static binary runs on any Linux.
#
# The same commit gives the same bytes on another machine: one toolchain, the time of the commit, and no path of this
# machine in the program. docs/releases.md says how to compare.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
platform=${2:-}
version=$(sed -n 's/^version = "\([^"]*\)".*/\1/p' Cargo.toml | head -n 1)
folder=target/$target/dist
program=formwork
if [[ $target == *windows* ]]; then
    program=formwork.exe
fi

# native PATH: a path as the compilers of this system write it.
native() {
    if command -v cygpath >/dev/null; then
        cygpath --windows "$1"
    else
        printf '%s' "$1"
    fi
}

RUSTUP_TOOLCHAIN=$(sed '/^#/d' .github/release-toolchain.txt | head -n 1)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export RUSTUP_TOOLCHAIN SOURCE_DATE_EPOCH
rustup toolchain install "$RUSTUP_TOOLCHAIN" --profile minimal --no-self-update --target "$target"

checkout=$(native "$PWD")
cargo_home=$(native "${CARGO_HOME:-$HOME/.cargo}")
flags=("--remap-path-prefix=$checkout=/formwork" "--remap-path-prefix=$cargo_home=/cargo")
if [[ $target == *msvc* ]]; then
    # Otherwise, the linker writes the time.
    flags+=(-Clink-arg=/Brepro)
else
    # For the C code of dependencies.
    export CFLAGS="-ffile-prefix-map=$checkout=/formwork -ffile-prefix-map=$cargo_home=/cargo"
fi
# Separated by a character that no path has.
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && printf '%s' "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS

mkdir -p dist
cargo build --locked --profile dist --features github,mcp --target "$target"
cp LICENSE README.md "$folder/"
python3 .github/release-pack.py "dist/formwork-$version-$target.tar.gz" "$folder" "$program" LICENSE README.md

python3 -m venv target/wheel-tools
tools=target/wheel-tools/bin
if [[ -d target/wheel-tools/Scripts ]]; then
    tools=target/wheel-tools/Scripts
fi
"$tools/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement .github/release-requirements.txt
"$tools/maturin" build --locked --profile dist --features github,mcp --target "$target" --out target/wheels-of-release
for wheel in target/wheels-of-release/*.whl; do
    if [[ -n $platform ]]; then
        wheel=target/wheels-of-release/$("$tools/wheel" tags --remove --platform-tag "$platform" "$wheel")
    fi
    cp "$wheel" dist/
done
