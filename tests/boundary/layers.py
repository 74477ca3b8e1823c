# SPDX-License-Identifier: Apache-2.0
"""The layers, as the build knows them: which folder is of which layer, and what
each may use. Read from the CMake files, so there is no second table."""
import pathlib
import re

# Rooms with sources that belong to a layer.
ROOMS = ["codegen", "emulator", "ir", "passes", "python", "runtime", "serialization", "tools"]
SOURCES = {".h", ".cpp", ".c", ".inc"}


class Layers:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        text = (self.root / "cmake/SmpAddLibrary.cmake").read_text()
        self.may_use = {name: set(words.replace('""', "").split()) for name, words in
                        re.findall(r"set\(SMP_MAY_USE_(\w+)\s+([^)]*)\)", text)}
        self.compiler = set(re.search(r"SMP_COMPILER_LAYERS ([^)]*)\)", text)[1].split())
        if not self.may_use or not self.compiler:
            raise SystemExit("layers: no table in cmake/SmpAddLibrary.cmake")
        self.folders = {}  # folder -> (layer, does it compile against MLIR)
        self.inner = {}  # folder -> those of its lib/, lowest first, if they are named
        for room in ROOMS:
            for cmake in (self.root / room).rglob("CMakeLists.txt"):
                self._read_folder(cmake)
        # A public header is found by the name that others include it by.
        self.public = {}
        for room in ROOMS:
            for include in (self.root / room).rglob("include"):
                for header in include.rglob("*"):
                    if header.is_file():
                        self.public[str(header.relative_to(include))] = header

    def _read_folder(self, cmake):
        text = cmake.read_text()
        if match := re.search(r"smp_add_(?:pass_)?library\(\S+[^)]*?\bLAYER\s+(\w+)([^)]*)", text):
            self.folders[cmake.parent] = match[1], match[1] in self.compiler or (
                "COMPILER" in match[2].split())
            if inner := re.search(r"\bFOLDERS((?:\s+[a-z]+)+)", match[2]):
                self.inner[cmake.parent] = inner[1].split()
        elif match := re.search(r"smp_add_tool\(([^)]*)\)", text):
            self.folders[cmake.parent] = "tools", "COMPILER" in match[1].split()
        elif re.search(r"^nanobind_add_module\(", text, re.M):
            self.folders[cmake.parent] = "python", False

    def library(self, path):
        """The folder of the library or tool that owns the file, or None."""
        for folder in pathlib.Path(path).parents:
            if folder in self.folders:
                return folder
            if folder == self.root:
                break
        return None

    def inner_error(self, path, target):
        """Why the file may not include another one of its library, or None."""
        library = self.library(path)
        order = self.inner.get(library)
        if not order or any(library / "lib" not in file.parents for file in (path, target)):
            return None
        own, used = (file.relative_to(library / "lib").parts[0] for file in (path, target))
        if own not in order:
            return f"{own} is in none of the FOLDERS of {library.name}"
        if used not in order[:order.index(own) + 1]:
            return f"{library.name}: {own}/ may not include {used}/"
        return None

    def of(self, path):
        """The layer of the library that owns the file, or None, and whether
        that library compiles against MLIR."""
        return self.folders.get(self.library(path), (None, False))

    def of_include(self, name):
        """The layer of the public header smp/..., or None. A header that the
        build makes has the layer of the others in its folder."""
        if name in self.public:
            return self.of(self.public[name])[0]
        prefix = name.rsplit("/", 1)[0] + "/"
        layers = {self.of(header)[0] for other, header in self.public.items()
                  if other.startswith(prefix) and "/" not in other[len(prefix):]}
        return layers.pop() if name.endswith(".inc") and len(layers) == 1 else None

    def sources(self):
        for room in ROOMS:
            for path in sorted((self.root / room).rglob("*")):
                if path.suffix in SOURCES and path.is_file():
                    yield path
