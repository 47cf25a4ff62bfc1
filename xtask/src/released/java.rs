//! Java.

use super::braces::{Braces, defects, fill, harmless, open_classes, own_class};
use super::ground::{Change, Defect, Ground, Harmless, Sample};
use super::judge;
use super::random::Random;

pub(super) const GROUND: Ground = Ground {
    name: "java",
    extensions: &["java"],
    config: "",
    tool: None,
    batch_max: 30,
    prepare: |_| Ok(()),
    judge: judge::java,
    harmless: HARMLESS,
    defects: DEFECTS,
};

const HARMLESS: &[Harmless] = &harmless::<Java>();
const DEFECTS: &[Defect] = &defects::<Java>();

struct Java;

impl Braces for Java {
    const BEGIN: &'static [&'static str] =
        &["return", "throw", "if", "for", "final", "int", "String", "boolean", "try", "switch"];
    const LEVEL: &'static str = "    ";
    const IN_CLASSES: bool = true;

    const LOG: &'static str = "java.util.logging.Logger.getLogger(\"spare\").fine(\"here with \" + 1);";
    const CONSTANTS: &'static [&'static str] = &[
        "static final int SPARE_ROUNDS = 3;",
        "private static final String[] SPARE_NAMES = {\"first\", \"second\"};",
        "private static final String PASSWORD_FIELD = \"password\";",
        "static final String SPARE_URL = \"https://docs.example.com/tokens\";",
        "record Spare<T extends Comparable<? super T>>(T name, int... counts) {}",
        "enum SpareKind {\n\tFIRST,\n\tSECOND;\n}",
        "@Deprecated(since = \"3\") private transient volatile int spareCount = 0x1F;",
    ];
    /// The only one that callers need not know of.
    const PARAMETERS: &'static [&'static str] = &["String... spare", "final Object... spare"];
    const IMPORT: &'static str = "import java.util.BitSet;";
    const STATEMENTS: &'static [&'static str] = &[
        "int spare = java.util.stream.IntStream.of(1, 2).map(it -> it + 1).max().orElse(0);",
        "String spareText = \"\"\"\n\ta \"quoted\" { text\n\t\"\"\";",
        "Object spareObject = new int[][] {{1}, {2}};",
        "final String spareToken = null;",
        "Runnable spareRun = () -> { };",
        "assert true : \"every one has one\";",
    ];
    const FUNCTIONS: &'static [&'static str] = &[
        "private <T extends Comparable<T>> T spare(T value) {\n\treturn value;\n}",
        "protected void spareNothing() {}",
        "static class Spare {\n\tint count;\n}",
        "@SuppressWarnings({\"unused\", \"rawtypes\"})\nprivate static int spare(int first, int... rest) throws IllegalStateException \
         {\n\treturn first + rest.length;\n}",
    ];
    const MARK: &'static str = "@SuppressWarnings(\"unused\")";
    const CASE: (&'static str, &'static str) = ("default:", "case 90:\n\tbreak;");
    const DOC: Option<&'static str> = None;

    const BROKEN: &'static [(&'static str, usize)] = &[
        ("int spare = ;", 1),
        ("int spare = call(1, 2;", 1),
        ("if (spare {\n\tcall();\n}", 1),
        ("String spare = \"not ended;", 1),
        ("for (int spare : ) {\n}", 1),
        ("int = 1;", 1),
        ("spare.;", 1),
        ("int spare = 1 2;", 1),
    ];
    const UNWRITTEN: &'static [&'static str] = &[
        "throw new UnsupportedOperationException(\"not implemented\");",
        "throw new UnsupportedOperationException(\"Not implemented yet\");",
        "throw new RuntimeException(\"TODO\");",
        "throw new IllegalStateException(\"unimplemented: exportSpare\");",
    ];
    const AROUND: (&'static str, &'static str) = ("int exportSpare(Object target) {", "}");
    const HANDLERS: &'static [(&'static str, usize)] = &[
        ("try {\n\tThread.sleep(1);\n} catch (InterruptedException e) {}", 3),
        ("try {\n\tThread.sleep(1);\n} catch (Exception ex) {\n}", 3),
        ("try {\n\tThread.sleep(1);\n} catch (final IllegalStateException | InterruptedException e) { }", 3),
    ];
    const SECRETS: &'static [&'static str] = &[
        "String spare = \"{value}\";",
        "String sparePassword = \"{plain}\";",
        "String spareUrl = \"jdbc:postgresql://app:{plain}@db.internal/app\";",
        "final String apiKey = \"{plain}\";",
        "headers.put(\"Authorization\", \"Bearer {value}\");",
        "final String clientSecret = \"{plain}\";",
    ];
    const NESTING: &'static str = "for (int spare = 0; spare < 3; spare++) {\n\tif (spare > 0) {\n\t\twhile (spare > 1) {\n\t\t\ttry \
                                   {\n\t\t\t\tsynchronized (this) {\n\t\t\t\t\tif (spare > 2) {\n\t\t\t\t\t\tbreak;\n\t\t\t\t\t}\n\t\t\t\t}\n\t\t\t} \
                                   finally {\n\t\t\t\tspare++;\n\t\t\t}\n\t\t}\n\t}\n}";
    const CHOICE: (&'static str, &'static str) = (
        "int spare = Thread.activeCount();\nif (spare == 90) {\n\tspare = 0;\n}",
        " else if (spare == {n}) {\n\tspare = {n}0;\n}",
    );
    const METHOD: &'static str = "\npublic int spare{n}() {\n\treturn {n};\n}";
    const FILLER: &'static str = "class Spare{n} {}";
    const PRINTS: &'static [&'static str] =
        &["System.out.println(\"here\");", "System.out.printf(\"%d%n\", 1);", "System.out.print(1);"];
    const NAMES: &'static [&'static str] = &[
        "int export_spare() {\n\treturn 1;\n}",
        "static class spare_part {}",
        "private static final int spareRounds = 3;",
        "void LoadSpare(int value) {\n\tthrow new IllegalArgumentException(\"no\" + value);\n}",
    ];

    fn class(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
        if let Some((line, last, public)) = random.pick(&open_classes::<Self>(sample)).copied() {
            return Some(fill::<Self>(sample, (line, last), public, Self::LEVEL));
        }
        own_class::<Self>(sample, random, ("static class SpareParts {", "}"), 1)
    }
}
