#!/usr/bin/env bash
# Passes the SHA-256 digests of files from the job that makes them to the jobs that use them. An artifact alone proves nothing,
# because each job of a run can upload one.
#
# release-digests.sh write OUTPUT FOLDER   adds an output to the step, with the digests of all files of the folder
# release-digests.sh verify FOLDER         fails unless the folder has exactly the files of `DIGESTS`, with these digests
set -euo pipefail

# digests FOLDER: a line for each file, sorted.
digests() {
    local file sum
    for file in "$1"/*; do
        if command -v sha256sum >/dev/null; then
            sum=$(sha256sum <"$file")
        else
            sum=$(shasum -a 256 <"$file")
        fi
        printf '%s  %s\n' "${sum%% *}" "${file##*/}"
    done | LC_ALL=C sort
}

case $1 in
    write)
        found=$(digests "$3")
        printf '%s\n' "$found"
        printf '%s<<END_OF_DIGESTS\n%s\nEND_OF_DIGESTS\n' "$2" "$found" >>"$GITHUB_OUTPUT"
        ;;
    verify)
        expected=$(printf '%s\n' "$DIGESTS" | sed 's/^ *//; /^$/d' | LC_ALL=C sort)
        found=$(digests "$2")
        if [[ -z $expected || $found != "$expected" ]]; then
            printf '::error::the files in %s are not those that were built\n' "$2"
            diff <(printf '%s\n' "$expected") <(printf '%s\n' "$found") || true
            exit 1
        fi
        ;;
    *)
        printf '%s: expected write or verify\n' "$1" >&2
        exit 2
        ;;
esac
