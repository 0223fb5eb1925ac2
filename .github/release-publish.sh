#!/usr/bin/env bash
# Publishes the files in `dist` and the commit that contains their checksums: release-publish.sh TAG
#
# A tag without its files is useless, and cannot be moved once somebody pinned it. So the draft has all files before there
# is a tag, and publishing the draft makes the tag. If anything fails, there is a draft and a branch to delete, and the
# workflow can run again.
set -euo pipefail
cd "$(dirname "$0")/.."

tag=$1
branch=release/$tag

git config user.name "github-actions[bot]"
git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
git add .github/action pyproject.toml
git commit --quiet --message "Release $tag: the checksums of its files"
commit=$(git rev-parse HEAD)
gh auth setup-git
git push --force origin "$commit:refs/heads/$branch"

# Upload the files first, because a published release may be immutable.
gh release create "$tag" --draft --target "$commit" --title "$tag" --generate-notes dist/*
uploaded=$(gh release view "$tag" --json assets --jq '.assets | length')
files=(dist/*)
if [[ $uploaded -ne ${#files[@]} ]]; then
    printf '::error::the draft of %s has %s of %s files\n' "$tag" "$uploaded" "${#files[@]}"
    exit 1
fi
gh release edit "$tag" --draft=false

tagged=$(git ls-remote origin "refs/tags/$tag" | cut -f 1)
if [[ $tagged != "$commit" ]]; then
    printf '::error::the tag %s is at %s; expected %s\n' "$tag" "$tagged" "$commit"
    exit 1
fi
git push origin --delete "refs/heads/$branch"
