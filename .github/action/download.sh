# shellcheck shell=bash
# Downloads that count only under their SHA-256. Wants `runner.sh`.

sha256() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1" | cut -d ' ' -f 1
    else
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    fi
}

# listed_checksum TABLE NAME: the SHA-256 that a table has for a file; nothing if it has no row.
listed_checksum() {
    local sum name
    while read -r sum name; do
        if [[ $name == "$2" ]]; then
            printf '%s' "$sum"
            return
        fi
    done <"$1"
}

# wanted_checksum INPUT VALUE: refuses what is no SHA-256; nothing is no refusal.
wanted_checksum() {
    [[ -z $2 || $2 =~ ^[0-9a-f]{64}$ ]] || fail "\`$1\` is \`$2\`, wanted 64 hexadecimal digits in lower case"
}

# fetch URL CHECKSUM FILE. A file with another checksum ends the run.
fetch() {
    local found
    command -v curl >/dev/null || fail "\`curl\` is needed to download $1, and was not found"
    curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --max-time 300 --output "$3" "$1" ||
        fail "$1 cannot be downloaded"
    found=$(sha256 "$3")
    [[ $found == "$2" ]] || fail "$1 has the SHA-256 $found, wanted $2: it is not used"
}

# tool_folder NAME VERSION: where the tool cache keeps a program for this runner.
tool_folder() {
    printf '%s/%s/%s/%s' "$RUNNER_TOOL_CACHE" "$1" "$2" "$(printf '%s' "$RUNNER_ARCH" | tr '[:upper:]' '[:lower:]')"
}

# is_kept FOLDER CHECKSUM PROGRAM. The mark beside the folder holds the checksum that was verified.
is_kept() {
    [[ -f $1.complete && $(cat "$1.complete") == "$2" && -x $1/$3 ]]
}

# keep FOLDER CHECKSUM CONTENT: moves a folder into the tool cache.
keep() {
    rm -rf "$1.complete" "$1"
    mkdir -p "$(dirname "$1")"
    mv "$3" "$1"
    printf '%s' "$2" >"$1.complete"
}

# `.exe` where programs are named so.
program_suffix() {
    if [[ ${RUNNER_OS:-} == Windows ]]; then
        printf '.exe'
    fi
}
