"""count.py FOLDER [JUNIT]: which functions and classes cite which requirement, and what the tests of each came to.

Written against Python's own `ast` and `tokenize`, and nothing of the program whose counts it checks.
"""

import ast
import io
import json
import pathlib
import re
import sys
import tokenize
import xml.etree.ElementTree

root = pathlib.Path(sys.argv[1])
ID = re.compile(r"TZ-(\d+)(?:\.\.(\d+))?")
links = {}


def expand(text):
    for first, last in ID.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"TZ-{number:0{len(first)}}"


def add(identifier, path, name, line):
    links.setdefault(identifier, set()).add((path, name, line))


class Visitor(ast.NodeVisitor):
    def __init__(self, path, tree):
        self.path, self.names, self.starts = path, [], {}
        self.constants = {}
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                self.constants[statement.targets[0].id if isinstance(statement.targets[0], ast.Name) else ""] = statement.value

    def texts(self, node):
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else []
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [text for item in node.elts for text in self.texts(item)]
        if isinstance(node, ast.Starred):
            return self.texts(node.value)
        if isinstance(node, ast.BinOp):
            return self.texts(node.left) + self.texts(node.right)
        if isinstance(node, ast.Name):
            return self.texts(self.constants[node.id])
        raise ValueError(ast.dump(node))

    def definition(self, node):
        self.names.append(node.name)
        name = ".".join(self.names)
        first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
        self.starts[first] = name
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            called = ast.unparse(decorator.func)
            if called in ("traces", "rtm.traces", "rtm_tagged"):
                for keyword in decorator.keywords:
                    if keyword.arg == "reqs":
                        for text in self.texts(keyword.value):
                            for identifier in expand(text):
                                add(identifier, self.path, name, decorator.lineno)
        self.generic_visit(node)
        self.names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = definition


for file in sorted(root.rglob("*.py")):
    path = file.relative_to(root).as_posix()
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    visitor = Visitor(path, tree)
    visitor.visit(tree)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and ("@" + "traces ") in token.string:
            line = token.start[0]
            name = next(visitor.starts[at] for at in range(line + 1, line + 9) if at in visitor.starts)
            for identifier in expand(token.string):
                add(identifier, path, name, line)

outcomes = {}
if len(sys.argv) > 2:
    for case in xml.etree.ElementTree.parse(sys.argv[2]).iter("testcase"):
        where = f"{case.get('classname')}.{case.get('name').split('[')[0]}"
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        before = outcomes.get(where)
        outcomes[where] = "failed" if "failed" in (before, outcome) else "passed" if "passed" in (before, outcome) else outcome


def ended_as(path, name):
    """What is defined in a test is part of it."""
    names = name.split(".")
    while names:
        outcome = outcomes.get(".".join([*path[:-3].split("/"), *names]))
        if outcome:
            return outcome
        names.pop()
    return None


def state(identifier):
    tests = [it for it in links.get(identifier, []) if "/tests/" in it[0]]
    ended = {ended_as(path, name) for path, name, _ in tests}
    if "failed" in ended:
        return "failing"
    if "passed" in ended:
        return "passing"
    if tests:
        return "tested"
    return "traced" if identifier in links else "untraced"


identifiers = [f"TZ-{number:03}" for number in range(1, 61)]
print(json.dumps({
    "links": {key: sorted(value) for key, value in links.items()},
    "states": {identifier: state(identifier) for identifier in identifiers},
}))
