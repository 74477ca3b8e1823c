# SPDX-License-Identifier: Apache-2.0
"""A page of the documentation as a reader follows it: its files are written, its commands
run one after the other, in an environment that is empty."""
import re

from installation import fail, run

BLOCK = re.compile(r"<!-- (file: (?P<name>\S+)|commands(?P<needs> of \w+)?) -->\n"
                   r"```\w+\n(?P<text>.*?)```\n", re.S)


class Page:
    """`before` is what the shell of each block of commands begins with; `says` what the
    last command of a block prints, by a word of it."""

    def __init__(self, path, folder, before, says):
        self.text, self.folder, self.before, self.says = path.read_text(), folder, before, says

    def run(self, commands):
        """What the commands print; they share nothing but files and `before`."""
        return run("sh", "-c", f"set -eu\n{self.before}\n{commands}", folder=self.folder)

    def follow(self, without=()):
        """But for commands of what is in `without`, as <!-- commands of torch --> says."""
        said = set()
        for block in BLOCK.finditer(self.text):
            if name := block["name"]:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block["text"])
                continue
            last = " ".join(block["text"].rstrip().splitlines()[-1].split())
            known = [words for words in self.says if last.startswith(words)]
            if not known:
                fail(f"nobody knows what '{last}' prints; say it in SAYS")
            said.update(known)
            if block["needs"] and block["needs"].removeprefix(" of ") in without:
                continue
            printed = self.run(block["text"])
            for expected in self.says[known[0]]:
                if expected not in printed:
                    fail(f"{last} printed\n{printed}which has no {expected!r}")
        if said != set(self.says):
            fail(f"the page has no command {sorted(set(self.says) - said)}")
        return len(said)
