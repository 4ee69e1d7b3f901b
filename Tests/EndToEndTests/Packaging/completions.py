"""What a shell offers for a line with the cursor at its end, a line each: completions.py SHELL SCRIPT LINE.

Bash is asked as readline asks it, and fish by `complete -C`. Zsh offers only to who types, so it is given a terminal.
"""

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time


def bash(script: str, line: str) -> list[str]:
    ask = r"""
      source "$1"; line=$2
      read -ra COMP_WORDS <<<"$line"
      [[ "$line" == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$line; COMP_POINT=${#line}
      # The function that the script has given to the command.
      function=$(complete -p sniffer | sed 's/.*-F \([^ ]*\) .*/\1/')
      "$function" sniffer "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(["bash", "--norc", "-c", ask, "bash", script, line], capture_output=True, text=True, timeout=600)
    return done.stdout.split("\n") + done.stderr.split("\n")


class Terminal:
    """An interactive shell on a terminal that shows nothing but text."""

    def __init__(self, command: list[str], prompt: str) -> None:
        child, self.terminal = pty.fork()
        if child == 0:
            os.environ.update(TERM="dumb", PS1=prompt, COLUMNS="500", LINES="1000")
            os.execvp(command[0], command)
        self.child = child
        self.unread = ""

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, mark: str) -> str:
        """What was shown up to a mark, which has to come within ten minutes."""
        end = time.monotonic() + 600
        while mark not in self.unread:
            if time.monotonic() > end:
                sys.exit(f"no {mark!r} but {self.unread!r}")
            if select.select([self.terminal], [], [], 0.2)[0]:
                self.unread += os.read(self.terminal, 65536).decode(errors="replace")
        text, self.unread = self.unread.split(mark, 1)
        return text

    def end(self) -> None:
        os.kill(self.child, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def fish(script: str, line: str) -> list[str]:
    shell = Terminal(["fish", "--no-config", "--private"], "")
    setup = [
        "stty cols 500 rows 1000 -echo", "function fish_prompt; end; function fish_greeting; end", f"source {shlex.quote(script)}",
        r"function offer; for found in (complete -C (commandline)); echo OFFER:$found; end; echo DO''NE; commandline ''; end",
        r"bind \ct offer", "echo SET''UP",
    ]
    shell.type("\n".join(setup) + "\n")
    shell.read_until("SETUP\r\n")
    shell.type(line + "\x14")
    text = shell.read_until("DONE\r\n")
    shell.end()
    return [offer.split("\t")[0] for offer in re.findall(r"OFFER:([^\r\n]*)", text)]


def zsh(script: str, line: str) -> list[str]:
    shell = Terminal(["zsh", "-f", "-i"], "READY>")
    shell.read_until("READY>")
    setup = [
        "stty cols 500 rows 1000 -echo", "unset zle_bracketed_paste; LISTMAX=0", "autoload -Uz compinit; compinit -u -D",
        f"source {shlex.quote(script)}; compdef _sniffer sniffer",
        # What is offered passes through compadd.
        "compadd() { local -a found; builtin compadd -O found \"$@\"; print -l OFFER:$^found; builtin compadd \"$@\" }",
        "offer() { zle list-choices; print; print DO''NE; BUFFER= }", "zle -N offer; bindkey '^T' offer", "print SET''UP",
    ]
    shell.type("\n".join(setup) + "\n")
    shell.read_until("SETUP")
    shell.read_until("READY>")
    shell.type(line + "\x14")
    text = shell.read_until("DONE")
    shell.end()
    return re.findall(r"OFFER:([^\r\n]+)", text)


if __name__ == "__main__":
    offers = {"bash": bash, "zsh": zsh, "fish": fish}[sys.argv[1]](sys.argv[2], sys.argv[3])
    print("\n".join(sorted({offer.strip() for offer in offers if offer.strip()})))
