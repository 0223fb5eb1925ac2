# shellcheck shell=bash
# Functions to communicate with the runner. It reads workflow commands from the output of a step, and outputs from a file.
#
# macOS has bash 3.2: no `mapfile`, no `${x,,}`, and an empty array is treated as unset.

# Escapes the message of a workflow command.
escaped() {
    local text=${1//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '%s' "${text//$'\n'/%0A}"
}

# annotate error|warning|notice MESSAGE
annotate() {
    printf '::%s title=formwork::%s\n' "$1" "$(escaped "$2")"
}

fail() {
    annotate error "$1"
    exit 3
}

# single_line NAME VALUE: fails if the value has a line break, with which it could set other outputs.
single_line() {
    case $2 in
        *$'\n'* | *$'\r'*) fail "\`$1\` cannot contain a line break" ;;
    esac
}

# output NAME VALUE
output() {
    single_line "$1" "$2"
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Runs a command, and prevents the runner from interpreting its output as workflow commands.
muted() {
    local token status=0
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$token"
    "$@" || status=$?
    printf '\n::%s::\n' "$token"
    return "$status"
}
