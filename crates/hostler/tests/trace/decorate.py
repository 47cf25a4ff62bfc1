"""decorate.py FOLDER: adds tags of every form to the functions and classes of the packages in FOLDER.

Also writes what they import (rtm.py) and the requirements that they cite (docs/spec.md). The same folder gives the same
tags.
"""

import ast
import pathlib
import sys

MARK = "@" + "traces"
REQUIREMENTS = 60
# Cited by nothing; some of them are ticked.
UNCITED = {11, 23, 37, 41, 58}

root = pathlib.Path(sys.argv[1])
cited = [number for number in range(1, REQUIREMENTS + 1) if number not in UNCITED]


def name(number):
    return f"TZ-{number:03}"


def after_head(tree):
    """The line after the docstring and the imports from __future__."""
    line = 0
    for statement in tree.body:
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (docstring or future):
            break
        line = statement.end_lineno
    return line


def tag(at, indent):
    """The lines of a tag; each number has a form of its own."""
    one, two = (name(cited[(at * step) % len(cited)]) for step in (7, 3))
    first = cited[at % (len(cited) - 3)]
    forms = [
        [f'{MARK}(spec="100-toolz", story="US-{at % 9:03}", reqs=["{one}"])'],
        [f"{MARK}(", f'    reqs=[  # a comment', f'        "{one}",', f'        "{two}",', "    ],", '    spec="100-toolz",', ")"],
        [f"{MARK}(reqs=('{one}', '{two}',), story=None, spec='100-toolz')"],
        ["@rtm.traces(reqs=RTM_ONE + [RTM_TWO])"],
        [f'{MARK}(reqs=["{one}"])', f"{MARK}(reqs=['{two}'])"],
        [f'{MARK}(reqs="{name(first)}" "..{first + 1:03}")'] if {first, first + 1}.isdisjoint(UNCITED) else [f'{MARK}(reqs=["{one}"])'],
        [f'@rtm_tagged(spec="100-toolz", reqs=["{one}", *RTM_ONE])'],
        [f"# {MARK} {one}, {two}"],
    ]
    return [indent + line + "\n" for line in forms[at % len(forms)]]


count = 0
for path in sorted(root.rglob("*.py")):
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    insertions = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
        line = lines[first - 1]
        indent = line[: len(line) - len(line.lstrip())]
        # A definition behind something else on its line has no line for a decorator.
        if line.lstrip().startswith(("@", "def ", "async def ", "class ")):
            insertions.append((first - 1, indent))
    if not insertions:
        continue
    for line, indent in sorted(insertions, reverse=True):
        count += 1
        if count % 3 != 0:
            lines[line:line] = tag(count, indent)
    head = [
        "import rtm\n",
        "from rtm import traces, traces as rtm_tagged\n",
        f'RTM_ONE = ["{name(cited[count % len(cited)])}"]\n',
        f'RTM_TWO = ("{name(cited[(count + 5) % len(cited)])[:4]}"\n           "{name(cited[(count + 5) % len(cited)])[4:]}")\n',
        "if False:\n",
        f'    RTM_TEXT = "# {MARK} {name(1)}"\n',
    ]
    at = after_head(tree)
    lines[at:at] = head
    path.write_text("".join(lines), encoding="utf-8")

(root / "rtm.py").write_text(
    "def traces(spec=None, story=None, reqs=()):\n    return lambda decorated: decorated\n", encoding="utf-8"
)
(root / "toolz/tests/test_rtm.py").write_text(
    f"from rtm import traces\n\n\n{MARK}(reqs=['{name(2)}'])\ndef test_that_fails():\n    assert False\n\n\n"
    f"class TestGroup:\n    {MARK}(reqs=['{name(4)}'])\n    async def helper(self):\n        pass\n\n"
    f"    {MARK}(reqs=['{name(5)}'])\n    def test_that_holds(self):\n        assert True\n",
    encoding="utf-8",
)
(root / "docs").mkdir(exist_ok=True)
spec = ["# Toolz\n", "\n"]
for number in range(1, REQUIREMENTS + 1):
    box = "x" if number % 2 else " "
    spec.append(f"- [{box}] **{name(number)}**: It does the thing of number {number}\n  and nothing else\n")
(root / "docs/100-toolz.md").write_text("".join(spec), encoding="utf-8")
print(count)
