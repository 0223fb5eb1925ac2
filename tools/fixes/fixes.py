#!/usr/bin/env python3
"""Measures how many mistakes that authors fixed later are found before the fix.

    fixes.py PROGRAM FOLDER [--pairs FILE] [--only TEXT] [--show] [--jobs N] [--min PERCENT]

Each row of `pairs.tsv` is a commit that fixes a mistake in a template, with its repository and the path of the template. FOLDER has
a git directory for each repository, with its history: OWNER+NAME, OWNER/NAME, or NAME, bare or with a work tree, or with the folder
`repo` in between. `PROGRAM check PATH` runs in a temporary folder with all files of the parent commit, and in one with all files of
the fix. A mistake is found if a finding of severity high or medium, or an error, is at PATH in the parent, and the fix has fewer of
its kind at the same place. Findings of the rules for resources (AWS-*, AZ-*) do not count.

Prints each pair that is not found with its cause, `--show` also each one that is found with the finding, then a line for each cause
of which a pair is not found, and last `fixes: N/M = P %`. Pairs whose repository is not in FOLDER are counted apart.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RULE = re.compile(r"(AWS|AZ)-")
# Files that formwork may read; of others, only the name matters.
READ = re.compile(r"\.(json|jsonc|ya?ml|template|bicep|bicepparam|toml|txt|kql|sql|sh|ps1|xml)$|(^|/)[^./]+$", re.IGNORECASE)
MAX_BYTES = 2_000_000


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=pathlib.Path, default=HERE / "pairs.tsv")
    parser.add_argument("--only", default="", help="text that the row must contain")
    parser.add_argument("--show", action="store_true", help="also print what is found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--min", type=float, default=0, help="exit with 1 below this share")
    return parser.parse_args()


def find_git_directory(folder, repository):
    """Returns the git directory of `owner/name` below `folder`, or None."""
    for name in (repository.replace("/", "+"), repository, repository.split("/")[1]):
        for tail in ("", ".git"):
            for inner in ("repo/.git", "repo", ".git", "."):
                path = folder / (name + tail) / inner
                if (path / "HEAD").is_file() and (path / "objects").is_dir():
                    return path
    return None


def git(directory, *arguments, **options):
    return subprocess.run(["git", f"--git-dir={directory}", *arguments], check=True, capture_output=True, **options).stdout


def write_tree(directory, commit, target):
    """Writes the files of a commit into a folder; those that formwork does not read, and large ones, are empty."""
    entries = git(directory, "ls-tree", "-r", "-z", "--long", commit).decode("utf-8", "surrogateescape").split("\0")
    read = []
    for fields, path in (entry.split("\t", 1) for entry in entries if entry.startswith("100")):
        _, _, blob, size = fields.split()
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        if READ.search(path) and size.isdigit() and int(size) <= MAX_BYTES:
            read.append((blob, file))
    content = git(directory, "cat-file", "--batch", input="".join(f"{blob}\n" for blob, _ in read).encode())
    offset = 0
    for _, file in read:
        end = content.index(b"\n", offset)
        size = int(content[offset:end].split()[2])
        file.write_bytes(content[end + 1 : end + 1 + size])
        offset = end + size + 2


def check(program, directory, commit, path):
    """Returns the findings at `path` in a commit: a message of each, by kind and place, and how many there are."""
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary)
        write_tree(directory, commit, target)
        subprocess.run(["git", "init", "--quiet", target], check=True, capture_output=True)
        command = [program, "check", path, "--format", "json", "--quiet", "--offline", "--no-cache", "--bicep", "builtin"]
        run = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=300)
        if not run.stdout.startswith("{"):
            sys.exit(f"{program} failed at {path} of {commit}: {run.stderr[:500]}")
        report = json.loads(run.stdout)
    counts, messages = collections.Counter(), {}
    for result in report["results"]:
        if result["outcome"] != "failed" or result["severity"] > 2 or RULE.match(result["rule"]):
            continue
        files = {path, *result["parameters"]}
        if (result["location"] or {}).get("file") not in files:
            continue
        key = result["rule"], (result["resource"] or {}).get("name"), re.sub(r"\[\d+\]", "[]", result["path"] or "")
        counts[key] += 1
        messages[key] = f"{result['rule']}: {result['message']}"
    for diagnostic in report["diagnostics"]:
        if diagnostic["level"] == "error" and diagnostic["file"] == path:
            key = diagnostic["code"], None, diagnostic["message"]
            counts[key] += 1
            messages[key] = f"{diagnostic['code']}: {diagnostic['message']}"
    return counts, messages


def judge(options, row):
    """Returns the message of a finding that the fix removes, None, or False without the repository."""
    directory = find_git_directory(options.folder, row["repository"])
    if not directory:
        return False
    before, messages = check(options.program, directory, row["fix"] + "^", row["path"])
    if not before:
        return None
    after, _ = check(options.program, directory, row["fix"], row["path"])
    removed = [messages[key] for key in before if after[key] < before[key]]
    return removed and " | ".join(removed[:3]) or None


def main():
    options = parse_arguments()
    options.program = os.path.abspath(options.program)
    with options.pairs.open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if options.only in " ".join(row.values())]
    missed = collections.Counter()
    absent = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, outcome in zip(rows, pool.map(lambda row: judge(options, row), rows)):
            line = f"{row['repository']} {row['fix'][:10]} {row['path']}: {row['cause']}"
            if outcome is False:
                absent += 1
            elif outcome is None:
                missed[row["cause"]] += 1
                print(f"not found  {line}", flush=True)
            elif options.show:
                print(f"found      {line}\n           {outcome}", flush=True)
    for cause, count in missed.most_common():
        print(f"{count:5}  {cause}")
    total = len(rows) - absent
    found = total - sum(missed.values())
    if absent:
        print(f"not there: {absent}")
    share = 100 * found / max(total, 1)
    print(f"fixes: {found}/{total} = {share:.1f} %")
    return share < options.min


if __name__ == "__main__":
    sys.exit(main())
