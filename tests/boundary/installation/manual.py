# SPDX-License-Identifier: Apache-2.0
"""What is installed of a tool beside it: a man page, and completions for bash."""
import gzip
import re
import shutil

from installation import SYSTEM, fail, run

# Completes the last of the words, and prints what bash would offer.
COMPLETE = """source "$1"
function=_${2//-/_}
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
$function
echo "${COMPREPLY[*]}"
"""
# Of each of some tools, words and what the last of them may become.
OFFERED = {
    "smp-run": [(["--stat"], "--stats"), (["--stats", ""], "json text"),
                (["--stats", "=", "j"], "json"), (["--check-numerics", ""], ""),
                (["--check-numerics", "="], "nan all")],
    "smp-checkpoint": [(["conv"], "convert"), (["convert", "--na"], "--names"),
                       (["convert", "--names", "=", ""], "path full"),
                       (["list", "--na"], "")],
    "smp-compile": [(["--pipeline", "=", "zb"], "zb-h1 zb-h2 zb-v"),
                    (["--target", "cu"], "cuda")],
}


def options_of(text):
    """The options that --help shows."""
    return set(re.findall(r"^ +(?:-\w,)?(-{1,2}[a-zA-Z0-9][\w-]*)", text, re.M))


def check_page(smp, tool, shown, folder):
    page = smp.prefix / f"share/man/man1/{tool}.1.gz"
    text = gzip.decompress(page.read_bytes()).decode()
    named = tool.replace("-", "\\-")
    head = (f'.TH {tool.upper()} 1 "" "smp {smp.version}" smp\n.ad l\n'
            f'.SH NAME\n{named} \\- ', f"\n.SH SYNOPSIS\n{named} ")
    if not re.match(r".+".join(map(re.escape, head)), text):
        fail(f"{page} begins with {text[:200]!r}")
    spelled = text.replace("\\-", "-")
    for option in shown:
        if not re.search(rf"\\fB(-\w,)?{option}\\fR|,{option}\\fR", spelled):
            fail(f"{page} does not have {option}")
    if shutil.which("groff", path=SYSTEM):
        (folder / "page.1").write_text(text)
        said = run("groff", "-man", "-Tutf8", "-ww", "-z", "page.1", folder=folder, path=SYSTEM)
        if said:
            fail(f"groff says of {page}:\n{said}")


def check_completions(smp, tool, shown, folder):
    completions = smp.prefix / "share/bash-completion/completions" / tool

    def offered(*words):
        return run("bash", "-c", COMPLETE, "bash", completions, tool, *words,
                   folder=folder, path=SYSTEM).strip()

    if missing := shown - set(offered("-").split()):
        fail(f"{completions} lack {sorted(missing)}")
    for words, expected in OFFERED.get(tool, []):
        if (said := offered(*words)) != expected:
            fail(f"{completions}: {tool} {' '.join(words)}: {said!r}, not {expected!r}")


def check_manual(smp, tool, folder):
    shown = options_of(run(smp.prefix / "bin" / tool, "--help", folder=folder))
    if "--help" not in shown or "--version" not in shown:
        fail(f"{tool} --help shows {sorted(shown)}")
    check_page(smp, tool, shown, folder)
    check_completions(smp, tool, shown, folder)
