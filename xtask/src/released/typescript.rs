//! TypeScript.

use super::braces::{Braces, defects, fill, harmless, open_classes, own_class};
use super::ground::{Change, Defect, Ground, Harmless, Sample};
use super::judge;
use super::random::Random;

pub(super) const GROUND: Ground = Ground {
    name: "typescript",
    extensions: &["ts", "tsx", "mts"],
    config: "",
    tool: None,
    batch_max: 30,
    prepare: |_| Ok(()),
    judge: judge::typescript,
    harmless: HARMLESS,
    defects: DEFECTS,
};

const HARMLESS: &[Harmless] = &harmless::<TypeScript>();
const DEFECTS: &[Defect] = &defects::<TypeScript>();

struct TypeScript;

impl Braces for TypeScript {
    const BEGIN: &'static [&'static str] = &["return", "throw", "if", "for", "const", "let", "switch", "try"];
    const LEVEL: &'static str = "  ";

    const LOG: &'static str = "logger?.debug(`here with ${spareName}`, { at: Date.now() });";
    const CONSTANTS: &'static [&'static str] = &[
        "export const SPARE_ROUNDS = 3;",
        "const spareNames = [\"first\", \"second\"] as const;",
        "const passwordField = \"password\";",
        "export const SPARE_URL = \"https://docs.example.com/tokens\";",
        "export type Spare<T extends object = {}> = { readonly [K in keyof T]?: T[K] };",
        "export interface Spare {\n\tname: string;\n\tcount?(): number;\n}",
        "export enum SpareKind {\n\tFirst,\n\tSecond = \"second\",\n}",
    ];
    const PARAMETERS: &'static [&'static str] = &[
        "spare = 0",
        "spare?: string",
        "spare: readonly string[] = []",
        "{ spare = 1 }: { spare?: number } = {}",
    ];
    const IMPORT: &'static str = "import { type Spare, spare as spared } from \"./spare.js\";";
    const STATEMENTS: &'static [&'static str] = &[
        "const spare = [1, 2].map((it) => it + 1)?.[0] ?? 0;",
        "const spareText = `a ${[1].map((it) => `<${it}>`).join(\", \")} b`;",
        "const { a: spareA = 1, ...spareRest } = { a: 2, b: 3 } satisfies Record<string, number>;",
        "let spareToken: string | undefined = undefined;",
        "const spareMark = /[/\"'`{]+$/gu.test(\"x\") ? (\"y\" as const) : null;",
        "void (async () => { await Promise.resolve(); })();",
    ];
    const FUNCTIONS: &'static [&'static str] = &[
        "export function spare<T extends object>(value: T): T {\n\treturn value;\n}",
        "export const spare = async <T,>(value: T): Promise<[T, number]> => [value, 1];",
        "function* spare(first: number, ...rest: number[]) {\n\tyield* [first, ...rest];\n}",
        "export class Spare {\n\t#count = 0;\n\n\tget count() {\n\t\treturn this.#count;\n\t}\n}",
    ];
    const MARK: &'static str = "/** @internal */";
    const CASE: (&'static str, &'static str) = ("default:", "case 90: {\n\tbreak;\n}");
    const DOC: Option<&'static str> = None;

    const BROKEN: &'static [(&'static str, usize)] = &[
        ("const spare = ;", 1),
        ("const spare = call(1, 2;", 1),
        ("if (spare {\n\tcall();\n}", 1),
        ("const spare = \"not ended;", 1),
        ("for (const spare of ) {\n}", 1),
        ("const spare: = 1;", 1),
        ("spare.;", 1),
        ("let let spare = 1 2;", 1),
    ];
    const UNWRITTEN: &'static [&'static str] = &[
        "throw new Error(\"not implemented\");",
        "throw new Error(\"TODO\");",
        "throw new Error('Not implemented yet: exportSpare');",
        "return Promise.reject(new Error(\"Not implemented\"));",
    ];
    const AROUND: (&'static str, &'static str) = ("export function exportSpare(target: any): any {", "}");
    const HANDLERS: &'static [(&'static str, usize)] = &[
        ("try {\n\tJSON.parse(\"1\");\n} catch {}", 3),
        ("try {\n\tJSON.parse(\"1\");\n} catch (error) {\n}", 3),
        ("try {\n\tJSON.parse(\"1\");\n} catch (_error: unknown) { } // it is fine", 3),
    ];
    const SECRETS: &'static [&'static str] = &[
        "const spare = \"{value}\";",
        "const sparePassword = \"{plain}\";",
        "const spareUrl = `postgres://app:{plain}@db.internal/app`;",
        "const spare = { apiKey: \"{plain}\" };",
        "const headers = { Authorization: \"Bearer {value}\" };",
        "const client = connect({ host: \"db\", client_secret: '{plain}' });",
    ];
    const NESTING: &'static str = "for (const spare of [1, 2]) {\n\tif (spare) {\n\t\ttry {\n\t\t\twhile (spare > 1) {\n\t\t\t\t\
                                   switch (spare) {\n\t\t\t\t\tcase 1:\n\t\t\t\t\t\tif (spare > 2) {\n\t\t\t\t\t\t\tbreak;\n\t\t\t\t\t\t}\n\t\t\t\t}\n\t\t\t}\n\t\t} \
                                   finally {\n\t\t\tvoid 0;\n\t\t}\n\t}\n}";
    const CHOICE: (&'static str, &'static str) = (
        "const spare = Date.now();\nif (spare === 90) {\n\tvoid 0;\n}",
        " else if (spare === {n}) {\n\tvoid {n};\n}",
    );
    const METHOD: &'static str = "\nspare{n}() {\n\treturn {n};\n}";
    const FILLER: &'static str = "export const SPARE_{n} = {n};";
    const PRINTS: &'static [&'static str] =
        &["console.log(\"here\");", "debugger;", "console.debug(1, 2);", "console.table([1]);"];
    const NAMES: &'static [&'static str] = &[
        "export function export_spare(): number {\n\treturn 1;\n}",
        "export class spare_part {}",
        "export interface sparePart {\n\tname: string;\n}",
        "export const load_spare = (value: number) => value + 1;",
    ];

    fn class(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
        if let Some((line, last, public)) = random.pick(&open_classes::<Self>(sample)).copied() {
            return Some(fill::<Self>(sample, (line, last), public, Self::LEVEL));
        }
        own_class::<Self>(sample, random, ("export class SpareParts {", "}"), 1)
    }
}
