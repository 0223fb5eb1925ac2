"""A text with one mistake, and helpers to plant it."""

import dataclasses


@dataclasses.dataclass
class Mutant:
    """A changed text, and the lines on which a finding is expected."""

    text: str
    lines: set
    shown: str
    # Line after which lines were added or removed, and how many.
    at: int = 0
    shift: int = 0

    def moved(self, line):
        """Returns where a line of the original is in the mutant."""
        return line + self.shift if line and line > self.at and self.shift else line


def replace_line(lines, index, new, also=()):
    """Replaces the line at `index`; findings may also be on the lines at the indexes `also`."""
    text = "\n".join([*lines[:index], new, *lines[index + 1 :]])
    return Mutant(text, {index + 1, *(other + 1 for other in also)}, new)


def insert_lines(lines, index, new, expected=None):
    """Inserts lines before `index`; `expected` are the indexes for findings in the new text."""
    text = "\n".join([*lines[:index], *new, *lines[index:]])
    expected = range(index, index + len(new)) if expected is None else expected
    return Mutant(text, {line + 1 for line in expected}, " | ".join(line.strip() for line in new), index, len(new))


def delete_lines(lines, start, end, expected):
    """Removes the lines `start..end`; `expected` are the indexes for findings in the new text."""
    text = "\n".join([*lines[:start], *lines[end:]])
    shown = "without " + " | ".join(line.strip() for line in lines[start:end][:3])
    return Mutant(text, {line + 1 for line in expected}, shown, end, start - end)


def misspell(word, chance, taken=()):
    """Returns the word with one slip that is none of the words `taken`, in any case."""
    taken = {other.lower() for other in taken} | {word.lower()}
    for _ in range(20):
        index = chance.randrange(1, max(len(word) - 1, 2))
        if len(word) > 3:
            slip = chance.choice(("drop", "double", "swap"))
        else:
            slip = "double"
        letter = word[min(index, len(word) - 1)]
        if slip == "drop":
            new = word[:index] + word[index + 1 :]
        elif slip == "double":
            new = word[:index] + letter + word[index:]
        else:
            new = word[:index] + word[index + 1 : index + 2] + letter + word[index + 2 :]
        if new.lower() not in taken and new[-1:].isalnum() and new[0].isalpha():
            return new
    return word + "Xq"
