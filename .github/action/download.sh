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

# is_private URL: whether a file cannot be downloaded without a token, and there is one.
is_private() {
    [[ -n ${GH_TOKEN:-} ]] && ! curl --fail --silent --location --head --connect-timeout 20 --max-time 60 --output /dev/null "$1"
}

# with_token ARGUMENT...: curl with the token, which is not on the command line: other processes could read it there. curl
# does not send it to another host that the server redirects to.
with_token() {
    printf 'header = "Authorization: Bearer %s"\n' "$GH_TOKEN" |
        curl --config - --fail --silent --show-error --location --retry 3 --connect-timeout 20 --max-time 300 "$@"
}

# fetch_asset REPOSITORY TAG NAME CHECKSUM FILE: downloads a file of a release with the token. Only the API takes it.
fetch_asset() {
    local url found
    url=$(with_token "${GITHUB_API_URL:-https://api.github.com}/repos/$1/releases/tags/$2" | asset_url "$3") ||
        fail "cannot find $3 in the release $2 of $1; \`token\` needs access to this repository"
    with_token --header 'Accept: application/octet-stream' --output "$5" "$url" || fail "cannot download $url"
    found=$(sha256 "$5")
    [[ $found == "$4" ]] || fail "$url has the SHA-256 checksum $found; expected $4"
}

# asset_url NAME: reads a release as the API describes it, and prints the address of the file of this name. In each
# description of a file, the address comes before the name.
asset_url() {
    local line url=
    while read -r line || [[ -n $line ]]; do
        case $line in
            '"url":"'*/releases/assets/*) url=${line#'"url":"'} url=${url%'"'} ;;
            "\"name\":\"$1\"") [[ -n $url ]] && printf '%s' "$url" && return 0 ;;
        esac
    done < <(tr -d ' \n\r' | tr ',{}' '\n')
    return 1
}

# The tool cache of a self-hosted runner outlives a job, and every job can write to it. So it keeps downloads as they were
# verified, each job verifies its own copy again, and only this copy is used.

# kept_file NAME VERSION FILE: the path of a download in the tool cache.
kept_file() {
    printf '%s/%s/%s/%s/%s' "$RUNNER_TOOL_CACHE" "$1" "$2" "$(printf '%s' "$RUNNER_ARCH" | tr '[:upper:]' '[:lower:]')" "$3"
}

# take KEPT CHECKSUM COPY: copies a download from the tool cache, and fails if it is not there or has another checksum.
take() {
    [[ -f $1 ]] && cp "$1" "$3" || return 1
    if [[ $(sha256 "$3") != "$2" ]]; then
        annotate warning "$1 in the tool cache does not have the SHA-256 checksum $2, so it is downloaded again. Another job on this runner may have changed it."
        return 1
    fi
}

# keep COPY KEPT: puts a verified download into the tool cache, whole or not at all: other jobs may read it now. A cache
# that cannot be written to costs the next job a download.
keep() {
    local staged=$2.$$
    { mkdir -p "$(dirname "$2")" && cp "$1" "$staged" && mv -f "$staged" "$2"; } ||
        annotate notice "$2 cannot be written, so the next job downloads it again"
}

# The file extension of programs: `.exe` on Windows.
program_suffix() {
    if [[ ${RUNNER_OS:-} == Windows ]]; then
        printf '.exe'
    fi
}
