//! Go.

use super::braces::{Braces, defects, harmless, methods};
use super::ground::{Change, Defect, Ground, Harmless, Sample};
use super::judge;
use super::random::Random;

pub(super) const GROUND: Ground = Ground {
    name: "go",
    extensions: &["go"],
    config: "",
    tool: None,
    batch_max: 30,
    prepare: |_| Ok(()),
    judge: judge::go,
    harmless: HARMLESS,
    defects: DEFECTS,
};

const HARMLESS: &[Harmless] = &harmless::<Go>();
const DEFECTS: &[Defect] = &defects::<Go>();

struct Go;

impl Braces for Go {
    const BEGIN: &'static [&'static str] = &["return", "if", "for", "switch", "defer", "go", "var"];
    const LEVEL: &'static str = "\t";
    const ENDS_WITH_LINE: bool = true;

    const LOG: &'static str = "log.Printf(\"here with %v\", []any{1, \"a\"})";
    const CONSTANTS: &'static [&'static str] = &[
        "const spareRounds = 3",
        "var spareNames = []string{\"first\", \"second\"}",
        "const passwordField = \"password\"",
        "const SpareURL = \"https://docs.example.com/tokens\"",
        "type Spare[T ~int | ~string] struct {\n\tName T `json:\"name,omitempty\"`\n}",
        "type spareReader interface {\n\tio.Reader\n\tClose() error\n}",
        "const (\n\tspareFirst = iota + 1\n\t_\n\tspareThird\n)",
    ];
    const PARAMETERS: &'static [&'static str] =
        &["spare bool", "spare map[string][]int", "spare func(int) (int, error)", "spare <-chan struct{}"];
    const IMPORT: &'static str = "\"math/bits\"";
    const STATEMENTS: &'static [&'static str] = &[
        "_ = append([]int{1, 2: 3}, 4)[1:]",
        "_ = `a \"quoted\" { text`",
        "_, _ = fmt.Sprint('{'), struct{ a int }{a: 1}",
        "_ = func(a, b int) int { return a &^ b }(1, 2)",
        "var _ error = (*os.PathError)(nil)",
        "defer func() { _ = recover() }()",
    ];
    const FUNCTIONS: &'static [&'static str] = &[
        "func spare[T any](value ...T) (out []T, err error) {\n\treturn value, nil\n}",
        "func spareNothing() {}",
        "func (spareKind) String() string { return \"spare\" }",
        "func Spare(value any) (string, bool) {\n\tout, ok := value.(string)\n\treturn out, ok\n}",
    ];
    const MARK: &'static str = "//go:noinline";
    const CASE: (&'static str, &'static str) = ("default:", "case spareCase:");
    const DOC: Option<&'static str> = Some("// ");

    const BROKEN: &'static [(&'static str, usize)] = &[
        ("spare := ", 1),
        ("spare := call(1, 2", 1),
        ("if spare == {\n\tcall()\n}", 1),
        ("spare := \"not ended", 1),
        ("for spare := range {\n}", 1),
        ("var = 1", 1),
        ("spare.", 1),
        ("spare := 1 2", 1),
    ];
    const UNWRITTEN: &'static [&'static str] = &[
        "panic(\"not implemented\")",
        "panic(\"TODO\")",
        "panic(fmt.Sprintf(\"unimplemented: %v\", target))",
        "panic(\"implement me\")",
        "panic(errors.New(\"not implemented yet\"))",
    ];
    const AROUND: (&'static str, &'static str) = ("func ExportSpare(target any) {", "}");
    const HANDLERS: &'static [(&'static str, usize)] = &[
        ("if err := os.Chdir(\"a\"); err != nil {\n}", 1),
        ("spareErr := os.Chdir(\"a\")\nif spareErr != nil {\n}", 2),
        ("if _, err := os.Stat(\"a\"); err != nil {}", 1),
    ];
    const SECRETS: &'static [&'static str] = &[
        "spare := \"{value}\"",
        "sparePassword := \"{plain}\"",
        "spareURL := \"postgres://app:{plain}@db.internal/app\"",
        "spare := login{APIKey: \"{plain}\"}",
        "headers := map[string]string{\"Authorization\": \"Bearer {value}\"}",
        "const clientSecret = `{plain}`",
    ];
    const NESTING: &'static str = "for spare := 0; spare < 3; spare++ {\n\tif spare > 0 {\n\t\tfor range []int{1} {\n\t\t\tswitch \
                                   {\n\t\t\tcase spare > 1:\n\t\t\t\tselect {\n\t\t\t\tdefault:\n\t\t\t\t\tif spare > 2 {\n\t\t\t\t\t\tcontinue\n\t\t\t\t\t}\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t}\n}";
    const CHOICE: (&'static str, &'static str) = (
        "spare := len(os.Args)\nif spare == 90 {\n\tspare = 0\n}",
        " else if spare == {n} {\n\tspare = {n}0\n}",
    );
    const METHOD: &'static str = "\nfunc (spare {type}) Spare{n}() int {\n\treturn {n}\n}";
    const FILLER: &'static str = "const spare{n} = {n}";
    const PRINTS: &'static [&'static str] =
        &["fmt.Println(\"here\")", "fmt.Printf(\"%v\\n\", 1)", "println(1)", "fmt.Print(\"here\")"];
    const NAMES: &'static [&'static str] = &[
        "func export_spare() int {\n\treturn 1\n}",
        "type spare_part struct{}",
        "func Load_Spare(value int) int {\n\treturn value + 1\n}",
        "func (s spareKind) is_spare() bool { return true }",
    ];

    fn class(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
        let open = sample.facts.classes.iter().filter(|it| {
            let more = 16_usize.saturating_sub(it.public_method_names) * 4;
            let fits = if it.lines <= 300 { it.lines + more <= 300 } else { more <= it.lines / 10 };
            let is_type = sample.line(it.line).trim_end() == format!("type {} struct {{", it.name);
            it.public_method_names <= 15 && fits && sample.has_room(sample.count(), more) && is_type
        });
        let open: Vec<(usize, &str, usize)> =
            open.map(|it| (it.line, it.name.as_str(), it.public_method_names)).collect();
        let end = sample.count() + 1;
        if let Some((line, name, public)) = random.pick(&open).copied() {
            let block = methods::<Self>(16 - public).replace("{type}", &format!("*{name}"));
            let mut change = sample.insert(end, &block, 1);
            change.line = line;
            return Some(change);
        }
        let block =
            format!("\ntype spareParts struct{{}}\n{}", methods::<Self>(16).replace("{type}", "spareParts"));
        sample.has_room(end, block.lines().count()).then(|| sample.insert(end, &block, 2))
    }
}
