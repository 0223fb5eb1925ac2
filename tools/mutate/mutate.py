#!/usr/bin/env python3
"""Plants one mistake at a time in templates and counts how many `formwork check` finds.

    mutate.py PROGRAM FOLDER... [--kinds TEXT] [--each N] [--seed N] [--limit N] [--show N] [--tsv FILE] [--list]

FOLDER is the checkout of a repository. Bicep files and CloudFormation templates in YAML below it are mutated if they have no error
as they are. Each mutant is a copy of one file, beside the file in a temporary copy of the folder, so that its relative paths hold.
The copy has no settings of formwork or Bicep. At most `--each` mutants of a kind are made of one file; which ones, `--seed` decides.
Kinds are in `bicep.py` and `cloudformation.py`; `--list` prints them. Each kind is a mistake that the compiler or the platform refuses.

A finding is new if the mutant has more of its rule on a line than the unchanged copy. An error counts as high, a warning as medium.

    high    a new finding of high severity is on the line of the mistake
    near    … is one line beside it
    far     … is elsewhere in the file, or has no line
    medium  no new high finding, but a new one of medium severity
    low     only a new one of low severity
    missed  no new finding

Prints each mutant that is not found as high (`--show` of each kind), then a row for each kind, and last
`mutate: N/M = P %`, where N counts high, near and far.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import bicep
import cloudformation

OUTCOMES = ("high", "near", "far", "medium", "low", "missed")
FOUND = ("high", "near", "far")
SETTINGS = {"formwork.yaml", "formwork.yml", "ps-rule.yaml", "bicepconfig.json", ".cfnlintrc"}
SKIPPED_FOLDERS = {".git", "node_modules", ".terraform"}
MAX_BYTES = 300_000
# A run has a budget of steps for all of its templates. Larger batches than these may use it up.
BATCH = 400
BATCH_BYTES = 3_000_000


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--kinds", default="", help="text that the name of the kind must contain")
    parser.add_argument("--each", type=int, default=1, help="mutants of a kind for each file")
    parser.add_argument("--limit", type=int, default=0, help="files of each folder at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="mutants of each kind to print that are not found as high")
    parser.add_argument("--tsv", type=pathlib.Path, help="write all mutants to this file")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the mutants that are not found as high in this folder")
    parser.add_argument("--list", action="store_true", help="print the kinds")
    return parser.parse_intermixed_args()


def copy_folder(source, target):
    """Copies a folder without settings, large files, and history."""
    for root, folders, files in os.walk(source):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        here = target / os.path.relpath(root, source)
        here.mkdir(parents=True, exist_ok=True)
        for name in sorted(set(files) - SETTINGS):
            path = os.path.join(root, name)
            if not os.path.islink(path) and os.path.getsize(path) <= MAX_BYTES:
                shutil.copyfile(path, here / name)


def language_of(path, text):
    """Returns the module with the kinds for a file, or None."""
    if path.suffix == ".bicep":
        return bicep
    if path.suffix in (".yaml", ".yml", ".template") and cloudformation.is_template(text):
        return cloudformation
    return None


def batches(folder, paths):
    """Yields lists of paths that one run may check."""
    batch, size = [], 0
    for path in paths:
        length = os.path.getsize(folder / path)
        if batch and (len(batch) == BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += length
    if batch:
        yield batch


def check(program, folder, paths):
    """Returns the findings of each path: `(severity, rule, line, message)`, by path."""
    findings = collections.defaultdict(list)
    for batch in batches(folder, paths):
        command = [program, "check", *batch, "--format", "json", "--quiet", "--offline", "--no-cache"]
        run = subprocess.run([*command, "--bicep", "builtin"], cwd=folder, capture_output=True, text=True, timeout=3000)
        if not run.stdout.startswith("{"):
            sys.exit(f"{program} failed in {folder}: {run.stderr[:500]}")
        report = json.loads(run.stdout)
        for result in report["results"]:
            location = result["location"] or {}
            if result["outcome"] == "failed" and result["rule"] != "template/limit":
                file = location.get("file") or result["template"]
                findings[file].append((result["severity"], result["rule"], location.get("line"), result["message"]))
        for diagnostic in report["diagnostics"]:
            if diagnostic["code"] == "template/limit":
                continue
            severity = {"error": 1, "warning": 2}.get(diagnostic["level"], 3)
            findings[diagnostic["file"]].append((severity, diagnostic["code"], diagnostic.get("line"), diagnostic["message"]))
    return findings


def judge(before, after, mutant):
    """Returns the outcome for a mutant, and its best new finding."""
    known = collections.Counter((rule, mutant.moved(line)) for _, rule, line, _ in before)
    new = []
    for severity, rule, line, message in sorted(after, key=lambda finding: (finding[0], str(finding[2]))):
        if known[rule, line] > 0:
            known[rule, line] -= 1
            continue
        if severity == 1:
            distance = min((abs(line - expected) for expected in mutant.lines), default=9) if line else 9
            new.append((min(distance, 2), severity, f"{rule} at {line}: {message}"))
        else:
            new.append((severity + 1, severity, f"{rule} at {line}: {message}"))
    if not new:
        return "missed", ""
    rank, _, text = min(new)
    return OUTCOMES[rank], text


def is_masking(finding):
    """Returns `true` for a finding that may keep others from being reported."""
    severity, rule, _, _ = finding
    return rule.startswith("syntax/") or (severity == 1 and rule.startswith(("bicep/", "file/", "template/")))


def mutate_folder(options, folder, rows):
    """Appends a row for each mutant of the files of a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary).resolve() / folder.name
        copy_folder(folder, root)
        texts = {}
        for path in sorted(root.rglob("*")):
            if path.is_file():
                text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n").lstrip("\ufeff")
                language = language_of(path, text)
                if language and "\ufffd" not in text:
                    texts[path] = language, text
        originals = {}
        for path in texts:
            original = path.with_name(f"{path.stem}.mutant{path.suffix}")
            original.write_text(texts[path][1])
            originals[path] = str(original.relative_to(root))
        before = check(options.program, root, sorted(originals.values()))
        sound = [path for path in texts if not any(is_masking(finding) for finding in before[originals[path]])]
        if options.limit:
            sound = random.Random(f"{options.seed}").sample(sound, min(options.limit, len(sound)))
        mutants = {}
        for path in sound:
            language, text = texts[path]
            name = path.relative_to(root)
            for kind, plant in language.KINDS.items():
                if options.kinds not in f"{language.NAME}/{kind}":
                    continue
                chance = random.Random(f"{options.seed} {name} {kind}")
                found = list(plant(language.parse(text, path), chance))
                for mutant in chance.sample(found, min(options.each, len(found))):
                    copy = path.with_name(f"{path.stem}.mutant{len(mutants)}{path.suffix}")
                    copy.write_text(mutant.text)
                    mutants[str(copy.relative_to(root))] = language, kind, name, path, mutant
        after = check(options.program, root, sorted(mutants))
        for copy, (language, kind, name, path, mutant) in mutants.items():
            outcome, text = judge(before[originals[path]], after[copy], mutant)
            if outcome not in FOUND:
                # Alone, it has the budget of the run for itself.
                outcome, text = judge(before[originals[path]], check(options.program, root, [copy])[copy], mutant)
            rows.append((language.NAME, kind, outcome, f"{folder.name}/{name}", min(mutant.lines), mutant.shown, text))
            if options.keep and outcome not in FOUND:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{language.NAME}-{kind}-{len(rows)}{path.suffix}").write_text(mutant.text)
    return len(sound)


def main():
    options = parse_arguments()
    if options.list:
        for language in (bicep, cloudformation):
            for kind, plant in language.KINDS.items():
                print(f"{language.NAME}/{kind}: {plant.__doc__.splitlines()[0]}")
        return 0
    options.program = os.path.abspath(options.program)
    rows, files = [], 0
    for folder in options.folders:
        files += mutate_folder(options, folder.resolve(), rows)
    counts = collections.defaultdict(collections.Counter)
    for language, kind, outcome, file, line, shown, text in rows:
        shown_before = sum(counts[language, kind][other] for other in ("medium", "low", "missed"))
        counts[language, kind][outcome] += 1
        if outcome not in FOUND and shown_before < options.show:
            print(f"{outcome:6}  {language}/{kind}  {file}:{line}: {shown.strip()[:140]}" + (f"\n        {text[:160]}" if text else ""))
    if options.tsv:
        with options.tsv.open("w", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(rows)
    print(f"{'kind':46}{'planted':>8}" + "".join(f"{outcome:>8}" for outcome in OUTCOMES) + "  found")
    for (language, kind), count in sorted(counts.items()):
        found = sum(count[outcome] for outcome in FOUND)
        cells = "".join(f"{count[outcome]:8}" for outcome in OUTCOMES)
        print(f"{language + '/' + kind:46}{count.total():8}{cells}{100 * found / count.total():6.0f} %")
    found = sum(outcome in FOUND for _, _, outcome, *_ in rows)
    print(f"files: {files}")
    print(f"mutate: {found}/{len(rows)} = {100 * found / max(len(rows), 1):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
