# shellcheck shell=bash
# Downloads files and verifies their SHA-256 checksums. Requires `runner.sh`.

sha256() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1" | cut -d ' ' -f 1
    else
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    fi
}

# listed_checksum TABLE NAME: the checksum of a file in a table; empty if the table has no row for it.
listed_checksum() {
    local sum name
    while read -r sum name; do
        if [[ $name == "$2" ]]; then
            printf '%s' "$sum"
            return
        fi
    done <"$1"
}

# validate_checksum INPUT VALUE: fails if the value is not a SHA-256 checksum. An empty value is valid.
validate_checksum() {
    [[ -z $2 || $2 =~ ^[0-9a-f]{64}$ ]] || fail "\`$1\` is \`$2\`; expected 64 lowercase hexadecimal digits"
}

# fetch URL CHECKSUM FILE: downloads a file, and fails if its checksum differs.
fetch() {
    local found
    command -v curl >/dev/null || fail "\`curl\` was not found; it is needed to download $1"
    curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --max-time 300 --output "$3" "$1" ||
        fail "cannot download $1"
    found=$(sha256 "$3")
    [[ $found == "$2" ]] || fail "$1 has the SHA-256 checksum $found; expected $2"
}

# tool_folder NAME VERSION: the folder of a program in the tool cache.
tool_folder() {
    printf '%s/%s/%s/%s' "$RUNNER_TOOL_CACHE" "$1" "$2" "$(printf '%s' "$RUNNER_ARCH" | tr '[:upper:]' '[:lower:]')"
}

# is_kept FOLDER CHECKSUM PROGRAM: whether the tool cache has the program. The file FOLDER.complete has the checksum that
# was verified.
is_kept() {
    [[ -f $1.complete && $(cat "$1.complete") == "$2" && -x $1/$3 ]]
}

# keep FOLDER CHECKSUM CONTENT: moves the folder CONTENT into the tool cache.
keep() {
    rm -rf "$1.complete" "$1"
    mkdir -p "$(dirname "$1")"
    mv "$3" "$1"
    printf '%s' "$2" >"$1.complete"
}

# The file extension of programs: `.exe` on Windows.
program_suffix() {
    if [[ ${RUNNER_OS:-} == Windows ]]; then
        printf '.exe'
    fi
}
