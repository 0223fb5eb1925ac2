#!/usr/bin/env bash
# Builds the release archive and the wheel of a target in `dist`: release-archive.sh TARGET [WHEEL-PLATFORM].
# `.github/action/install.sh` expects these names. WHEEL-PLATFORM replaces the platform tag of the wheel, because maturin
# does not know that a static binary runs on any Linux.
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

mkdir -p dist
cargo build --locked --profile dist --features github,lsp --target "$target"
cp LICENSE README.md "$folder/"
tar -czf "dist/formwork-$version-$target.tar.gz" -C "$folder" "$program" LICENSE README.md

python3 -m venv target/wheel-tools
tools=target/wheel-tools/bin
if [[ -d target/wheel-tools/Scripts ]]; then
    tools=target/wheel-tools/Scripts
fi
"$tools/pip" install --quiet --disable-pip-version-check maturin==1.16.0 wheel==0.48.0
"$tools/maturin" build --locked --profile dist --features github,lsp --target "$target" --out target/wheels-of-release
for wheel in target/wheels-of-release/*.whl; do
    if [[ -n $platform ]]; then
        wheel=target/wheels-of-release/$("$tools/wheel" tags --remove --platform-tag "$platform" "$wheel")
    fi
    cp "$wheel" dist/
done
