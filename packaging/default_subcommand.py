"""Makes completions know the default subcommand: `sniffer CAPTURE` and `sniffer --format csv` complete as `sniffer analyze` does.

Usage: default_subcommand.py SHELL SUBCOMMAND < SCRIPT > SCRIPT

The argument parser writes a script in which a line without subcommand completes to the subcommands alone. Each change below says what
it expects to find, and fails where that is not there, so that another version of the parser is noticed.
"""

import re
import sys


def replaced(pattern: str, replacement: str, script: str) -> str:
    """The script with the one place that the pattern is about replaced."""
    changed, count = re.subn(pattern, lambda found: found.expand(replacement), script, flags=re.MULTILINE | re.DOTALL)
    if count != 1:
        sys.exit(f"default_subcommand.py: {count} places in the script look like {pattern!r}")
    return changed


def bash(script: str, default: str) -> str:
    # What the line has so far is read once more, as that of the default subcommand.
    return replaced(
        r"^    \*\)\n        # Offer subcommand completions\n        (COMPREPLY\+=\([^\n]*\))\n",
        r"    *)" "\n"
        r"        # Offer subcommand completions, and those of the default subcommand" "\n"
        r"        COMPREPLY=()" "\n"
        r"        if [[ ${COMP_CWORD} -eq 1 ]]; then" "\n"
        r"            \1" "\n"
        r"        fi" "\n"
        r'        unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")' "\n"
        rf"        _sniffer_{default}" "\n",
        script)


def zsh(script: str, default: str) -> str:
    found = re.search(r"^        (local -ar subcommands=\(.*?^        \))$", script, flags=re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit("default_subcommand.py: no list of subcommands")
    names = re.findall(r"^            '([a-z]+):", found[1], flags=re.MULTILINE)
    lines = "\n".join("    " + line for line in found[0].split("\n"))
    return replaced(
        r"^    local -i ret=1\n    local -ar arg_specs=\(\n        '--version\[[^\n]*\n        '\(-h --help\)[^\n]*\n        '\(-\): :->command'",
        rf"    # Without a subcommand, the line is that of the default one." "\n"
        rf"    local -ar subcommand_names=({' '.join(names)})" "\n"
        r"    if (( CURRENT == 2 || ! ${subcommand_names[(Ie)${words[2]}]} )); then" "\n"
        r"        local -i found=1" "\n"
        r"        if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then" "\n"
        + lines.replace("\\", "\\\\") + "\n"
        r"            _describe -V subcommand subcommands && found=0" "\n"
        r"        fi" "\n"
        rf"        _sniffer_{default} && found=0" "\n"
        r'        return "${found}"' "\n"
        r"    fi" "\n\n"
        r"\g<0>",
        script)


def fish(script: str, default: str) -> str:
    subcommand = r"""^(complete -c 'sniffer' -n )'__sniffer_should_offer_completions_for_positional "sniffer" -eq 1'( -fa '([a-z]+)')"""
    names = [found[3] for found in re.finditer(subcommand, script, flags=re.MULTILINE)]
    script = re.sub(subcommand, r"\1'test (count (__sniffer_tokens -pc)) -eq 1'\2", script, flags=re.MULTILINE)
    return replaced(
        r"^    set -l unparsed_tokens \(__sniffer_tokens -pc\)\n",
        r"\g<0>"
        r"    # Without a subcommand, the line is that of the default one." "\n"
        rf'    if not contains -- "$unparsed_tokens[2]" {" ".join(names)}' "\n"
        rf"        set unparsed_tokens $unparsed_tokens[1] {default} $unparsed_tokens[2..]" "\n"
        r"    end" "\n",
        script)


if __name__ == "__main__":
    sys.stdout.write({"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[1]](sys.stdin.read(), sys.argv[2]))
