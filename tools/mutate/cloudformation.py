"""Kinds of mistakes in CloudFormation templates in YAML. Each yields mutants that CloudFormation or the service refuses."""

import re

from mutant import delete_lines, insert_lines, misspell, replace_line

NAME = "cloudformation"
KINDS = {}
SECTIONS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs")
KEY = re.compile(r"""("[^"]+"|'[^']+'|[^\s#"'\[\]{},&*!|>%@`-][^\s#"'{}\[\],]*?|-[^\s:]+)\s*:(?:\s+(.*)|$)""")
PSEUDO = {f"AWS::{name}" for name in "AccountId NoValue NotificationARNs Partition Region StackId StackName URLSuffix".split()}
# Properties with any names or values below them.
FREE = re.compile(
    r"AccessPolicies|AssumeRolePolicyDocument|Attributes|Body|Classification|Condition|Configuration|ConfigurationProperties|Configurations|"
    r"ConfigurationValues|ConnectionInput|ContainerDefinitions|Content|DashboardBody|DatabaseInput|DefaultArguments|Definition|DefinitionBody|"
    r"DefinitionString|DefinitionSubstitutions|DefinitionUri|Environment|EventPattern|Events|ExtendedProperties|FilterPolicy|Fn::.*|Globals|"
    r"HostedZoneTags|Input|InputParameters|KeyPolicy|Labels|Metadata|NotificationConfiguration|Options|Parameter.*|Pattern|Policies|Policy|"
    r"PolicyDocument|PropagateAtLaunch|RedrivePolicy|RepositoryPolicyText|RequestModels|RequestParameters|RequestTemplates|ResourcePolicy|"
    r"ResponseModels|ResponseParameters|ResponseTemplates|RuleParameters|Schema|SecretString|Settings|Statement|TableInput|Tags|TagsMap|"
    r"UserData|Value|Variables"
)
MISSING = {
    "AWS::ApiGateway::Method": ("HttpMethod", "ResourceId", "RestApiId"),
    "AWS::CloudFormation::Stack": ("TemplateURL",),
    "AWS::CloudFront::Distribution": ("DistributionConfig",),
    "AWS::CodeBuild::Project": ("Artifacts", "Environment", "ServiceRole", "Source"),
    "AWS::CodePipeline::Pipeline": ("RoleArn", "Stages"),
    "AWS::DynamoDB::Table": ("KeySchema",),
    "AWS::EC2::Route": ("RouteTableId",),
    "AWS::EC2::SecurityGroup": ("GroupDescription",),
    "AWS::EC2::Subnet": ("VpcId",),
    "AWS::EC2::SubnetRouteTableAssociation": ("SubnetId", "RouteTableId"),
    "AWS::ElasticLoadBalancingV2::Listener": ("DefaultActions",),
    "AWS::IAM::InstanceProfile": ("Roles",),
    "AWS::IAM::Policy": ("PolicyName", "PolicyDocument"),
    "AWS::IAM::Role": ("AssumeRolePolicyDocument",),
    "AWS::KMS::Alias": ("AliasName", "TargetKeyId"),
    "AWS::Lambda::Function": ("Code", "Role"),
    "AWS::Lambda::Permission": ("Action", "Principal", "FunctionName"),
    "AWS::Logs::MetricFilter": ("FilterPattern",),
    "AWS::Route53::RecordSet": ("Name", "Type"),
    "AWS::S3::BucketPolicy": ("Bucket", "PolicyDocument"),
    "AWS::SNS::Subscription": ("Protocol", "TopicArn"),
    "AWS::SecretsManager::SecretTargetAttachment": ("SecretId", "TargetId"),
}
ENUMS = {
    "AttributeType": "X",
    "AuthorizationType": "TRUST",
    "BillingMode": "PAY_LATER",
    "ComparisonOperator": "RoughlyEqual",
    "ComputeType": "BUILD_GENERAL9_HUGE",
    "HttpMethod": "GRAB",
    "InstanceTenancy": "crowded",
    "KeyType": "HASHED",
    "LaunchType": "ROCKET",
    "NetworkMode": "carrier-pigeon",
    "ObjectOwnership": "Nobody",
    "PackageType": "Crate",
    "PriceClass": "PriceClass_7",
    "ProjectionType": "SOME",
    "SSEAlgorithm": "AES999",
    "SchedulingStrategy": "SOMETIMES",
    "Scheme": "sideways",
    "StreamViewType": "NOTHING",
    "TargetType": "pigeon",
    "ViewerProtocolPolicy": "maybe",
    "VpcEndpointType": "Tunnel",
}
BOUNDS = {
    ("AWS::EC2::SecurityGroup", "FromPort"): "70000",
    ("AWS::EC2::SecurityGroup", "GroupDescription"): "x" * 300,
    ("AWS::ElasticLoadBalancingV2::Listener", "Port"): "70000",
    ("AWS::ElasticLoadBalancingV2::TargetGroup", "Port"): "70000",
    ("AWS::IAM::Role", "Description"): "d" * 1100,
    ("AWS::IAM::Role", "MaxSessionDuration"): "60",
    ("AWS::IAM::Role", "RoleName"): "r" * 70,
    ("AWS::KMS::Key", "PendingWindowInDays"): "90",
    ("AWS::Lambda::Function", "FunctionName"): "f" * 160,
    ("AWS::Lambda::Function", "MemorySize"): "7",
    ("AWS::Lambda::Function", "Timeout"): "5000",
    ("AWS::Logs::LogGroup", "RetentionInDays"): "8",
    ("AWS::RDS::DBInstance", "BackupRetentionPeriod"): "-3",
    ("AWS::S3::Bucket", "BucketName"): "b" * 70,
    ("AWS::SQS::Queue", "MessageRetentionPeriod"): "5",
    ("AWS::SQS::Queue", "VisibilityTimeout"): "50000",
}
PATTERNS = {
    ("AWS::DynamoDB::Table", "TableName"): "a b!",
    ("AWS::EC2::Route", "DestinationCidrBlock"): "0.0.0.0/0/0",
    ("AWS::EC2::SecurityGroup", "CidrIp"): "300.0.0.0/8",
    ("AWS::EC2::Subnet", "CidrBlock"): "10.0.0/24",
    ("AWS::EC2::VPC", "CidrBlock"): "10.0.0.0/99",
    ("AWS::Events::Rule", "ScheduleExpression"): "every day",
    ("AWS::IAM::Role", "Path"): "no-slash",
    ("AWS::IAM::Role", "RoleName"): "no/slash here",
    ("AWS::KMS::Alias", "AliasName"): "no-prefix",
    ("AWS::Lambda::Function", "FunctionName"): "no spaces!",
    ("AWS::Lambda::Function", "Role"): "not-an-arn",
    ("AWS::Lambda::Function", "Runtime"): "python99",
    ("AWS::Logs::LogGroup", "LogGroupName"): "no spaces?!",
    ("AWS::S3::Bucket", "BucketName"): "Not_A_Bucket!",
}


class Node:
    """A key of a mapping, with the lines of its value."""

    def __init__(self, line, indent, path, key, value, prefix):
        self.line, self.indent, self.path, self.key, self.value = line, indent, path, key, value
        # Text of the line before the key.
        self.prefix = prefix
        self.end = line + 1

    @property
    def spaces(self):
        return " " * self.indent


class File:
    """The text of a template with its keys, by an outline of its indentation."""

    def __init__(self, text):
        self.text, self.lines = text, text.split("\n")
        self.nodes, self.scalars = [], set()
        self.read()
        names = {section: [node.key for node in self.section(section)] for section in SECTIONS}
        self.parameters, self.resources, self.conditions = names["Parameters"], names["Resources"], names["Conditions"]
        self.mappings, self.outputs = names["Mappings"], names["Outputs"]
        self.referable = {*self.parameters, *self.resources, *PSEUDO}
        typed = [node for node in self.nodes if len(node.path) == 2 and node.path[0] == "Resources" and node.key == "Type"]
        self.types = {node.path[1]: unquote(node.value) for node in typed}
        # Conditions that no parameter decides. Their resources may never be created, so mistakes in them do no harm.
        self.constant = {name for name in self.conditions if self.is_constant(name, ())}

    def read(self):
        stack, index = [], 0
        while index < len(self.lines):
            line = self.lines[index]
            stripped = line.lstrip(" ")
            indent = len(line) - len(stripped)
            if not stripped or stripped.startswith(("#", "---", "%")):
                index += 1
                continue
            position = indent
            while stripped.startswith("- ") or stripped == "-":
                self.pop(stack, position + 0.5, index)
                stack.append((position + 0.5, "[]", None))
                rest = stripped[1:].lstrip(" ")
                position += len(stripped) - len(rest)
                stripped = rest
            match = KEY.match(stripped)
            value = stripped
            if match:
                self.pop(stack, position, index)
                value = strip_comment(match[2] or "")
                node = Node(index, position, tuple(part for _, part, _ in stack), unquote(match[1]), value, line[:position])
                self.nodes.append(node)
                stack.append((position, node.key, node))
            index += 1
            index = self.skip_value(strip_comment(value), indent if not match else position, index)
        self.pop(stack, -1, len(self.lines))

    def pop(self, stack, indent, line):
        while stack and stack[-1][0] >= indent:
            _, _, node = stack.pop()
            if node:
                end = line
                while end > node.line + 1 and (not self.lines[end - 1].strip() or self.lines[end - 1].lstrip().startswith("#")):
                    end -= 1
                node.end = end

    def skip_value(self, value, indent, index):
        """Returns the line after a value that continues on other lines without keys of the outline."""
        if re.search(r"(^|\s)[|>][-+\d]*$", value):
            while index < len(self.lines):
                line = self.lines[index]
                if line.strip() and len(line) - len(line.lstrip()) <= indent:
                    break
                self.scalars.add(index)
                index += 1
        else:
            while index < len(self.lines) and is_open(value):
                self.scalars.add(index)
                value += " " + strip_comment(self.lines[index].strip())
                index += 1
        return index

    def is_constant(self, name, seen):
        """Returns `true` if no parameter decides a condition."""
        node = self.at("Conditions", name)
        text = "\n".join(self.lines[node.line : node.end]) if node else "Ref"
        others = re.findall(r"\bCondition:?\s+['\"]?(\w+)", text)
        if "Ref" in text or "Sub" in text or name in seen:
            return False
        return all(self.is_constant(other, (*seen, name)) for other in others)

    def may_be_created(self, resource):
        """Returns `false` for a resource that depends on a constant condition."""
        node = self.at("Resources", resource, "Condition")
        return not node or unquote(node.value) not in self.constant

    def section(self, name):
        return [node for node in self.nodes if node.path == (name,)]

    def top(self, name):
        return next((node for node in self.nodes if node.path == () and node.key == name), None)

    def at(self, *path):
        return next((node for node in self.nodes if (*node.path, node.key) == path), None)

    def siblings(self, node):
        return [other.key for other in self.nodes if other.path == node.path]

    def properties(self, deep=False):
        """Yields typed properties of AWS resources: node, and the type of the resource."""
        for node in self.nodes:
            path = node.path
            if len(path) > 2 and path[0] == "Resources" and path[2] == "Properties" and node.line not in self.scalars:
                type_name = self.types.get(path[1], "")
                custom = ("AWS::CloudFormation::CustomResource", "AWS::CloudFormation::Macro")
                if type_name.startswith("AWS::") and not type_name.startswith(custom) and self.may_be_created(path[1]):
                    if (len(path) > 3) == deep and not any(FREE.fullmatch(part) for part in path[3:]):
                        if re.fullmatch(r"[A-Z]\w+", node.key) and node.key not in ("Ref", "Condition"):
                            yield node, type_name

    def strings(self):
        """Yields the top-level properties with one plain string on the line."""
        for node, type_name in self.properties():
            if re.fullmatch(r"""[A-Za-z'"][^\[\]{}:|>&*#]*""", node.value) and not FREE.fullmatch(node.key):
                yield node, type_name

    def lines_with(self, pattern):
        """Yields the matches in lines of sections with values, outside of block scalars and comments."""
        for index, line in enumerate(self.lines):
            if index not in self.scalars and not line.lstrip().startswith("#"):
                for match in re.finditer(pattern, line):
                    if "#" not in line[: match.start()]:
                        yield index, match


def unquote(text):
    return text.strip().strip("\"'")


def strip_comment(text):
    return re.sub(r"(^|\s)#.*$", "", text).strip()


def is_open(value):
    """Returns `true` if a flow collection or a quoted string continues on the next line."""
    value = re.sub(r"^(!\S+\s+)+", "", value)
    if value[:1] in ("'", '"'):
        return len(value) < 2 or (value.count(value[0]) % 2 == 1)
    if value[:1] in ("[", "{"):
        plain = re.sub(r"""'[^']*'|"[^"]*\"""", "", value)
        return plain.count("[") + plain.count("{") > plain.count("]") + plain.count("}")
    return False


def is_template(text):
    return bool(
        re.search(r"^Resources:\s*$", text, re.MULTILINE) and re.search(r"^\s+Type:\s*['\"]?AWS::", text, re.MULTILINE)
        and not re.search(r"\t|\{\{[%#]|\{%|!Rain|AWS::Include|Fn::Transform|Fn::ForEach|<<:", text)
        and not re.search(r"^Transform:(?!\s*['\"]?AWS::Serverless)", text, re.MULTILINE)
        and not text.lstrip().startswith("{")
    )  # fmt: skip


def parse(text, path):
    return File(text)


def kind(plant):
    """Registers a function as a kind; its name is that of the function with hyphens."""
    KINDS[plant.__name__.replace("_", "-")] = plant
    return plant


def with_value(file, node, new, expected=()):
    """Returns a mutant in which a node on one line has another value."""
    line = file.lines[node.line]
    start = line.index(":", node.indent + len(node.key)) + 1
    return replace_line(file.lines, node.line, f"{line[:start]} {new}", expected)


def renamed(file, node, new, expected=()):
    line = file.lines[node.line]
    return replace_line(file.lines, node.line, line[: node.indent] + line[node.indent :].replace(node.key, new, 1), expected)


@kind
def misspelled_property(file, chance):
    """A property that the resource type does not have."""
    for node, _ in file.properties():
        yield renamed(file, node, misspell(node.key, chance, file.siblings(node)))


@kind
def misspelled_nested_property(file, chance):
    """A property that an object of the resource does not have."""
    for node, _ in file.properties(deep=True):
        yield renamed(file, node, misspell(node.key, chance, file.siblings(node)))


@kind
def misspelled_section(file, chance):
    """A section that templates do not have."""
    for name in SECTIONS:
        node = file.top(name)
        if node:
            yield renamed(file, node, misspell(name, chance), [0])


@kind
def misspelled_type(file, chance):
    """A resource type that does not exist."""
    for node in file.nodes:
        if len(node.path) == 2 and node.path[0] == "Resources" and node.key == "Type" and unquote(node.value).startswith("AWS::"):
            head, _, last = unquote(node.value).rpartition("::")
            yield with_value(file, node, f"{head}::{misspell(last, chance)}")


@kind
def unknown_format_version(file, chance):
    """A version of the template format that does not exist."""
    node = file.top("AWSTemplateFormatVersion")
    if node:
        yield with_value(file, node, "'2010-09-10'")


@kind
def unknown_transform(file, chance):
    """A version of SAM that does not exist."""
    node = file.top("Transform")
    if node and node.value:
        yield with_value(file, node, "AWS::Serverless-2016-10-32")


@kind
def ref_to_nothing(file, chance):
    """`Ref` to a name that nothing declares."""
    for index, match in file.lines_with(r"(?:!Ref\s+|\bRef:\s+)['\"]?(\w+)\b(?!::)"):
        if match[1] in file.referable:
            new = misspell(match[1], chance, file.referable)
            yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def ref_to_unknown_pseudo_parameter(file, chance):
    """`Ref` to a pseudo parameter that does not exist."""
    for index, match in file.lines_with(r"(?:!Ref\s+|\bRef:\s+)['\"]?(AWS::\w+)"):
        new = "AWS::" + misspell(match[1][5:], chance)
        yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def ref_to_mapping(file, chance):
    """`Ref` to a condition or a mapping."""
    for name in [*file.conditions, *file.mappings][:3]:
        if name not in file.referable:
            for node, _ in file.strings():
                yield with_value(file, node, f"!Ref {name}")


@kind
def get_att_of_nothing(file, chance):
    """`GetAtt` of a resource that the template does not have."""
    for index, match in file.lines_with(r"!GetAtt\s+['\"]?(\w+)\.[\w.]+"):
        if match[1] in file.resources:
            new = misspell(match[1], chance, file.referable)
            yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def get_att_of_unknown_attribute(file, chance):
    """`GetAtt` of an attribute that the resource type does not have."""
    for index, match in file.lines_with(r"!GetAtt\s+['\"]?(\w+)\.(\w+)['\"]?\s*$"):
        type_name = file.types.get(match[1], "")
        if type_name.startswith("AWS::") and not type_name.startswith("AWS::CloudFormation::"):
            new = misspell(match[2], chance)
            yield replace_line(file.lines, index, file.lines[index][: match.start(2)] + new + file.lines[index][match.end(2) :])


@kind
def get_att_of_parameter(file, chance):
    """`GetAtt` of a parameter."""
    for name in file.parameters[:3]:
        for node, _ in file.strings():
            yield with_value(file, node, f"!GetAtt {name}.Arn")


@kind
def unknown_condition(file, chance):
    """A condition of a resource or output that nothing declares."""
    for node in file.nodes:
        if node.key == "Condition" and len(node.path) == 2 and node.path[0] in ("Resources", "Outputs"):
            yield with_value(file, node, misspell(unquote(node.value), chance, file.conditions))


@kind
def unknown_condition_in_if(file, chance):
    """`If` with a condition that nothing declares."""
    for index, match in file.lines_with(r"!If\s*\[\s*['\"]?(\w+)"):
        if match[1] in file.conditions:
            new = misspell(match[1], chance, file.conditions)
            yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def unknown_condition_in_condition(file, chance):
    """A condition of a condition that nothing declares."""
    node = file.top("Conditions")
    if node:
        yield insert_lines(file.lines, node.line + 1, ["  PlantedCondition: !Not [!Condition NoSuchCondition]"])


@kind
def cycle_of_conditions(file, chance):
    """Two conditions that depend on each other."""
    node = file.top("Conditions")
    if node:
        new = ["  PlantedOne: !Not [!Condition PlantedTwo]", "  PlantedTwo: !Not [!Condition PlantedOne]"]
        yield insert_lines(file.lines, node.line + 1, new)


@kind
def resource_in_condition(file, chance):
    """A condition that refers to a resource."""
    node = file.top("Conditions")
    if node and file.resources:
        yield insert_lines(file.lines, node.line + 1, [f"  PlantedCondition: !Equals [!Ref {file.resources[0]}, x]"])


@kind
def get_att_in_condition(file, chance):
    """A condition with a function that conditions do not allow."""
    node = file.top("Conditions")
    if node and file.resources:
        yield insert_lines(file.lines, node.line + 1, [f"  PlantedCondition: !Equals [!GetAtt {file.resources[0]}.Arn, x]"])


@kind
def unknown_variable_in_sub(file, chance):
    """`Sub` with a variable that nothing declares."""
    for index, match in file.lines_with(r"!Sub\s+[^\[]*?\$\{(\w+)\}"):
        if match[1] in file.referable:
            new = misspell(match[1], chance, file.referable)
            yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def unknown_attribute_in_sub(file, chance):
    """`Sub` with an attribute that the resource type does not have."""
    for index, match in file.lines_with(r"!Sub\s+[^\[]*?\$\{(\w+)\.(\w+)\}"):
        type_name = file.types.get(match[1], "")
        if type_name.startswith("AWS::") and not type_name.startswith("AWS::CloudFormation::"):
            new = misspell(match[2], chance)
            yield replace_line(file.lines, index, file.lines[index][: match.start(2)] + new + file.lines[index][match.end(2) :])


@kind
def unknown_pseudo_parameter_in_sub(file, chance):
    """`Sub` with a pseudo parameter that does not exist."""
    for index, match in file.lines_with(r"!Sub\s+[^\[]*?\$\{(AWS::\w+)\}"):
        new = "AWS::" + misspell(match[1][5:], chance)
        yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def unknown_mapping(file, chance):
    """`FindInMap` in a mapping that nothing declares."""
    for index, match in file.lines_with(r"!FindInMap\s*\[\s*['\"]?(\w+)"):
        if match[1] in file.mappings:
            new = misspell(match[1], chance, file.mappings)
            yield replace_line(file.lines, index, file.lines[index][: match.start(1)] + new + file.lines[index][match.end(1) :])


@kind
def unknown_mapping_key(file, chance):
    """`FindInMap` with a second key that no entry of the mapping has."""
    for index, match in file.lines_with(r"!FindInMap\s*\[\s*['\"]?(\w+)['\"]?\s*,.*,\s*['\"]?(\w+)['\"]?\s*\]"):
        keys = {node.key for node in file.nodes if node.path[:2] == ("Mappings", match[1]) and len(node.path) == 3}
        if match[2] in keys:
            new = misspell(match[2], chance, keys)
            yield replace_line(file.lines, index, file.lines[index][: match.start(2)] + new + file.lines[index][match.end(2) :])


@kind
def flat_mapping(file, chance):
    """A mapping with one level of keys."""
    node = file.top("Mappings")
    if node:
        yield insert_lines(file.lines, node.line + 1, ["  PlantedMapping:", "    key: value"])


@kind
def function_in_mapping(file, chance):
    """A function in a mapping."""
    node = file.top("Mappings")
    if node:
        yield insert_lines(file.lines, node.line + 1, ["  PlantedMapping:", "    first:", "      second: !Ref AWS::Region"])


SHAPES = {
    "join": ("!Join ['-']", "!Join '-'", "!Join ['-', 'a']", "!Join [['a'], '-']"),
    "select": ("!Select ['first', ['a', 'b']]", "!Select [0]", "!Select [5, ['a', 'b']]", "!Select 0"),
    "split": ("!Split [',']", "!Split 'a,b'", "!Split [',', ['a']]"),
    "if": ("!If [{condition}, a]", "!If [{condition}, a, b, c]", "!If {condition}"),
    "sub": ("!Sub []", "!Sub ['a', {{}}, 'b']", "!Sub {{a: b}}", "!Sub ['${{PlantedName}}', {{OtherName: x}}]"),
    "get-att": ("!GetAtt {resource}", "!GetAtt [{resource}]", "!GetAtt []"),
    "find-in-map": ("!FindInMap [{mapping}, a]", "!FindInMap {mapping}", "!FindInMap [{mapping}]"),
    "base64": ("Fn::Base64: [a]", "Fn::Base64: {{a: b}}"),
    "cidr": ("!Select [0, !Cidr ['10.0.0.0/16']]", "!Select [0, !Cidr ['10.0.0.0/16', 300, 8]]", "!Select [0, !Cidr '10.0.0.0/16']"),
    "import-value": ("!ImportValue [a]", "!ImportValue {{a: b}}"),
    "ref": ("!Ref [a]", "!Ref {{a: b}}", "!Ref ''"),
    "get-azs": ("!Select [0, !GetAZs [a, b]]", "!Select [0, !GetAZs {{a: b}}]"),
    "unknown": ("!Reff {resource}", "!GetAttr {resource}.Arn", "!Concat [a, b]", "!FindMap [a, b, c]"),
    "long-unknown": ("Fn::Jion: ['-', ['a', 'b']]", "Fn::Substitute: 'a'", "Fn::getAtt: [{resource}, Arn]", "fn::join: ['-', ['a']]"),
}  # fmt: skip
CONDITION_SHAPES = {
    "equals": ("!Equals [a]", "!Equals [a, b, c]", "!Equals a"),
    "and": ("!And [!Equals [a, b]]", "!And [a, b]", "!And !Equals [a, b]"),
    "or": ("!Or [!Equals [a, b]]", "!Or [a, b]"),
    "not": ("!Not [!Equals [a, b], !Equals [a, b]]", "!Not []", "!Not [[a]]"),
    "condition-value": ("true", "a", "!Ref AWS::Region", "!Join ['-', [a, b]]"),
}


def register_shape(name, shapes, in_conditions):
    def plant(file, chance):
        shape = chance.choice(shapes)
        if in_conditions:
            node = file.top("Conditions")
            if node:
                yield insert_lines(file.lines, node.line + 1, [f"  PlantedCondition: {shape}"])
            return
        if ("{condition}" in shape and not file.conditions) or ("{mapping}" in shape and not file.mappings):
            return
        names = {"condition": (file.conditions or [""])[0], "mapping": (file.mappings or [""])[0], "resource": file.resources[0]}
        text = shape.format(**names) if "{" in shape else shape
        for node, _ in file.strings():
            if text.split("(")[0].startswith(("Fn::", "fn::")):
                lines = with_value(file, node, "").text.split("\n")
                yield insert_lines(lines, node.line + 1, [f"{node.spaces}  {text}"], [node.line, node.line + 1])
            else:
                yield with_value(file, node, text)

    plant.__doc__ = f"A function with arguments that it does not take: `{shapes[0]}`."
    KINDS[f"shape-of-{name}"] = plant


for shape_name, shape_list in SHAPES.items():
    register_shape(shape_name, shape_list, False)
for shape_name, shape_list in CONDITION_SHAPES.items():
    register_shape(shape_name, shape_list, True)


@kind
def duplicate_resource(file, chance):
    """A second resource of the same name."""
    node = file.top("Resources")
    for resource in file.section("Resources"):
        new = [f"{resource.spaces}{resource.key}:", f"{resource.spaces}  Type: AWS::SNS::Topic"]
        yield insert_lines(file.lines, node.line + 1, new, [node.line + 1, resource.line + 2])


@kind
def duplicate_property(file, chance):
    """A property that is given twice."""
    for node, _ in file.strings():
        if node.path[-1] == "Properties" and node.prefix.strip() == "":
            yield insert_lines(file.lines, node.line + 1, [file.lines[node.line]], [node.line, node.line + 1])


@kind
def duplicate_section(file, chance):
    """A section that is there twice."""
    node = file.top("Outputs") or file.top("Parameters")
    if node:
        yield insert_lines(file.lines, node.line, [f"{node.key}:", "  Planted:", "    Type: String", "    Value: x"], [node.line, node.line + 4])


@kind
def wrong_type_of_boolean(file, chance):
    """A word for a Boolean."""
    for deep in (False, True):
        for node, _ in file.properties(deep):
            if node.value in ("true", "false", "True", "False") and node.key != "Value":
                yield with_value(file, node, "maybe")


@kind
def wrong_type_of_number(file, chance):
    """A word for a number."""
    for deep in (False, True):
        for node, _ in file.properties(deep):
            if re.fullmatch(r"\d+", node.value) and not re.search(r"Id$|Version|Account|Owner|Code|Port|Value|Name", node.key):
                yield with_value(file, node, "many")


@kind
def map_for_string(file, chance):
    """A map for a string."""
    for node, _ in file.strings():
        yield with_value(file, node, "{Planted: x}")


@kind
def list_for_string(file, chance):
    """A list for a string."""
    for node, _ in file.strings():
        yield with_value(file, node, "[a, b]")


@kind
def string_for_map(file, chance):
    """A string for an object."""
    for node, _ in file.properties():
        first = next((other for other in file.nodes if other.line == node.line + 1), None)
        if not node.value and node.end > node.line + 1 and first and first.path[-1:] == (node.key,) and re.fullmatch(r"[A-Z]\w+", first.key):
            # `aws cloudformation package` replaces paths in some properties.
            if first.key not in ("Ref", "Condition", "Version", "Statement") and node.key not in ("Code", "Content"):
                mutant = delete_lines(file.lines, node.line + 1, node.end, [node.line])
                lines = mutant.text.split("\n")
                lines[node.line] = lines[node.line].rstrip() + " none"
                mutant.text, mutant.shown = "\n".join(lines), lines[node.line]
                yield mutant


@kind
def tags_as_map(file, chance):
    """Tags as a map, where the type has a list."""
    listed = ("AWS::S3::Bucket", "AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::IAM::Role", "AWS::Lambda::Function", "AWS::EC2::SecurityGroup")
    for node in file.nodes:
        if len(node.path) == 2 and node.key == "Properties" and file.types.get(node.path[1]) in listed and not node.value:
            if not file.at(*node.path, "Properties", "Tags"):
                first = next((other for other in file.nodes if other.path == (*node.path, "Properties")), None)
                if first:
                    yield insert_lines(file.lines, node.line + 1, [f"{first.spaces}Tags:", f"{first.spaces}  team: a"])


@kind
def wrong_enum_value(file, chance):
    """A value that the property does not allow."""
    for deep in (False, True):
        for node, _ in file.properties(deep):
            if node.key in ENUMS and re.fullmatch(r"['\"]?[\w.-]+['\"]?", node.value):
                yield with_value(file, node, ENUMS[node.key])


@kind
def wrong_pattern(file, chance):
    """A text of a form that the property does not allow."""
    for deep in (False, True):
        for node, type_name in file.properties(deep):
            if (type_name, node.key) in PATTERNS and node.value:
                yield with_value(file, node, f"'{PATTERNS[type_name, node.key]}'")


@kind
def out_of_bounds(file, chance):
    """A number or length that the property does not allow."""
    for deep in (False, True):
        for node, type_name in file.properties(deep):
            if (type_name, node.key) in BOUNDS and node.value:
                yield with_value(file, node, BOUNDS[type_name, node.key])


@kind
def missing_required_property(file, chance):
    """A resource without a property that its type requires."""
    for node, type_name in file.properties():
        if len(node.path) == 3 and node.key in MISSING.get(type_name, ()) and not node.prefix.strip():
            resource, properties = file.at(*node.path[:2]), file.at(*node.path)
            if len([other for other in file.nodes if other.path == node.path]) > 1:
                yield delete_lines(file.lines, node.line, node.end, [resource.line, resource.line + 1, properties.line, properties.line - 1])


@kind
def missing_type(file, chance):
    """A resource without a type."""
    for resource in file.section("Resources"):
        node = file.at("Resources", resource.key, "Type")
        if node:
            yield delete_lines(file.lines, node.line, node.line + 1, [resource.line])


@kind
def missing_effect(file, chance):
    """A statement of a policy without an effect."""
    for node in file.nodes:
        if node.key == "Effect" and "Statement" in node.path and not node.prefix.strip():
            parent = next((other.line for other in reversed(file.nodes) if other.line < node.line and other.key == "Statement"), node.line)
            yield delete_lines(file.lines, node.line, node.line + 1, [node.line - 1, node.line, parent, parent + 1])


@kind
def wrong_effect(file, chance):
    """A statement of a policy with an effect other than Allow or Deny."""
    for node in file.nodes:
        if node.key == "Effect" and "Statement" in node.path and unquote(node.value) in ("Allow", "Deny"):
            yield with_value(file, node, chance.choice(("Alow", "allow", "Permit")))


@kind
def wrong_policy_version(file, chance):
    """A version of the policy language that does not exist."""
    for node in file.nodes:
        if node.key == "Version" and unquote(node.value) == "2012-10-17":
            yield with_value(file, node, "'2012-10-71'")


@kind
def misspelled_policy_key(file, chance):
    """A key of a policy statement that does not exist."""
    for node in file.nodes:
        in_statement = node.path[-2:-1] == ("Statement",) and "PolicyDocument" in "".join(node.path)
        if in_statement and node.key in ("Effect", "Action", "Resource", "Principal"):
            yield renamed(file, node, misspell(node.key, chance))


@kind
def unknown_resource_attribute(file, chance):
    """A misspelled attribute of a resource."""
    attributes = ("Properties", "DependsOn", "DeletionPolicy", "Condition", "Metadata", "UpdatePolicy")
    for node in file.nodes:
        if len(node.path) == 2 and node.path[0] == "Resources" and node.key in attributes:
            yield renamed(file, node, misspell(node.key, chance), [file.at(*node.path).line])


@kind
def wrong_resource_name(file, chance):
    """A name of a resource with other characters than letters and digits."""
    used = re.compile("|".join(rf"\b{name}\b" for name in file.resources) or "x")
    counts = {}
    for name in used.findall(file.text):
        counts[name] = counts.get(name, 0) + 1
    for node in file.section("Resources"):
        if counts.get(node.key) == 1:
            yield renamed(file, node, chance.choice((f"{node.key}-One", f"{node.key}_One")))


@kind
def depends_on_nothing(file, chance):
    """A dependency on a resource that the template does not have."""
    for resource in file.section("Resources"):
        node = file.at("Resources", resource.key, "Type")
        if node and not file.at("Resources", resource.key, "DependsOn"):
            new = misspell(chance.choice(file.resources), chance, file.resources)
            yield insert_lines(file.lines, node.line + 1, [f"{node.spaces}DependsOn: {new}"])


@kind
def depends_on_itself(file, chance):
    """A resource that depends on itself."""
    for resource in file.section("Resources"):
        node = file.at("Resources", resource.key, "Type")
        if node and not file.at("Resources", resource.key, "DependsOn"):
            yield insert_lines(file.lines, node.line + 1, [f"{node.spaces}DependsOn: {resource.key}"], [node.line + 1, resource.line])


@kind
def cycle_of_resources(file, chance):
    """Two resources that depend on each other."""
    ends = {node.key: node for node in file.section("Resources")}
    for index, match in file.lines_with(r"(?:!Ref\s+|!GetAtt\s+|\$\{)(\w+)\b"):
        owner = next((node for node in ends.values() if node.line < index < node.end), None)
        other = ends.get(match[1])
        if owner and other and owner is not other and not file.at("Resources", other.key, "DependsOn"):
            node = file.at("Resources", other.key, "Type")
            if node:
                at = node.line + 1
                moved = [line + (line >= at) for line in (index, owner.line, other.line)]
                yield insert_lines(file.lines, at, [f"{node.spaces}DependsOn: {owner.key}"], [at, *moved])


@kind
def default_outside_allowed(file, chance):
    """A default that `AllowedValues` does not list."""
    for name in file.parameters:
        node = file.at("Parameters", name, "Default")
        allowed = file.at("Parameters", name, "AllowedValues")
        if node and node.value and allowed:
            number = "Number" in (file.at("Parameters", name, "Type") or node).value
            yield with_value(file, node, "987654" if number else "none-of-them", [allowed.line])


@kind
def default_of_wrong_type(file, chance):
    """A default of a number that is not a number."""
    for name in file.parameters:
        node, type_node = file.at("Parameters", name, "Default"), file.at("Parameters", name, "Type")
        if node and type_node and unquote(type_node.value) == "Number":
            yield with_value(file, node, "several")


@kind
def default_as_list(file, chance):
    """A list as the default of a parameter."""
    for name in file.parameters:
        node = file.at("Parameters", name, "Default")
        if node and node.value and not node.value.startswith(("[", "{", "|", ">")):
            yield with_value(file, node, "[a, b]")


@kind
def function_as_default(file, chance):
    """A function as the default of a parameter."""
    for name in file.parameters:
        node = file.at("Parameters", name, "Default")
        if node and node.value and not node.value.startswith(("[", "{", "|", ">")):
            yield with_value(file, node, chance.choice(("!Ref AWS::Region", "!Sub '${AWS::StackName}-x'")))


@kind
def default_against_pattern(file, chance):
    """A default that `AllowedPattern` does not match."""
    for name in file.parameters:
        node, type_node = file.at("Parameters", name, "Default"), file.at("Parameters", name, "Type")
        if node and type_node and unquote(type_node.value) == "String" and not file.at("Parameters", name, "AllowedPattern"):
            if re.fullmatch(r"['\"]?[a-zA-Z][\w.-]*['\"]?", node.value):
                expected = [type_node.line + 1, node.line + (node.line > type_node.line)]
                yield insert_lines(file.lines, type_node.line + 1, [f"{type_node.spaces}AllowedPattern: '[0-9]+'"], expected)


@kind
def default_too_long(file, chance):
    """A default that is longer than `MaxLength`."""
    for name in file.parameters:
        node, type_node = file.at("Parameters", name, "Default"), file.at("Parameters", name, "Type")
        if node and type_node and unquote(type_node.value) == "String" and not file.at("Parameters", name, "MaxLength"):
            if re.fullmatch(r"['\"]?[a-zA-Z][\w.-]{3,}['\"]?", node.value):
                expected = [type_node.line + 1, node.line + (node.line > type_node.line)]
                yield insert_lines(file.lines, type_node.line + 1, [f"{type_node.spaces}MaxLength: 2"], expected)


@kind
def unknown_parameter_type(file, chance):
    """A parameter type that does not exist."""
    for name in file.parameters:
        node = file.at("Parameters", name, "Type")
        if node:
            new = chance.choice((misspell(unquote(node.value).rpartition(":")[2].strip("<>"), chance), "Boolean", "Integer", "string"))
            yield with_value(file, node, new)


@kind
def parameter_without_type(file, chance):
    """A parameter without a type."""
    for parameter in file.section("Parameters"):
        node = file.at("Parameters", parameter.key, "Type")
        if node and len([other for other in file.nodes if other.path == node.path]) > 1:
            yield delete_lines(file.lines, node.line, node.line + 1, [parameter.line])


@kind
def unknown_parameter_key(file, chance):
    """A key that parameters do not have."""
    keys = ("Default", "Description", "AllowedValues", "AllowedPattern", "NoEcho", "ConstraintDescription")
    for node in file.nodes:
        if len(node.path) == 2 and node.path[0] == "Parameters" and node.key in keys:
            yield renamed(file, node, misspell(node.key, chance))


@kind
def output_without_value(file, chance):
    """An output without a value."""
    for output in file.section("Outputs"):
        node = file.at("Outputs", output.key, "Value")
        if node and len([other for other in file.nodes if other.path == node.path]) > 1:
            yield delete_lines(file.lines, node.line, node.end, [output.line])


@kind
def unknown_output_key(file, chance):
    """A key that outputs do not have."""
    for node in file.nodes:
        if len(node.path) == 2 and node.path[0] == "Outputs" and node.key in ("Value", "Description", "Export"):
            yield renamed(file, node, misspell(node.key, chance), [file.at(*node.path).line])


@kind
def output_of_list(file, chance):
    """A list as the value of an output."""
    for output in file.section("Outputs"):
        node = file.at("Outputs", output.key, "Value")
        if node and node.value and node.end == node.line + 1:
            yield with_value(file, node, "[a, b]")


@kind
def duplicate_export(file, chance):
    """Two outputs that export one name."""
    node = file.top("Outputs")
    if node:
        new = []
        for name in ("PlantedOne", "PlantedTwo"):
            new += [f"  {name}:", "    Value: x", "    Export:", "      Name: planted-export"]
        yield insert_lines(file.lines, node.line + 1, new)


@kind
def export_without_name(file, chance):
    """An export without a name."""
    node = file.top("Outputs")
    if node:
        yield insert_lines(file.lines, node.line + 1, ["  PlantedOutput:", "    Value: x", "    Export: planted-export"])


@kind
def wrong_output_name(file, chance):
    """A name of an output with other characters than letters and digits."""
    for node in file.section("Outputs"):
        yield renamed(file, node, node.key + chance.choice(("-One", "_One")))


@kind
def tab_as_indentation(file, chance):
    """A tab in the indentation."""
    for node, _ in file.properties():
        if not node.prefix.strip():
            yield replace_line(file.lines, node.line, "\t" + file.lines[node.line].lstrip(" "), [node.line + 1, node.line - 1])


@kind
def missing_colon(file, chance):
    """No colon after a key."""
    for node, _ in file.strings():
        line = file.lines[node.line]
        if not node.prefix.strip():
            start = line.index(":", node.indent)
            yield replace_line(file.lines, node.line, line[:start] + line[start + 1 :], [node.line + 1, node.line - 1])


@kind
def wrong_indentation(file, chance):
    """A property with one space more than the others."""
    for node, _ in file.strings():
        before = [other for other in file.nodes if other.path == node.path and other.line == node.line - 1 and other.value]
        if before and not node.prefix.strip():
            yield replace_line(file.lines, node.line, " " + file.lines[node.line], [node.line - 1])


@kind
def open_quote(file, chance):
    """A string without its last quote."""
    for node, _ in file.strings():
        if re.fullmatch(r"[A-Za-z][\w .-]*", node.value):
            yield with_value(file, node, f'"{node.value}', range(node.line, len(file.lines)))


@kind
def open_bracket(file, chance):
    """A list without its last bracket."""
    for index, match in file.lines_with(r"\]$"):
        yield replace_line(file.lines, index, file.lines[index][:-1], range(index, len(file.lines)))


@kind
def properties_beside_type(file, chance):
    """A property of the resource beside its type."""
    for resource in file.section("Resources"):
        node = file.at("Resources", resource.key, "Type")
        if node and unquote(node.value).startswith("AWS::"):
            yield insert_lines(file.lines, node.line + 1, [f"{node.spaces}Tags: []"], [node.line + 1, resource.line])


@kind
def long_description(file, chance):
    """A description of more than 1,024 bytes."""
    node = file.top("Description")
    if node and node.value and node.end == node.line + 1:
        yield with_value(file, node, "d" * 1025)
