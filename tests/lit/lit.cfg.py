# SPDX-License-Identifier: Apache-2.0
# How lit runs the .mlir tests: with our tools and LLVM's FileCheck in the path.
import os
import sys

import lit.formats

config.name = "smp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.smp_binary_dir, "tests", "lit")

tools = [os.path.join(config.smp_binary_dir, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
config.substitutions.append(("%python", sys.executable))
