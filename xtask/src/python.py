"""Says of each Python file whether the compiler takes it, and of broken copies of it; one JSON line each."""
import io, json, random, sys, tokenize, warnings
from pathlib import Path

warnings.simplefilter("ignore")
rounds, seed, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
WORDS = """( ) [ ] { } : , = == := . * ** if else for in not and lambda yield await async return break continue def class
import from as ' " @ -> ; pass except try finally with None True ... ~ - del match case _ type $ ? ! \\ while is raise assert
0777 1_ nonlocal global f"{x}" print""".split() + ["\n", "    ", "\t", '"""', "é", "“", "x: int", "global x"]
if sys.version_info < (3, 12):
    # We take what any released Python takes.
    WORDS.remove("type")


def line_of(text, path):
    """None if the compiler takes the text, else the line of its fault."""
    try:
        compile(text, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, OverflowError):
        return 1
    return None


def piece(text):
    """Some of the statements at the top."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line[:1] not in ("", " ", "\t", "#", ")", "]", "}", '"', "'")]
    if len(starts) < 3:
        return text
    first = random.randrange(len(starts) - 1)
    last = min(first + random.randint(1, 4), len(starts) - 1)
    return "\n".join(lines[starts[first]:starts[last]][:80]) + "\n"


def broken(text):
    """The text with one token or line changed."""
    try:
        tokens = [it for it in tokenize.generate_tokens(io.StringIO(text).readline) if it.string.strip()]
    except Exception:
        tokens = []
    lines = text.split("\n")
    if not tokens or random.random() < 0.2:
        at = random.randrange(len(lines))
        line = lines[at]
        lines[at] = random.choice([" " + line, "    " + line, line.lstrip(), line[1:], "\t" + line, ""])
        return "\n".join(lines)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    token, other = random.choice(tokens), random.choice(tokens).string
    start = offsets[token.start[0] - 1] + token.start[1]
    end = offsets[token.end[0] - 1] + token.end[1]
    put = random.choice(["", token.string + " " + token.string, other, random.choice(WORDS) + " "])
    return text[:start] + put + text[random.choice([start, end]):]


random.seed(seed)
texts = []
for path in sys.stdin.read().splitlines():
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        continue
    texts.append(text)
    print(json.dumps({"path": path, "line": line_of(text, path)}))
for at in range(rounds if texts else 0):
    text = broken(piece(random.choice(texts)))
    if random.random() < 0.3:
        text = broken(text)
    path = folder / f"{at}.py"
    path.write_text(text, encoding="utf-8", newline="")
    print(json.dumps({"path": str(path), "line": line_of(text, path)}))
