# SPDX-License-Identifier: Apache-2.0
"""What a tool's --help says, taken apart: that of CLI11 and that of LLVM's command
line are the two forms there are."""
import dataclasses
import re
import subprocess

SECTION = re.compile(r"(Positionals|Options|Subcommands|\[Option Group: .*\]):?$")
LLVM_ITEM = re.compile(r"( +)(-\S.*?|=\S+|<\S+>) +- +(.*)$")


@dataclasses.dataclass
class Item:
    """An option, a positional, a command, or a value of an option."""
    name: str
    text: str = ""
    values: list = dataclasses.field(default_factory=list)

    def spellings(self):
        """-h and --help of "-h,--help"."""
        return re.findall(r"(?<![\w-])-{1,2}[A-Za-z0-9][\w-]*", self.name.split(" ")[0])

    def is_optional(self):
        """Whether its value may be left out, and else follows a =."""
        return bool(re.match(r"[\w,-]+(\{|\[=)", self.name))

    def choices(self):
        """The values that the option may have, where these are all there are."""
        if self.values:
            return [value.name.lstrip("=") for value in self.values]
        if match := re.search(r":\{([^}]*)\}", self.name):
            return match[1].split(",")
        match = re.search(r"[ <]([\w.-]+(?:\|[\w.-]+)+)>?$", self.name)
        return match[1].split("|") if match else []


@dataclasses.dataclass
class Section:
    title: str
    items: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Help:
    description: str
    usage: str
    sections: list
    footer: list  # Lines.

    def items(self):
        return [item for section in self.sections for item in section.items]

    def commands(self):
        return [item.name for section in self.sections
                for item in section.items if section.title == "Subcommands"]


def read_help(tool, name, *words):
    """What the tool prints that is started as `name`."""
    result = subprocess.run([name, *words, "--help"], executable=tool, check=True,
                            capture_output=True, text=True, stdin=subprocess.DEVNULL)
    text = result.stdout.rstrip("\n")
    return parse_llvm(text) if text.startswith("OVERVIEW: ") else parse_cli11(text)


def parse_cli11(text):
    """Descriptions of items begin in a column of their own, behind the name or below it."""
    lines = text.split("\n")
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage: "))
    result = Help(" ".join(lines[:usage]).strip(), lines[usage].removeprefix("Usage: "), [], [])
    for number, line in enumerate(lines[usage + 1:], usage + 1):
        if match := SECTION.match(line.strip()):
            result.sections.append(Section(match[1].strip("[]")))
        elif line and not line.startswith(" ") and result.sections:
            result.footer = lines[number:]
            break
        elif line.strip():
            add_cli11_line(result.sections[-1].items, line.strip(),
                           len(line) - len(line.lstrip()))
    return result


def add_cli11_line(items, text, column):
    if column > 20:
        items[-1].text = f"{items[-1].text} {text}".strip()
        return
    name, _, rest = text.partition("  ")
    items.append(Item(name, rest.strip()))


def parse_llvm(text):
    overview, rest = re.split(r"\n+USAGE: ", text, maxsplit=1)
    usage, _, rest = rest.partition("\n")
    result = Help(overview.removeprefix("OVERVIEW: ").strip(), usage, [], [])
    for line in rest.split("\n"):
        if match := LLVM_ITEM.match(line):
            add_llvm_item(result.sections[-1].items, match[2], match[3].strip())
        elif line.startswith(" " * 20):
            item = result.sections[-1].items[-1]
            item.text = f"{item.text} {line.strip()}".strip()
        elif line.endswith(":") and line != "OPTIONS:":
            result.sections.append(Section(line.strip().rstrip(":")))
    result.sections = [section for section in result.sections if section.items]
    return result


def add_llvm_item(items, name, text):
    if name.startswith("="):
        items[-1].values.append(Item(name, text))
    else:
        items.append(Item(name, text))
