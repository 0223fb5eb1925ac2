# shellcheck shell=bash
# Keeps what a pull request committed from deciding which programs run. Each script reads this file first.
#
# The runner starts a step in the checkout. Programs read files in the current folder and above it, such as
# `rust-toolchain.toml`, which names the compiler that `cargo` starts. And they find others on the `PATH`, which may have
# folders of the checkout. Until the `PATH` is clean, only what is built into bash is used here.
#
# `"$BASH" -p` starts the scripts: it finds bash without the `PATH`, and ignores `BASH_ENV` and exported functions.

# The folder of the scripts, and the folder in which the step began.
# shellcheck disable=SC2034
here=$(cd -P -- "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck disable=SC2034
began_in=$PWD
# The checkout as the runner writes it, with slashes, and without links.
checkouts=("${GITHUB_WORKSPACE:=$PWD}" "${GITHUB_WORKSPACE//\\//}" "$(cd -P -- "$GITHUB_WORKSPACE" && pwd)")

# names_checkout STRING: whether a string has the path of the checkout in it, or of something in it.
names_checkout() {
    local path found=1
    # As file systems of macOS and Windows compare names.
    shopt -s nocasematch
    for path in "${checkouts[@]}"; do
        if [[ -n ${path%/} && $1/ == *"${path%/}"[^[:alnum:]._-]* ]]; then
            found=0
        fi
    done
    shopt -u nocasematch
    return "$found"
}

# Removes from the `PATH` what is relative, and what is or leads into the checkout.
clean_path() {
    local entry folder kept='' rest=$PATH:
    while [[ -n $rest ]]; do
        entry=${rest%%:*}
        rest=${rest#*:}
        if [[ $entry == /* ]] && folder=$(cd -P -- "$entry" 2>/dev/null && pwd) &&
            ! names_checkout "$entry" && ! names_checkout "$folder"; then
            kept+=${kept:+:}$folder
        fi
    done
    # An empty `PATH` would be the current folder.
    export PATH=${kept:-/usr/bin:/bin}
}

# Goes to the temporary folder of the job, and drops the variables that lead back into the checkout, such as a
# `CARGO_HOME` in it. Those of the runner and of the action are paths to read and to write.
leave_checkout() {
    local name
    clean_path
    cd "$RUNNER_TEMP" || exit 3
    while read -r name; do
        case $name in
            GITHUB_* | RUNNER_* | FORMWORK_* | PATH | PWD) continue ;;
        esac
        if names_checkout "${!name-}"; then
            unset "$name"
        fi
    done < <(compgen -e)
}
