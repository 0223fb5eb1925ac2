#!/usr/bin/env bash
# Changes the files that the tagged commit has and others do not, from the archives and wheels in `dist`:
# release-tag.sh OWNER/NAME TAG REF COMMIT
#
# REF and COMMIT are what the workflow built: the action verifies that the archives were attested for them.
# The action of that commit downloads the archives, and its hook `formwork` installs the wheels. Both are from this
# release, and have the checksums that are written here.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$1
tag=$2
ref=$3
source=$4
version=${tag#v}

# The setuptools that pip builds the hook with, of the last version that runs on Python 3.8.
setuptools="setuptools-75.3.4-py3-none-any.whl"
setuptools_sum=2dd50a7f42dddfa1d02a36f275dbe716f38ed250224f609d35fb60a09593d93e

sum() {
    sha256sum <"$1" | cut -d ' ' -f 1
}

# marker WHEEL: where pip installs a wheel, by its platform tag.
marker() {
    case $1 in
        *linux*x86_64*) printf "sys_platform == 'linux' and platform_machine == 'x86_64'" ;;
        *linux*aarch64*) printf "sys_platform == 'linux' and platform_machine == 'aarch64'" ;;
        *macosx*x86_64*) printf "sys_platform == 'darwin' and platform_machine == 'x86_64'" ;;
        *macosx*arm64*) printf "sys_platform == 'darwin' and platform_machine == 'arm64'" ;;
        *win_amd64*) printf "sys_platform == 'win32' and platform_machine == 'AMD64'" ;;
        *win_arm64*) printf "sys_platform == 'win32' and platform_machine == 'ARM64'" ;;
        *)
            printf 'no platform is known for the wheel %s\n' "$1" >&2
            return 1
            ;;
    esac
}

(cd dist && sha256sum -- *.tar.gz) >>.github/action/checksums.txt
printf '%s\n%s\n%s\n' "$repository" "$ref" "$source" >>.github/action/repository.txt

{
    printf '# Installs the wheel of this release, so that the hook of pre-commit builds nothing.\n'
    url=https://files.pythonhosted.org/packages/py3/s/setuptools/$setuptools
    printf '[build-system]\nrequires = ["setuptools @ %s#sha256=%s"]\n' "$url" "$setuptools_sum"
    printf 'build-backend = "setuptools.build_meta"\n\n'
    printf '[project]\nname = "formwork-hook"\nversion = "%s"\nrequires-python = ">=3.8"\ndependencies = [\n' "$version"
    for wheel in dist/*.whl; do
        name=$(basename "$wheel")
        where=$(marker "$name")
        url=https://github.com/$repository/releases/download/$tag/$name
        printf '    "formwork-check @ %s#sha256=%s ; %s",\n' "$url" "$(sum "$wheel")" "$where"
    done
    printf ']\n\n[tool.setuptools]\npy-modules = []\n'
} >pyproject.toml
