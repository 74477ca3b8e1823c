# SPDX-License-Identifier: Apache-2.0
"""An installed smp, and commands in an environment that is empty."""
import pathlib
import re
import subprocess
import sys

SYSTEM = "/usr/bin:/bin"
HEAD = """cmake_minimum_required(VERSION 3.25)
project(somebodys LANGUAGES {languages})
add_executable(application {sources})
"""


def fail(text):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def make(folder):
    folder.mkdir(parents=True)
    return folder


def run(*command, folder, path="", expected=0, **variables):
    """What it printed, without any variable of this environment."""
    environment = {"HOME": str(folder), **variables}
    if path:
        environment["PATH"] = path
    result = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                            env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    if result.returncode != expected:
        fail(f"{' '.join(map(str, command))}: exit {result.returncode}\n"
             f"{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


class Installation:
    def __init__(self, prefix, inputs, version, has_compiler):
        self.prefix, self.inputs = prefix, inputs
        self.version, self.has_compiler = version, has_compiler

    def snippet(self, name):
        """The block of the README behind <!-- snippet: name -->."""
        text = (self.inputs / "README.md").read_text()
        match = re.search(rf"<!-- snippet: {name} -->\n```\w+\n(.*?)```\n", text, re.S)
        return match[1] if match else fail(f"the README has no snippet {name}")

    def pkg_config(self):
        """Where its files for pkg-config are."""
        found = {str(file.parent) for file in (self.prefix / "lib").rglob("smp*.pc")}
        return found.pop() if len(found) == 1 else fail(f"smp.pc is in {sorted(found)}")

    def configure(self, folder, name, sources, others=(), expected=0):
        """With the lines of the README and, as anybody would, the prefix."""
        languages = "C" if all(str(source).endswith(".c") for source in sources) else "CXX"
        (folder / "CMakeLists.txt").write_text(
            HEAD.format(languages=languages, sources=" ".join(map(str, sources)))
            + self.snippet(name))
        prefixes = ";".join(map(str, [self.prefix, *others]))
        return run("cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefixes}",
                   folder=folder, path=SYSTEM, expected=expected)

    def build_application(self, folder, name, sources):
        self.configure(folder, name, sources)
        run("cmake", "--build", "out", "-j2", folder=folder, path=SYSTEM)
        return folder / "out/application"
