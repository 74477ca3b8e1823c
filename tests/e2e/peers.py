# SPDX-License-Identifier: Apache-2.0
"""Other frameworks, for tests that have them."""
import os, subprocess, sys


def become_one_with(package, candidates, environment=None):
    """Goes on as the first Python that has the package: one of the candidates, or of this
    one and $SMP_PEERS_PYTHON. Ends with 77 where none has."""
    found = f"SMP_{package.upper()}_FOUND"
    if os.environ.get(found):
        return
    peers = os.environ.get("SMP_PEERS_PYTHON")
    candidates = candidates or [sys.executable] + ([peers] if peers else [])
    for python in candidates:
        ask = [python, "-c", "import importlib.util as u, sys; "
               f"sys.exit(u.find_spec('{package}') is None)"]
        if os.path.exists(python) and subprocess.run(ask, cwd="/").returncode == 0:
            os.execve(python, [python, *sys.argv],
                      {**os.environ, **(environment or {}), found: "1"})
    print(f"skipped: none of {', '.join(candidates)} has {package}")
    sys.exit(77)
