#!/usr/bin/env bash
# Fails unless the checkout is the commit that the workflow was started on, and the default branch has this commit:
# release-ref.sh OWNER/NAME
#
# Anyone who may push a branch can start a workflow on it. A release is what the default branch has, where each change was
# reviewed.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$1

refuse() {
    printf '::error::%s\n' "$1"
    exit 1
}

head=$(git rev-parse HEAD)
[[ $head == "$GITHUB_SHA" ]] || refuse "the checkout is at $head; expected $GITHUB_SHA"
branch=$(gh api "repos/$repository" --jq .default_branch)
[[ $GITHUB_REF == "refs/heads/$branch" ]] ||
    refuse "the workflow was started on $GITHUB_REF; start it on refs/heads/$branch"
# The branch relative to the commit.
relation=$(gh api "repos/$repository/compare/$GITHUB_SHA...$branch" --jq .status)
case $relation in
    ahead | identical) ;;
    *) refuse "$branch does not have the commit $GITHUB_SHA anymore ($relation); start the workflow again" ;;
esac
