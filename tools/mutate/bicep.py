"""Kinds of mistakes in Bicep files. Each yields mutants that the compiler or Azure refuses."""

import re

from mutant import delete_lines, insert_lines, misspell, replace_line

NAME = "bicep"
KINDS = {}
WORD = r"[A-Za-z_]\w*"
DECLARATION = re.compile(rf"(param|var|resource|module|output|type|func|metadata|targetScope)\b\s*({WORD})?")
PROPERTY = re.compile(rf"(\s*)({WORD})\s*:\s*(.*)$")
# Properties with any names or values below them.
FREE = re.compile(
    r"tags|metadata|parameters|params|appSettings|connectionStrings|settings|protectedSettings|definition|template|policyRule|"
    r"userAssignedIdentities|contentFormat|variables|annotations|labels|headers|config|configuration|environmentVariables|siteConfig|"
    r"scriptContent|items|serializedData|query|additionalProperties|options|value|mergeFields|spec|schema|typeProperties|addonProfiles|"
    r"scope|extendedProperties|workbook|inputs|lenses",
    re.IGNORECASE,
)
ENUMS = {
    "access": "Maybe",
    "accessTier": "Lukewarm",
    "caching": "WriteOnly",
    "createMode": "Never",
    "createOption": "FromNothing",
    "direction": "Sideways",
    "minimumTlsVersion": "TLS1_9",
    "osType": "BeOS",
    "principalType": "Robot",
    "privateIPAllocationMethod": "Sometimes",
    "protocol": "Pigeon",
    "publicIPAllocationMethod": "Sometimes",
    "publicNetworkAccess": "Perhaps",
}
MISSING = {
    "Microsoft.Storage/storageAccounts": ("kind", "sku"),
    "Microsoft.KeyVault/vaults": ("properties",),
    "Microsoft.ContainerRegistry/registries": ("sku",),
    "Microsoft.Authorization/roleAssignments": ("properties",),
    "Microsoft.CognitiveServices/accounts": ("sku", "kind"),
}
LOCATED = (
    "Microsoft.Network/virtualNetworks", "Microsoft.Network/networkSecurityGroups", "Microsoft.Network/publicIPAddresses",
    "Microsoft.Network/networkInterfaces", "Microsoft.Storage/storageAccounts", "Microsoft.KeyVault/vaults", "Microsoft.Web/sites",
    "Microsoft.Web/serverfarms", "Microsoft.Compute/virtualMachines", "Microsoft.OperationalInsights/workspaces",
    "Microsoft.Insights/components", "Microsoft.Network/privateEndpoints", "Microsoft.Network/routeTables", "Microsoft.App/containerApps",
)  # fmt: skip
# The least and the most arguments of functions.
ARGUMENTS = {
    "base64": (1, 1), "contains": (2, 2), "empty": (1, 1), "first": (1, 1), "guid": (1, None), "items": (1, 1), "join": (2, 2),
    "json": (1, 1), "last": (1, 1), "length": (1, 1), "range": (2, 2), "replace": (3, 3), "split": (2, 2), "startsWith": (2, 2),
    "string": (1, 1), "subscriptionResourceId": (2, None), "substring": (2, 3), "take": (2, 2), "toLower": (1, 1), "toUpper": (1, 1),
    "trim": (1, 1), "uniqueString": (1, None),
}  # fmt: skip


class Declaration:
    """A declaration with its lines, and the properties of its body."""

    def __init__(self, keyword, name, start):
        self.keyword, self.name, self.start, self.end = keyword, name, start, start
        self.type = self.version = self.path = None
        self.existing = False
        # `(line, path, key, value)` of each property, where the path is that of the parent.
        self.properties = []

    def top(self, key):
        """Returns the line of a property at the top level of the body, or None."""
        return next((line for line, path, other, _ in self.properties if not path and other == key), None)

    def siblings(self, path):
        return [key for _, other, key, _ in self.properties if other == path]


class File:
    """The text of a file, its lines without strings and comments, and its declarations."""

    def __init__(self, text, path):
        self.text, self.path = text, path
        self.lines = text.split("\n")
        self.masked = mask(text).split("\n")
        self.declarations = []
        self.read_declarations()
        self.names = {declaration.name for declaration in self.declarations if declaration.name}

    def read_declarations(self):
        depth, current, keys = 0, None, []
        for index, line in enumerate(self.masked):
            if depth == 0:
                match = DECLARATION.match(line)
                if match:
                    current = Declaration(match[1], match[2], index)
                    self.declarations.append(current)
                    self.read_header(current, self.lines[index])
                    keys = []
            match = PROPERTY.match(line)
            key = match[2] if match and not re.search(r"\?\s*" + WORD + r"\s*:", line) else None
            if current and key and depth:
                path = tuple(name for name in keys[1:] if name != "[")
                current.properties.append((index, path, key, self.lines[index][match.start(3) :].strip()))
            for letter in line:
                if letter in "{[(":
                    keys.append(key or "[")
                    key = None
                    depth += 1
                elif letter in "}])":
                    depth = max(depth - 1, 0)
                    keys = keys[:-1]
            if current:
                current.end = index
                # A loop around the body does not belong to its paths.
                if index == current.start and re.search(r"=\s*\[", line) and depth == 2:
                    keys = ["["]
                if depth == 0:
                    current = None
            if depth == 0:
                keys = []

    def read_header(self, declaration, line):
        if declaration.keyword in ("resource", "module"):
            match = re.search(r"'([^']*)'", line)
            if match and declaration.keyword == "resource":
                declaration.type, _, declaration.version = match[1].partition("@")
                declaration.existing = bool(re.search(r"'\s+existing\b", line))
            elif match:
                declaration.path = match[1]

    def of(self, *keywords):
        return [declaration for declaration in self.declarations if declaration.keyword in keywords]

    def resources(self):
        """Returns the new resources of Azure that have a name."""
        azure = [one for one in self.of("resource") if one.type and one.type.startswith("Microsoft.") and one.version]
        return [one for one in azure if not one.existing and one.top("name") is not None]

    def parameters(self):
        """Returns each parameter on one line: the declaration, its type, and the text of its default, or None."""
        for declaration in self.of("param"):
            match = re.match(rf"param\s+{WORD}\s+({WORD}(?:\[\])?)\s*(?:=\s*(.*))?$", self.lines[declaration.start])
            if match and declaration.start == declaration.end:
                yield declaration, match[1], match[2]

    def decorators(self, declaration):
        """Returns the lines above a declaration that belong to its decorators."""
        start = declaration.start
        while start > 0 and self.masked[start - 1].strip() and not DECLARATION.match(self.lines[start - 1]):
            start -= 1
        return range(start, declaration.start)


def mask(text):
    """Returns the text with `~` for strings and blanks for comments; line ends stay."""
    out, index, size = [], 0, len(text)
    while index < size:
        letter = text[index]
        end = index + 1
        if text.startswith("//", index):
            end = text.find("\n", index)
            end = size if end < 0 else end
        elif text.startswith("/*", index):
            end = text.find("*/", index + 2)
            end = size if end < 0 else end + 2
        elif text.startswith("'''", index):
            end = text.find("'''", index + 3)
            end = size if end < 0 else end + 3
            while end < size and text[end] == "'":
                end += 1
        elif letter == "'":
            end = string_end(text, index)
        if end == index + 1:
            out.append(letter)
        else:
            blank = " " if letter == "/" else "~"
            out.append("".join(other if other == "\n" else blank for other in text[index:end]))
        index = end
    return "".join(out)


def string_end(text, index):
    """Returns the offset after a string that begins at `index`."""
    index += 1
    while index < len(text) and text[index] != "\n":
        if text[index] == "\\":
            index += 2
        elif text[index] == "'":
            return index + 1
        elif text.startswith("${", index):
            depth = 0
            index += 1
            while index < len(text) and text[index] != "\n":
                if text[index] == "{":
                    depth += 1
                elif text[index] == "}":
                    depth -= 1
                    if depth == 0:
                        break
                elif text[index] == "'":
                    index = string_end(text, index) - 1
                index += 1
            index += 1
        else:
            index += 1
    return index


def parse(text, path):
    return File(text, path)


def kind(plant):
    """Registers a function as a kind; its name is that of the function with hyphens."""
    KINDS[plant.__name__.replace("_", "-")] = plant
    return plant


def is_free(path, key=""):
    return any(FREE.fullmatch(part) for part in (*path, key))


def body_properties(file):
    """Yields the typed properties below `properties` of resources: declaration, line, path, key, value."""
    for resource in file.resources():
        for line, path, key, value in resource.properties:
            free = resource.type.startswith(("Microsoft.CustomProviders/", "Microsoft.Portal/")) or is_free(path, key)
            if path[:1] == ("properties",) and not free:
                yield resource, line, path, key, value


def value_replaced(file, line, key, new):
    """Returns a mutant with another value on the line of a property."""
    start = re.match(rf"\s*{key}\s*:\s*", file.lines[line]).end()
    return replace_line(file.lines, line, file.lines[line][:start] + new)


def uses(file):
    """Yields the properties whose value is one reference to a declaration: line, key, name, rest of the reference."""
    for declaration in file.declarations:
        for line, path, key, value in declaration.properties:
            match = re.fullmatch(rf"({WORD})((?:\.{WORD})*)", value)
            if match and match[1] in file.names and key not in ("parent", "scope"):
                yield line, key, match[1], match[2]


def indent_of(line):
    return line[: len(line) - len(line.lstrip())]


@kind
def misspelled_property(file, chance):
    """A property of a resource that its type does not have."""
    for resource, line, path, key, _ in body_properties(file):
        if len(path) == 1:
            new = misspell(key, chance, resource.siblings(path))
            yield replace_line(file.lines, line, re.sub(rf"\b{key}\b", new, file.lines[line], count=1))


@kind
def misspelled_nested_property(file, chance):
    """A property of an object in a resource that its type does not have."""
    for resource, line, path, key, _ in body_properties(file):
        if len(path) > 1:
            new = misspell(key, chance, resource.siblings(path))
            yield replace_line(file.lines, line, re.sub(rf"\b{key}\b", new, file.lines[line], count=1))


@kind
def misspelled_top_property(file, chance):
    """A property at the top level of a resource that no resource has (BCP037)."""
    for resource in file.resources():
        for line, path, key, _ in resource.properties:
            if not path and key in ("location", "tags", "sku", "kind", "properties", "identity", "zones", "plan", "dependsOn", "parent"):
                new = misspell(key, chance)
                yield replace_line(file.lines, line, re.sub(rf"\b{key}\b", new, file.lines[line], count=1), [resource.start])


@kind
def undefined_symbol(file, chance):
    """A name that nothing declares (BCP057, BCP082)."""
    for line, key, name, rest in uses(file):
        yield value_replaced(file, line, key, misspell(name, chance, file.names) + rest)


@kind
def undefined_in_interpolation(file, chance):
    """A name in a string that nothing declares."""
    for line, text in enumerate(file.lines):
        for match in re.finditer(rf"\$\{{({WORD})\}}", text):
            if match[1] in file.names and file.masked[line][match.start()] == "~" and "'''" not in file.text:
                new = misspell(match[1], chance, file.names)
                yield replace_line(file.lines, line, text[: match.start(1)] + new + text[match.end(1) :])


@kind
def undefined_in_depends_on(file, chance):
    """A dependency on a name that nothing declares."""
    for declaration in file.of("resource", "module"):
        start = declaration.top("dependsOn")
        if start is not None:
            for line in range(start + 1, declaration.end):
                name = file.lines[line].strip()
                if name == "]":
                    break
                if name in file.names:
                    yield replace_line(file.lines, line, file.lines[line].replace(name, misspell(name, chance, file.names)))


@kind
def wrong_type_of_boolean(file, chance):
    """A word as the value of a Boolean property."""
    for _, line, _, key, value in body_properties(file):
        if value in ("true", "false"):
            yield value_replaced(file, line, key, "'maybe'")


@kind
def wrong_type_of_integer(file, chance):
    """A word as the value of a numeric property."""
    for _, line, _, key, value in body_properties(file):
        if re.fullmatch(r"\d+", value):
            yield value_replaced(file, line, key, "'many'")


@kind
def wrong_type_of_string(file, chance):
    """An array as the value of a string property."""
    for _, line, _, key, value in body_properties(file):
        if re.fullmatch(r"'[^'$]+'", value):
            yield value_replaced(file, line, key, f"[\n{indent_of(file.lines[line])}  {value}\n{indent_of(file.lines[line])}]")


@kind
def wrong_type_of_object(file, chance):
    """A string as the value of a property with an object."""
    for resource, line, path, key, value in body_properties(file):
        if value == "{" and (path, key) != ((), "properties"):
            end = line + 1
            while end < resource.end and indent_of(file.lines[end]) != indent_of(file.lines[line]):
                end += 1
            if file.lines[end].strip() == "}":
                mutant = delete_lines(file.lines, line + 1, end + 1, [line])
                lines = mutant.text.split("\n")
                lines[line] = lines[line][: lines[line].rindex("{")] + "'none'"
                mutant.text, mutant.shown = "\n".join(lines), lines[line]
                yield mutant


@kind
def wrong_type_of_name(file, chance):
    """A number as the name of a resource (BCP036)."""
    for resource in file.resources():
        yield value_replaced(file, resource.top("name"), "name", "42")


@kind
def wrong_enum_value(file, chance):
    """A value that the property does not allow."""
    for _, line, _, key, value in body_properties(file):
        if key in ENUMS and re.fullmatch(r"'[^'$]+'", value):
            yield value_replaced(file, line, key, f"'{ENUMS[key]}'")


@kind
def missing_name(file, chance):
    """A resource without a name (BCP035)."""
    for resource in file.resources():
        line = resource.top("name")
        if not re.search(r"[\[{(]\s*$", file.masked[line]):
            yield delete_lines(file.lines, line, line + 1, [resource.start])


@kind
def missing_required_property(file, chance):
    """A resource without a property that its type requires."""
    for resource in file.resources():
        for key in MISSING.get(resource.type, ()):
            line = resource.top(key)
            if line is not None:
                end = line + 1
                if not file.masked[line].strip().endswith(("{", "[")):
                    yield delete_lines(file.lines, line, end, [resource.start])
                    continue
                while end < resource.end and indent_of(file.lines[end]) != indent_of(file.lines[line]):
                    end += 1
                yield delete_lines(file.lines, line, end + 1, [resource.start])


@kind
def missing_location(file, chance):
    """A resource without the location that its type needs (LocationRequired)."""
    for resource in file.resources():
        line = resource.top("location")
        if resource.type in LOCATED and line is not None and not file.masked[line].strip().endswith(("{", "[", "(", "?")):
            yield delete_lines(file.lines, line, line + 1, [resource.start])


@kind
def unknown_api_version(file, chance):
    """A version that the type never had."""
    for resource in file.resources():
        new = chance.choice(("2019-13-01", "2031-01-01", "1999-01-01"))
        yield replace_line(file.lines, resource.start, file.lines[resource.start].replace(f"@{resource.version}", f"@{new}", 1))


@kind
def misspelled_type(file, chance):
    """A resource type that its provider does not have."""
    for resource in file.resources():
        head, _, last = resource.type.rpartition("/")
        new = f"{head}/{misspell(last, chance, [last + 's', last.rstrip('s')])}"
        yield replace_line(file.lines, resource.start, file.lines[resource.start].replace(resource.type, new, 1))


@kind
def misspelled_provider(file, chance):
    """A provider that does not exist."""
    for resource in file.resources():
        provider = resource.type.split("/")[0]
        new = "Microsoft." + misspell(provider.split(".", 1)[1].replace(".", ""), chance)
        yield replace_line(file.lines, resource.start, file.lines[resource.start].replace(provider, new, 1))


@kind
def type_without_version(file, chance):
    """A resource type without an API version (BCP029)."""
    for resource in file.resources():
        yield replace_line(file.lines, resource.start, file.lines[resource.start].replace(f"@{resource.version}", "", 1))


@kind
def duplicate_parameter(file, chance):
    """A second parameter of the same name (BCP028)."""
    for declaration, type_name, _ in file.parameters():
        new = f"param {declaration.name} {type_name}"
        yield insert_lines(file.lines, len(file.lines), [new], [declaration.start, len(file.lines)])


@kind
def duplicate_symbol(file, chance):
    """A variable with the name of a resource, module, or variable (BCP028)."""
    for declaration in file.of("resource", "module", "var"):
        new = f"var {declaration.name} = 'again'"
        yield insert_lines(file.lines, len(file.lines), [new], [declaration.start, len(file.lines)])


@kind
def duplicate_output(file, chance):
    """A second output of the same name (BCP145)."""
    for declaration in file.of("output"):
        new = f"output {declaration.name} string = 'again'"
        yield insert_lines(file.lines, len(file.lines), [new], [declaration.start, len(file.lines)])


@kind
def duplicate_property(file, chance):
    """A property that is given twice in an object (BCP025)."""
    for resource in file.resources():
        for line, path, key, value in resource.properties:
            if re.fullmatch(r"'[^'$]*'|true|false|\d+", value):
                yield insert_lines(file.lines, line + 1, [file.lines[line]], [line, line + 1])


def calls(file):
    """Yields the calls of known functions on one line: line, name, start of the arguments, their end, the arguments."""
    for line, text in enumerate(file.masked):
        for match in re.finditer(rf"(?<![\w.])({'|'.join(ARGUMENTS)})\(", text):
            if match[1] in file.names:
                continue
            depth, commas = 1, []
            for index in range(match.end(), len(text)):
                if text[index] in "([{":
                    depth += 1
                elif text[index] in ")]}":
                    depth -= 1
                    if depth == 0:
                        bounds = [match.end() - 1, *commas, index]
                        arguments = [file.lines[line][a + 1 : b].strip() for a, b in zip(bounds, bounds[1:])]
                        if all(arguments):
                            yield line, match[1], match.end(), index, arguments
                        break
                elif text[index] == "," and depth == 1:
                    commas.append(index)


@kind
def too_many_arguments(file, chance):
    """One argument more than the function has (BCP071)."""
    for line, name, start, end, arguments in calls(file):
        if ARGUMENTS[name][1]:
            text = file.lines[line]
            more = ", 1" * (ARGUMENTS[name][1] + 1 - len(arguments))
            yield replace_line(file.lines, line, text[:end] + more + text[end:])


@kind
def too_few_arguments(file, chance):
    """No argument for a function that needs some (BCP071)."""
    for line, name, start, end, _ in calls(file):
        text = file.lines[line]
        yield replace_line(file.lines, line, text[:start] + text[end:])


@kind
def wrong_argument_type(file, chance):
    """A Boolean for a string, array, or number (BCP070)."""
    texts = ("base64", "first", "guid", "join", "json", "length", "split", "substring", "take", "toLower", "toUpper", "trim", "uniqueString")
    for line, name, start, end, arguments in calls(file):
        if name in texts:
            text = file.lines[line]
            yield replace_line(file.lines, line, text[:start] + ", ".join(["true", *arguments[1:]]) + text[end:])


@kind
def misspelled_function(file, chance):
    """A function that does not exist (BCP057, BCP082)."""
    for line, name, start, end, _ in calls(file):
        text = file.lines[line]
        new = misspell(name, chance, ARGUMENTS)
        yield replace_line(file.lines, line, text[: start - 1 - len(name)] + new + text[start - 1 :])


@kind
def default_of_wrong_type(file, chance):
    """A default that is not of the type of the parameter (BCP033)."""
    for declaration, type_name, default in file.parameters():
        new = {"string": "42", "int": "'few'", "bool": "'true'", "object": "[]", "array": "{}"}.get(type_name)
        if default and new and not re.search(r"[\[{(]\s*$", file.masked[declaration.start]) and declaration.start == declaration.end:
            yield replace_line(file.lines, declaration.start, f"param {declaration.name} {type_name} = {new}")


@kind
def default_outside_allowed(file, chance):
    """A default that `@allowed` does not list (BCP036)."""
    for declaration, type_name, default in file.parameters():
        above = "\n".join(file.lines[line] for line in file.decorators(declaration))
        if type_name == "string" and default and default.startswith("'") and re.search(r"@(sys\.)?allowed\(", above):
            yield replace_line(file.lines, declaration.start, f"param {declaration.name} string = 'none-of-them'")


@kind
def default_above_maximum(file, chance):
    """A default above `@maxValue` or longer than `@maxLength`."""
    for declaration, type_name, default in file.parameters():
        above = "\n".join(file.lines[line] for line in file.decorators(declaration))
        if "@" in above:
            continue
        if type_name == "int" and default and re.fullmatch(r"[1-9]\d*", default):
            yield insert_lines(file.lines, declaration.start, [f"@maxValue({int(default) - 1})"], [declaration.start, declaration.start + 1])
        if type_name == "string" and default and re.fullmatch(r"'[^'$\\]{4,}'", default):
            yield insert_lines(file.lines, declaration.start, ["@maxLength(2)"], [declaration.start, declaration.start + 1])


@kind
def parameter_without_type(file, chance):
    """A parameter without a type (BCP014)."""
    for declaration, _, default in file.parameters():
        yield replace_line(file.lines, declaration.start, f"param {declaration.name}" + (f" = {default}" if default else ""))


@kind
def unknown_parameter_type(file, chance):
    """A type that nothing declares (BCP302)."""
    for declaration, type_name, default in file.parameters():
        if type_name in ("string", "int", "bool", "object", "array"):
            new = f"param {declaration.name} {misspell(type_name, chance)}" + (f" = {default}" if default else "")
            yield replace_line(file.lines, declaration.start, new)


@kind
def misspelled_keyword(file, chance):
    """A declaration with a misspelled keyword (BCP007)."""
    for declaration in file.of("param", "var", "resource", "module", "output"):
        line = file.lines[declaration.start]
        new = misspell(declaration.keyword, chance)
        yield replace_line(file.lines, declaration.start, new + line[len(declaration.keyword) :])


@kind
def output_without_value(file, chance):
    """An output without a value."""
    for declaration in file.of("output"):
        match = re.match(rf"(output\s+{WORD}\s+{WORD})\s*=", file.lines[declaration.start])
        if match and declaration.start == declaration.end:
            yield replace_line(file.lines, declaration.start, match[1])


@kind
def output_of_wrong_type(file, chance):
    """An output whose value is not of its type (BCP033)."""
    for declaration in file.of("output"):
        line = file.lines[declaration.start]
        match = re.match(rf"output\s+{WORD}\s+string\s*=\s*({WORD})\.(id|name)$", line)
        if match and match[1] in {one.name for one in file.resources()}:
            yield replace_line(file.lines, declaration.start, line.replace(" string", chance.choice((" int", " bool", " array", " object")), 1))


@kind
def unknown_resource_property(file, chance):
    """A property at the top level of a resource that it does not have (BCP053)."""
    names = {one.name for one in file.resources()}
    for line, text in enumerate(file.masked):
        for match in re.finditer(rf"(?<![\w.])({WORD})\.(id|name|location)\b(?!\w|\()", text):
            if match[1] in names and "?" not in text:
                new = chance.choice(("idd", "nam", "resourceId", "fullName"))
                yield replace_line(file.lines, line, file.lines[line][: match.start(2)] + new + file.lines[line][match.end(2) :])


@kind
def unknown_nested_property(file, chance):
    """A property below `properties` that the resource does not have; the deployment fails when it is read."""
    names = {one.name for one in file.resources()}
    for line, text in enumerate(file.masked):
        for match in re.finditer(rf"(?<![\w.])({WORD})\.properties\.({WORD})", text):
            if match[1] in names:
                new = misspell(match[2], chance)
                yield replace_line(file.lines, line, file.lines[line][: match.start(2)] + new + file.lines[line][match.end(2) :])


@kind
def property_of_string(file, chance):
    """A property of a string parameter (BCP055)."""
    strings = {declaration.name for declaration, type_name, _ in file.parameters() if type_name == "string"}
    for line, key, name, rest in uses(file):
        if name in strings and not rest:
            yield value_replaced(file, line, key, f"{name}.first")


@kind
def sum_with_string(file, chance):
    """A sum of a string and a number (BCP045)."""
    strings = {declaration.name for declaration, type_name, _ in file.parameters() if type_name == "string"}
    for line, key, name, rest in uses(file):
        if name in strings and not rest:
            yield value_replaced(file, line, key, f"{name} + 1")


@kind
def condition_of_string(file, chance):
    """A string as a condition."""
    for declaration in file.of("resource", "module"):
        line = file.lines[declaration.start]
        if re.search(r"=\s*\{$", line) and not declaration.existing:
            yield replace_line(file.lines, declaration.start, re.sub(r"=\s*\{$", "= if ('yes') {", line))


@kind
def missing_brace(file, chance):
    """A resource or module whose last brace is missing."""
    for position, declaration in enumerate(file.declarations):
        if declaration.keyword in ("resource", "module") and file.lines[declaration.end] == "}":
            after = file.declarations[position + 1 :][:1]
            expected = {declaration.start, declaration.end - 1, len(file.lines) - 2, *(one.start - 1 for one in after)}
            yield delete_lines(file.lines, declaration.end, declaration.end + 1, expected)


@kind
def extra_brace(file, chance):
    """A brace after a declaration."""
    for declaration in file.of("resource", "module"):
        if file.lines[declaration.end] == "}":
            yield replace_line(file.lines, declaration.end, "}}")


@kind
def equals_for_colon(file, chance):
    """`=` after the name of a property."""
    for declaration in file.of("resource", "module"):
        for line, _, key, _ in declaration.properties:
            text = file.lines[line]
            yield replace_line(file.lines, line, re.sub(rf"^(\s*{key})\s*:", r"\1 =", text))


@kind
def colon_for_equals(file, chance):
    """`:` for `=` in a declaration."""
    for declaration in file.of("var", "output", "resource", "module"):
        text = file.masked[declaration.start]
        if "=" in text:
            index = text.index("=")
            line = file.lines[declaration.start]
            yield replace_line(file.lines, declaration.start, line[:index] + ":" + line[index + 1 :])


@kind
def missing_equals(file, chance):
    """A declaration without `=` (BCP018)."""
    for declaration in file.of("var", "output", "resource", "module"):
        text = file.masked[declaration.start]
        if "=" in text:
            index = text.index("=")
            line = file.lines[declaration.start]
            yield replace_line(file.lines, declaration.start, line[:index] + line[index + 1 :])


@kind
def missing_colon(file, chance):
    """No `:` after the name of a property."""
    for declaration in file.of("resource", "module"):
        for line, _, key, _ in declaration.properties:
            yield replace_line(file.lines, line, re.sub(rf"^(\s*{key})\s*:", r"\1", file.lines[line]))


@kind
def two_commas(file, chance):
    """Two commas after a property (BCP022)."""
    for declaration in file.of("resource", "module"):
        for line, _, key, value in declaration.properties:
            if re.fullmatch(r"'[^'$]*'|true|false|\d+", value):
                yield replace_line(file.lines, line, file.lines[line].rstrip() + ",,", [line + 1])


@kind
def double_quotes(file, chance):
    """A string in double quotes (BCP103)."""
    for declaration in file.of("resource", "module", "param", "var"):
        for line, _, key, value in declaration.properties:
            if re.fullmatch(r"'[^'$]+'", value):
                yield value_replaced(file, line, key, '"' + value[1:-1] + '"')


@kind
def open_string(file, chance):
    """A string without its last quote (BCP004)."""
    for declaration in file.of("resource", "module"):
        for line, _, key, value in declaration.properties:
            if re.fullmatch(r"'[^'$]+'", value):
                yield value_replaced(file, line, key, value[:-1])


@kind
def open_interpolation(file, chance):
    """An expression in a string without its brace."""
    for declaration in file.of("resource", "module", "var"):
        for line, _, key, value in declaration.properties:
            if re.fullmatch(rf"'[^'$]*\$\{{{WORD}\}}[^'$]*'", value):
                yield value_replaced(file, line, key, value.replace("}", "", 1))


def local_modules(file):
    """Yields the modules whose file exists: declaration, and its parameters as `(type, required)` by name."""
    for module in file.of("module"):
        if module.path and module.path.endswith(".bicep") and ":" not in module.path:
            target = file.path.parent / module.path
            if target.is_file():
                other = File(target.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n"), target)
                found = {}
                for declaration in other.of("param"):
                    match = re.match(rf"param\s+{WORD}\s+([\w.]+(?:\[\])?)(\?)?(.*)$", other.lines[declaration.start])
                    if match:
                        required = not match[2] and "=" not in "".join(other.masked[declaration.start : declaration.end + 1])
                        found[declaration.name] = match[1] if not match[3].strip().startswith("|") else "", required
                yield module, found


@kind
def missing_module_file(file, chance):
    """A module path at which there is no file (BCP091)."""
    for module, _ in local_modules(file):
        new = re.sub(r"(\w+)\.bicep$", lambda match: match[1] + "x9.bicep", module.path)
        yield replace_line(file.lines, module.start, file.lines[module.start].replace(module.path, new, 1))


def module_parameters(file):
    """Yields the parameters on one line of local modules: module, line, name, value, type, True if it is required."""
    for module, found in local_modules(file):
        for line, path, key, value in module.properties:
            if path == ("params",) and key in found and not re.search(r"[\[{(]\s*$", file.masked[line]) and "'''" not in value:
                yield module, line, key, value, *found[key], found


@kind
def missing_module_parameter(file, chance):
    """A module without a parameter that it requires (BCP035)."""
    for module, line, _, _, type_name, required, _ in module_parameters(file):
        if required and type_name in ("string", "int", "bool", "object", "array"):
            params = module.top("params")
            if params is not None and not re.match(r"\s*[?:&|]", file.lines[line + 1]):
                yield delete_lines(file.lines, line, line + 1, [module.start, params])


@kind
def misspelled_module_parameter(file, chance):
    """A parameter that the module does not have (BCP037)."""
    for module, line, key, _, _, _, found in module_parameters(file):
        yield replace_line(file.lines, line, re.sub(rf"\b{key}\b", misspell(key, chance, found), file.lines[line], count=1))


@kind
def module_parameter_of_wrong_type(file, chance):
    """A value that is not of the type of the module's parameter (BCP036)."""
    for _, line, key, _, type_name, _, _ in module_parameters(file):
        new = {"string": "42", "int": "'few'", "bool": "'true'", "object": "'none'", "array": "'none'"}.get(type_name)
        if new and not re.match(r"\s*[?:&|]", file.lines[line + 1]):
            yield value_replaced(file, line, key, new)


@kind
def unknown_module_output(file, chance):
    """An output that the module does not have (BCP053)."""
    names = {module.name for module, _ in local_modules(file)}
    for line, text in enumerate(file.masked):
        for match in re.finditer(rf"(?<![\w.])({WORD})\.outputs\.({WORD})", text):
            if match[1] in names:
                yield replace_line(file.lines, line, file.lines[line][: match.end(2)] + "Xq" + file.lines[line][match.end(2) :])


@kind
def unknown_module_property(file, chance):
    """A property in the body of a module that no module has (BCP037)."""
    for module, _ in local_modules(file):
        line = module.top("params")
        if line is not None:
            new = file.lines[line].replace("params", chance.choice(("parameters", "parms", "properties")), 1)
            yield replace_line(file.lines, line, new, [module.start])


@kind
def assigned_module_outputs(file, chance):
    """An assignment to the outputs of a module (BCP073)."""
    for module, _ in local_modules(file):
        line = module.top("params")
        if line is not None:
            yield insert_lines(file.lines, line, [indent_of(file.lines[line]) + "outputs: {}"])


@kind
def assigned_id(file, chance):
    """An assignment to the ID of a resource (BCP073)."""
    for resource in file.resources():
        line = resource.top("name")
        yield insert_lines(file.lines, line, [indent_of(file.lines[line]) + "id: 'x'"])


@kind
def misspelled_decorator(file, chance):
    """A decorator that does not exist."""
    for line, text in enumerate(file.masked):
        match = re.match(r"@(?:sys\.)?(\w+)\(", text)
        if match:
            yield replace_line(file.lines, line, file.lines[line].replace(match[1], misspell(match[1], chance), 1))


@kind
def wrong_decorator_argument(file, chance):
    """An argument of the wrong type in a decorator (BCP070)."""
    for line, text in enumerate(file.lines):
        match = re.match(r"@(?:sys\.)?(description|minLength|maxLength|minValue|maxValue|allowed)\((.+)\)\s*$", text)
        if match:
            new = "true" if match[1] in ("description", "allowed") else "'three'"
            yield replace_line(file.lines, line, text[: match.start(2)] + new + text[match.end(2) :])


@kind
def decorator_without_argument(file, chance):
    """A decorator without its argument (BCP071)."""
    for line, text in enumerate(file.lines):
        match = re.match(r"@(?:sys\.)?(description|minLength|maxLength|minValue|maxValue|allowed|metadata|batchSize)\((.+)\)\s*$", text)
        if match:
            yield replace_line(file.lines, line, text[: match.start(2)] + ")")


@kind
def decorator_for_other_type(file, chance):
    """A decorator that the type of the parameter does not allow (BCP124)."""
    for declaration, type_name, _ in file.parameters():
        new = {"bool": "@minLength(1)", "int": "@secure()", "string": "@minValue(1)", "object": "@maxLength(3)"}.get(type_name)
        above = "".join(file.lines[line] for line in file.decorators(declaration))
        if new and new.split("(")[0] not in above:
            yield insert_lines(file.lines, declaration.start, [new], [declaration.start, declaration.start + 1])


@kind
def self_reference(file, chance):
    """A variable in its own value (BCP079)."""
    for declaration in file.of("var"):
        if declaration.start == declaration.end:
            yield replace_line(file.lines, declaration.start, f"var {declaration.name} = {declaration.name}")


@kind
def cycle_of_variables(file, chance):
    """Two variables that need each other (BCP080)."""
    new = ["var firstOfTwo = '${secondOfTwo}-a'", "var secondOfTwo = '${firstOfTwo}-b'"]
    yield insert_lines(file.lines, len(file.lines), new)


@kind
def cycle_of_resources(file, chance):
    """A resource that depends on one that depends on it (BCP080)."""
    names = {one.name: one for one in file.resources() if one.top("dependsOn") is None}
    for resource in file.resources():
        for line in range(resource.start + 1, resource.end):
            for match in re.finditer(rf"(?<![\w.]){WORD}(?=\.id\b)", file.masked[line]):
                other = names.get(match[0])
                if other and other is not resource:
                    at = other.top("name")
                    indent = indent_of(file.lines[at])
                    new = [f"{indent}dependsOn: [", f"{indent}  {resource.name}", f"{indent}]"]
                    moved = line + 3 if line >= at else line
                    start = resource.start + 3 if resource.start >= at else resource.start
                    yield insert_lines(file.lines, at, new, [at, at + 1, at + 2, moved, other.start, start])


@kind
def depends_on_itself(file, chance):
    """A resource that depends on itself (BCP079)."""
    for resource in file.resources():
        if resource.top("dependsOn") is None:
            at = resource.top("name")
            indent = indent_of(file.lines[at])
            new = [f"{indent}dependsOn: [", f"{indent}  {resource.name}", f"{indent}]"]
            yield insert_lines(file.lines, at, new, [at, at + 1, at + 2, resource.start])


@kind
def depends_on_string(file, chance):
    """The name of a resource as a string in `dependsOn` (BCP034)."""
    for resource in file.resources():
        if resource.top("dependsOn") is None:
            at = resource.top("name")
            indent = indent_of(file.lines[at])
            yield insert_lines(file.lines, at, [f"{indent}dependsOn: [", f"{indent}  '{resource.name}'", f"{indent}]"])


@kind
def scope_of_string(file, chance):
    """A string as the scope of a module (BCP036)."""
    for module, _ in local_modules(file):
        line = module.top("params")
        if line is not None and module.top("scope") is None:
            yield insert_lines(file.lines, line, [indent_of(file.lines[line]) + "scope: 'group'"])


@kind
def unknown_target_scope(file, chance):
    """A target scope that does not exist."""
    existing = [line for line, text in enumerate(file.lines) if text.startswith("targetScope")]
    if existing:
        yield replace_line(file.lines, existing[0], "targetScope = 'resourcegroup'")
    else:
        yield insert_lines(file.lines, 0, ["targetScope = 'resourcegroup'"])


@kind
def other_target_scope(file, chance):
    """Resources of a resource group in a file for a subscription (BCP135)."""
    if not any(text.startswith("targetScope") for text in file.lines):
        kinds = ("Microsoft.Storage/", "Microsoft.Network/", "Microsoft.Web/", "Microsoft.KeyVault/vaults", "Microsoft.Compute/")
        grouped = [one for one in file.resources() if one.type.startswith(kinds) and one.top("parent") is None]
        expected = [one.start + 1 for one in grouped if one.top("scope") is None]
        if expected:
            yield insert_lines(file.lines, 0, ["targetScope = 'subscription'"], [0, *expected])


@kind
def parent_of_string(file, chance):
    """A string as the parent of a resource (BCP036)."""
    for resource in file.resources():
        line = resource.top("parent")
        if line is not None:
            yield value_replaced(file, line, "parent", "'parent'")


@kind
def child_without_parent(file, chance):
    """A child resource without `parent`, whose name has one part (BCP169)."""
    for resource in file.resources():
        line = resource.top("parent")
        name = file.lines[resource.top("name")]
        if line is not None and resource.type.count("/") > 1 and re.search(r":\s*'[^'/$]+'$", name):
            at = resource.top("name")
            yield delete_lines(file.lines, line, line + 1, [resource.start, at - (line < at)])


@kind
def property_of_existing(file, chance):
    """A property of an existing resource that only a new one has (BCP173)."""
    for resource in file.of("resource"):
        line = resource.top("name")
        if resource.existing and line is not None and resource.type.startswith("Microsoft."):
            yield insert_lines(file.lines, line, [indent_of(file.lines[line]) + "properties: {}"])


@kind
def loop_over_string(file, chance):
    """A loop over a string (BCP137)."""
    for line, text in enumerate(file.lines):
        match = re.search(rf"\[\s*for\s+(?:{WORD}|\(.*?\))\s+in\s+({WORD}(?:\.{WORD})*)\s*:", file.masked[line])
        if match:
            yield replace_line(file.lines, line, text[: match.start(1)] + "'abc'" + text[match.end(1) :])


@kind
def ternary_without_else(file, chance):
    """A conditional expression without its second value."""
    for declaration in file.of("resource", "module", "var"):
        for line, _, key, value in declaration.properties:
            match = re.fullmatch(r"([^?:']+\?\s*[^?:']+?)\s*:\s*[^?:']+", value)
            if match and "??" not in value and "." not in value.split("?")[1][:1]:
                yield value_replaced(file, line, key, match[1])
