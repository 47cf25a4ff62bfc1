//! Walks the syntax tree as bash would, without running anything.
//!
//! One pass, bounded by nodes and depth, never by time: loops run over their known values, both arms of
//! a branch run, and a variable that differs between arms keeps both values as alternatives.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use brush_parser::ast;
use hostler_model::{Effect, EffectKind, Place, Reach};

use super::target::Site;
use super::word::{Field, Value};
use super::{Flow, Scripts, parse, wildcard};

/// Simple commands that one analysis evaluates, alternatives included.
const COMMANDS_MAX: usize = 4_000;
/// Nested programs (`bash -c`, `$(…)`, functions) and compound levels.
const DEPTH_MAX: usize = 120;
/// Known values that a `for` loop is unrolled over.
const LOOP_VALUES_MAX: usize = 32;
/// Alternatives that one variable keeps.
const ALTERNATIVES_MAX: usize = 6;
/// Combinations of alternatives that one simple command is evaluated with.
const COMBINATIONS_MAX: usize = 24;

/// What flows through a pipe, as far as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Data {
    /// Nothing, or the terminal.
    Nothing,
    /// This text; unknown parts as written.
    Text(String),
    /// The content of a local file.
    File(Option<PathBuf>),
    /// One known-to-be-harmless word: a number, a date, a hash.
    Name,
    /// Something that only the run can tell; `remote` when it comes from the network or a decoder.
    Opaque { why: String, remote: bool },
}

/// A stream: its data, and the secret material in it, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stream {
    pub(super) data: Data,
    pub(super) secret: Option<String>,
}

impl Stream {
    pub(super) const NOTHING: Self = Self { data: Data::Nothing, secret: None };

    pub(super) fn new(data: Data) -> Self {
        Self { data, secret: None }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(Data::Text(text.into()))
    }

    pub(super) fn opaque(why: impl Into<String>, remote: bool) -> Self {
        Self::new(Data::Opaque { why: why.into(), remote })
    }

    fn then(self, next: Self) -> Self {
        let secret = self.secret.or(next.secret);
        let data = match (self.data, next.data) {
            (Data::Nothing, data) | (data, Data::Nothing) => data,
            (Data::Text(a), Data::Text(b)) => Data::Text(a + &b),
            (Data::Opaque { why, remote: true }, _) | (_, Data::Opaque { why, remote: true }) => {
                Data::Opaque { why, remote: true }
            }
            _ => Data::Opaque { why: "several outputs joined".to_owned(), remote: false },
        };
        Self { data, secret }
    }
}

/// The shell's state at one point.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) vars: BTreeMap<String, Vec<Value>>,
    pub(super) functions: BTreeMap<String, Rc<ast::FunctionBody>>,
    pub(super) aliases: BTreeMap<String, String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) old_cwd: Option<PathBuf>,
    pub(super) folders: Vec<Option<PathBuf>>,
    pub(super) args: Vec<Field>,
    /// Functions being called, innermost last.
    pub(super) calls: Vec<String>,
    /// Files written with known text earlier in this command line, so that running them is no riddle.
    pub(super) files: BTreeMap<PathBuf, String>,
    pub(super) site: Site,
}

impl State {
    pub(super) fn new(cwd: Option<PathBuf>) -> Self {
        Self {
            vars: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            cwd,
            old_cwd: None,
            folders: Vec::new(),
            args: Vec::new(),
            calls: Vec::new(),
            files: BTreeMap::new(),
            site: Site::Local,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.vars.insert(name.to_owned(), vec![value]);
    }

    /// After a branch that may or may not have run: both values of every variable that differs.
    fn merge(&mut self, other: Self) {
        for (name, theirs) in &other.vars {
            match self.vars.get_mut(name) {
                Some(ours) if ours == theirs => {}
                Some(ours) => {
                    for value in theirs {
                        if !ours.contains(value) {
                            ours.push(value.clone());
                        }
                    }
                }
                None => {
                    let mut both = theirs.clone();
                    both.push(unset(name));
                    self.vars.insert(name.clone(), both);
                }
            }
        }
        for (name, ours) in &mut self.vars {
            if !other.vars.contains_key(name) && !ours.contains(&unset(name)) {
                ours.push(unset(name));
            }
            if ALTERNATIVES_MAX < ours.len() {
                *ours = vec![unset(name)];
            }
        }
        self.functions.extend(other.functions);
        self.aliases.extend(other.aliases);
        self.files.extend(other.files);
        self.cwd = other.cwd;
        self.old_cwd = other.old_cwd;
    }
}

fn unset(name: &str) -> Value {
    Value::Scalar(Field::unknown(format!("${name}")))
}

/// Which alternative of each variable the current evaluation takes.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    picks: BTreeMap<String, (usize, usize)>,
}

impl Chooser {
    pub(super) fn pick(&mut self, name: &str, count: usize) -> usize {
        self.picks.entry(name.to_owned()).or_insert((0, count)).0.min(count.saturating_sub(1))
    }

    /// Moves to the next combination; `false` after the last.
    fn advance(&mut self) -> bool {
        for (index, count) in self.picks.values_mut() {
            if *index + 1 < *count {
                *index += 1;
                return true;
            }
            *index = 0;
        }
        false
    }
}

/// The analysis in progress.
pub(super) struct Machine<'a> {
    pub(super) place: &'a Place,
    pub(super) effects: Vec<Effect>,
    pub(super) flows: Vec<Flow>,
    pub(super) commands: Vec<super::Command>,
    /// Where the evaluation stands in the line.
    pub(super) flow: Flow,
    pipelines: u32,
    chains: u32,
    /// `set -e`: every command's failure ends the line.
    exits_on_error: bool,
    /// `set -o pipefail`.
    fails_with_pipe: bool,
    pub(super) gaps: Vec<String>,
    pub(super) chooser: Chooser,
    pub(super) deep: bool,
    /// What substitutions printed, by their source text: `$(…)`, `<(…)`.
    pub(super) sources: BTreeMap<String, Stream>,
    /// Files that this command line downloads.
    pub(super) downloads: Vec<PathBuf>,
    /// Texts of scripts that the caller has read.
    pub(super) library: &'a Scripts,
    /// Scripts of the project whose text would tell more.
    pub(super) scripts: Vec<PathBuf>,
    /// The scripts being read, innermost last.
    inside: Vec<PathBuf>,
    budget: usize,
    depth: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(place: &'a Place, library: &'a Scripts, deep: bool) -> Self {
        Self {
            place,
            effects: Vec::new(),
            flows: Vec::new(),
            commands: Vec::new(),
            flow: Flow::default(),
            pipelines: 0,
            chains: 0,
            exits_on_error: false,
            fails_with_pipe: false,
            gaps: Vec::new(),
            chooser: Chooser::default(),
            deep,
            sources: BTreeMap::new(),
            downloads: Vec::new(),
            library,
            scripts: Vec::new(),
            inside: Vec::new(),
            budget: COMMANDS_MAX,
            depth: 0,
        }
    }

    /// Records that part of the command line was not understood, and that the user should decide.
    pub(super) fn unresolved(&mut self, command: impl Into<String>, why: impl Into<String>) {
        let why = why.into();
        self.gaps.push(why.clone());
        self.push(Effect {
            kind: EffectKind::ExecUnresolved,
            targets: Vec::new(),
            command: command.into(),
            why,
            reach: Reach::Local,
            recursive: false,
            script: None,
        });
    }

    /// Records an effect. In a script of the project only what is certain counts: scripts take their paths from
    /// arguments and settings all day, and asking about each would teach people to stop reading.
    pub(super) fn push(&mut self, mut effect: Effect) {
        if let Some(script) = self.inside.last() {
            let had = !effect.targets.is_empty();
            effect.targets.retain(|target| target.path.is_some());
            if effect.kind == EffectKind::ExecUnresolved || (had && effect.targets.is_empty()) {
                return;
            }
            effect.why = format!("{}, in `{}`", effect.why, script.display());
            effect.script = Some(script.clone());
        }
        self.effects.push(effect);
        self.flows.push(self.flow);
    }

    /// `set -e`, `set -o pipefail`.
    pub(super) fn note_options(&mut self, word: &str, args: &[Field]) {
        if word != "set" {
            return;
        }
        let flag = |c: char| {
            args.iter().any(|it| {
                it.head().strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(c))
            })
        };
        let named = |name: &str| args.iter().any(|it| it.head() == name);
        self.exits_on_error |= flag('e') || named("errexit");
        self.fails_with_pipe |= named("pipefail");
    }

    /// Evaluates with another [`Flow`], and goes back to the present one.
    pub(super) fn within<T>(&mut self, flow: Flow, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.flow, flow);
        let out = evaluate(self);
        self.flow = outer;
        out
    }

    /// Reads the script at `path` with `read`, when its text is known; else notes what was not read.
    pub(super) fn enter(&mut self, path: Option<&PathBuf>, read: impl FnOnce(&mut Self, &'a str)) {
        let Some(path) = path else {
            self.gaps.push("runs a file that is known only then".to_owned());
            return;
        };
        if self.inside.contains(path) {
            return;
        }
        let Some(text) = self.library.get(path) else {
            let ours = path.starts_with(&self.place.root)
                || self.place.temp.iter().any(|temp| path.starts_with(temp));
            if ours && !self.scripts.contains(path) {
                self.scripts.push(path.clone());
            }
            self.gaps.push(format!("runs `{}`, whose content was not read", path.display()));
            return;
        };
        self.inside.push(path.clone());
        read(self, text);
        self.inside.pop();
    }

    /// Evaluates nested program text.
    pub(super) fn run_text(&mut self, text: &str, state: &mut State, stdin: &Stream) -> Stream {
        if text.trim().is_empty() {
            return Stream::NOTHING;
        }
        if !parse::fits(text, self.deep) || DEPTH_MAX <= self.depth {
            self.unresolved(super::shorten(text), "it is nested too deeply to analyse");
            return Stream::opaque("not analysed", false);
        }
        let Some(program) = parse::program(text) else {
            self.unresolved(super::shorten(text), "it could not be parsed as shell");
            return Stream::opaque("not analysed", false);
        };
        self.depth += 1;
        let mut out = Stream::NOTHING;
        let last = program.complete_commands.len().saturating_sub(1);
        for (index, list) in program.complete_commands.iter().enumerate() {
            let hidden = self.flow.hidden || (index < last && !self.exits_on_error);
            let flow = Flow { hidden, ..self.flow };
            out = out.then(self.within(flow, |machine| machine.list(list, state, stdin)));
        }
        self.depth -= 1;
        out
    }

    pub(super) fn list(&mut self, list: &ast::CompoundList, state: &mut State, stdin: &Stream) -> Stream {
        let mut out = Stream::NOTHING;
        let last = list.0.len().saturating_sub(1);
        for (index, ast::CompoundListItem(and_or, separator)) in list.0.iter().enumerate() {
            let background = matches!(separator, ast::SeparatorOperator::Async);
            let hidden = self.flow.hidden || background || (index < last && !self.exits_on_error);
            let next = self.within(Flow { hidden, ..self.flow }, |machine| {
                if background {
                    machine.note_fork(and_or, state);
                    machine.and_or(and_or, &mut state.clone(), stdin)
                } else {
                    machine.and_or(and_or, state, stdin)
                }
            });
            out = out.then(next);
        }
        out
    }

    fn and_or(&mut self, and_or: &ast::AndOrList, state: &mut State, stdin: &Stream) -> Stream {
        self.chains = self.chains.saturating_add(1);
        let outer = Flow { chain: self.chains, ..self.flow };
        // A failure is caught by the first `||` after it, unless that only ends the line.
        let catches = |next: &ast::AndOr| matches!(next, ast::AndOr::Or(pipeline) if !always_fails(pipeline));
        let last_catch = and_or.additional.iter().rposition(catches);
        self.flow = Flow { hidden: outer.hidden || last_catch.is_some(), ..outer };
        let mut out = self.pipeline(&and_or.first, state, stdin);
        let mut left = &and_or.first;
        for (index, next) in and_or.additional.iter().enumerate() {
            let or = matches!(next, ast::AndOr::Or(_));
            self.flow = Flow {
                hidden: outer.hidden || last_catch.is_some_and(|last| index < last),
                optional: outer.optional || or,
                after_success: outer.after_success || !or,
                ..outer
            };
            let (pipeline, may_skip) = match next {
                ast::AndOr::And(pipeline) => (pipeline, !always_succeeds(left)),
                ast::AndOr::Or(pipeline) => (pipeline, true),
            };
            if may_skip {
                let before = state.clone();
                let stream = self.pipeline(pipeline, state, stdin);
                let after = std::mem::replace(state, before);
                state.merge(after);
                out = out.then(stream);
            } else {
                let stream = self.pipeline(pipeline, state, stdin);
                out = out.then(stream);
            }
            left = pipeline;
        }
        out
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, state: &mut State, stdin: &Stream) -> Stream {
        self.pipelines = self.pipelines.saturating_add(1);
        self.flow.pipeline = self.pipelines;
        self.flow.negated ^= pipeline.bang;
        if let [command] = pipeline.seq.as_slice() {
            return self.command(command, state, stdin);
        }
        if let Some(name) = state.calls.last().cloned() {
            let again = pipeline.seq.iter().filter(|command| calls(command, &name)).count();
            if 1 < again {
                self.fork_bomb(&name);
                return Stream::NOTHING;
            }
        }
        let mut stream = stdin.clone();
        let last = pipeline.seq.len().saturating_sub(1);
        for (index, command) in pipeline.seq.iter().enumerate() {
            let flow = Flow {
                hidden: self.flow.hidden || (index < last && !self.fails_with_pipe),
                piped: self.flow.piped || index < last,
                fed: self.flow.fed || 0 < index,
                ..self.flow
            };
            stream = self.within(flow, |machine| machine.command(command, &mut state.clone(), &stream));
        }
        stream
    }

    /// A function that starts itself in the background never ends.
    fn note_fork(&mut self, and_or: &ast::AndOrList, state: &State) {
        let Some(name) = state.calls.last().cloned() else { return };
        if and_or.first.seq.iter().any(|command| calls(command, &name)) {
            self.fork_bomb(&name);
        }
    }

    pub(super) fn fork_bomb(&mut self, name: &str) {
        self.push(Effect {
            kind: EffectKind::ForkBomb,
            targets: Vec::new(),
            command: name.to_owned(),
            why: format!("`{name}` starts itself again without end"),
            reach: Reach::Local,
            recursive: true,
            script: None,
        });
    }

    fn command(&mut self, command: &ast::Command, state: &mut State, stdin: &Stream) -> Stream {
        if DEPTH_MAX <= self.depth {
            self.unresolved("", "it is nested too deeply to analyse");
            return Stream::NOTHING;
        }
        self.depth += 1;
        let out = match command {
            ast::Command::Simple(simple) => self.alternatives(simple, state, stdin),
            ast::Command::Compound(compound, redirects) => {
                let io = self.redirect_list(redirects.as_ref(), state, stdin);
                let out = self.compound(compound, state, &io.stdin);
                self.finish_redirects(&io, out, state, "{ … }")
            }
            ast::Command::Function(function) => {
                state.functions.insert(function.fname.value.clone(), Rc::new(function.body.clone()));
                Stream::NOTHING
            }
            ast::Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr, state);
                let io = self.redirect_list(redirects.as_ref(), state, stdin);
                self.finish_redirects(&io, Stream::NOTHING, state, "[[ … ]]")
            }
        };
        self.depth -= 1;
        out
    }

    fn test(&mut self, expr: &ast::ExtendedTestExpr, state: &mut State) {
        match expr {
            ast::ExtendedTestExpr::And(a, b) | ast::ExtendedTestExpr::Or(a, b) => {
                self.test(a, state);
                self.test(b, state);
            }
            ast::ExtendedTestExpr::Not(a) | ast::ExtendedTestExpr::Parenthesized(a) => self.test(a, state),
            ast::ExtendedTestExpr::UnaryTest(_, word) => {
                self.joined(&word.value, state);
            }
            ast::ExtendedTestExpr::BinaryTest(_, a, b) => {
                self.joined(&a.value, state);
                self.joined(&b.value, state);
            }
        }
    }

    /// Evaluates a simple command once per combination of its variables' alternatives.
    fn alternatives(&mut self, simple: &ast::SimpleCommand, state: &mut State, stdin: &Stream) -> Stream {
        let outer = std::mem::take(&mut self.chooser);
        let start = state.clone();
        let mut out = self.simple(simple, state, stdin);
        let mut rounds = 1;
        while self.chooser.advance() {
            rounds += 1;
            if COMBINATIONS_MAX < rounds {
                self.gaps.push("too many combinations of values".to_owned());
                break;
            }
            let mut other = start.clone();
            let stream = self.simple(simple, &mut other, stdin);
            state.merge(other);
            if stream != out {
                let secret = out.secret.or(stream.secret);
                out = Stream {
                    data: Data::Opaque { why: "it depends on a branch".to_owned(), remote: false },
                    secret,
                };
            }
        }
        self.chooser = outer;
        out
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, state: &mut State, stdin: &Stream) -> Stream {
        match compound {
            ast::CompoundCommand::BraceGroup(group) => self.list(&group.list, state, stdin),
            ast::CompoundCommand::Subshell(shell) => self.list(&shell.list, &mut state.clone(), stdin),
            ast::CompoundCommand::ForClause(clause) => self.for_loop(clause, state, stdin),
            ast::CompoundCommand::ArithmeticForClause(clause) => {
                for expr in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&expr.value, state);
                }
                let times = clause.condition.as_ref().and_then(|it| last_number(&it.value));
                let flow = Flow { times: times.unwrap_or_default(), ..self.flow };
                self.within(flow, |machine| machine.repeat(&clause.body.list, state, stdin))
            }
            ast::CompoundCommand::WhileClause(clause) | ast::CompoundCommand::UntilClause(clause) => {
                let ast::WhileOrUntilClauseCommand(condition, body, _) = clause;
                let flow = Flow { hidden: true, ..self.flow };
                self.within(flow, |machine| machine.list(condition, state, stdin));
                let mut out = self.repeat(&body.list, state, stdin);
                out.data = match out.data {
                    Data::Nothing => Data::Nothing,
                    _ => Data::Opaque { why: "output of a loop".to_owned(), remote: false },
                };
                out
            }
            ast::CompoundCommand::CaseClause(case) => self.case(case, state, stdin),
            ast::CompoundCommand::IfClause(clause) => {
                let flow = Flow { hidden: true, ..self.flow };
                self.within(flow, |machine| machine.list(&clause.condition, state, stdin));
                let mut arms = vec![&clause.then];
                let mut may_skip = true;
                for other in clause.elses.iter().flatten() {
                    match &other.condition {
                        Some(condition) => {
                            self.within(flow, |machine| machine.list(condition, state, stdin));
                        }
                        None => may_skip = false,
                    }
                    arms.push(&other.body);
                }
                self.arms(&arms, may_skip, state, stdin)
            }
            ast::CompoundCommand::Coprocess(coprocess) => {
                self.command(&coprocess.body, &mut state.clone(), stdin);
                Stream::NOTHING
            }
            ast::CompoundCommand::Arithmetic(arithmetic) => {
                self.arithmetic(&arithmetic.expr.value, state);
                Stream::NOTHING
            }
        }
    }

    /// The arm that a known value takes, or every arm.
    fn case(&mut self, case: &ast::CaseClauseCommand, state: &mut State, stdin: &Stream) -> Stream {
        let value = self.joined(&case.value.value, state).known();
        let mut arms = Vec::new();
        for arm in &case.cases {
            let patterns: Vec<Option<String>> =
                arm.patterns.iter().map(|word| self.joined(&word.value, state).known()).collect();
            let known = value.as_ref().filter(|_| patterns.iter().all(Option::is_some));
            let taken = known.map(|value| patterns.iter().flatten().any(|it| wildcard::matches(it, value)));
            if taken != Some(false) {
                arms.extend(arm.cmd.as_ref());
            }
            if taken == Some(true) && matches!(arm.post_action, ast::CaseItemPostAction::ExitCase) {
                break;
            }
        }
        self.arms(&arms, true, state, stdin)
    }

    fn arms(
        &mut self,
        arms: &[&ast::CompoundList],
        may_skip: bool,
        state: &mut State,
        stdin: &Stream,
    ) -> Stream {
        let start = state.clone();
        let mut merged: Option<State> = may_skip.then(|| start.clone());
        let mut out: Option<Stream> = None;
        for arm in arms {
            let mut branch = start.clone();
            let flow = Flow { optional: true, ..self.flow };
            let stream = self.within(flow, |machine| machine.list(arm, &mut branch, stdin));
            match &mut merged {
                Some(merged) => merged.merge(branch),
                None => merged = Some(branch),
            }
            out = Some(match out {
                None => stream,
                Some(out) if out == stream => out,
                Some(out) => Stream {
                    secret: out.secret.or(stream.secret),
                    ..Stream::opaque("it depends on a branch", false)
                },
            });
        }
        if let Some(merged) = merged {
            *state = merged;
        }
        out.unwrap_or(Stream::NOTHING)
    }

    /// A loop body, twice when the first pass changed a variable: the second sees what the first left.
    fn repeat(&mut self, body: &ast::CompoundList, state: &mut State, stdin: &Stream) -> Stream {
        let before = state.clone();
        let flow = Flow { hidden: true, ..self.flow };
        let (pipelines, chains) = (self.pipelines, self.chains);
        let out = self.within(flow, |machine| machine.list(body, state, stdin));
        if before.vars != state.vars {
            // The same commands once more: they keep their numbers.
            let after = (self.pipelines, self.chains);
            (self.pipelines, self.chains) = (pipelines, chains);
            self.within(flow, |machine| machine.list(body, state, stdin));
            (self.pipelines, self.chains) = after;
        }
        let after = std::mem::replace(state, before);
        state.merge(after);
        out
    }

    fn for_loop(&mut self, clause: &ast::ForClauseCommand, state: &mut State, stdin: &Stream) -> Stream {
        let values = match &clause.values {
            Some(words) => words.iter().flat_map(|word| self.split(&word.value, state)).collect(),
            None => state.args.clone(),
        };
        if LOOP_VALUES_MAX < values.len() {
            self.gaps.push("a loop over too many values".to_owned());
            state.set(&clause.variable_name, unset(&clause.variable_name));
            return self.repeat(&clause.body.list, state, stdin);
        }
        let mut out = Stream::NOTHING;
        let times = match values.as_slice() {
            [only] => sequence_length(&only.render()).unwrap_or_default(),
            _ => 0,
        };
        let last = values.len().saturating_sub(1);
        for (index, value) in values.into_iter().enumerate() {
            state.set(&clause.variable_name, Value::Scalar(value));
            let hidden = self.flow.hidden || index < last || 1 < times;
            let flow = Flow { hidden, times, ..self.flow };
            let stream = self.within(flow, |machine| machine.list(&clause.body.list, state, stdin));
            out = out.then(stream);
        }
        out
    }

    fn arithmetic(&mut self, text: &str, state: &mut State) {
        // Assigned names become numbers; command substitutions inside run.
        self.joined(&format!("$(({text}))"), state);
        let mut rest = text;
        while let Some(at) = rest.find(['=', '+', '-']) {
            let name: String = rest[..at]
                .trim_end()
                .chars()
                .rev()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let number = Field(vec![super::word::Piece::Name(format!("${name}"))]);
                state.set(&name, Value::Scalar(number));
            }
            rest = &rest[at + 1..];
        }
    }

    /// Calls a function that the command line defined.
    pub(super) fn call(&mut self, name: &str, args: Vec<Field>, state: &mut State, stdin: &Stream) -> Stream {
        if state.calls.iter().any(|it| it == name) || DEPTH_MAX <= self.depth {
            return Stream::NOTHING;
        }
        let Some(body) = state.functions.get(name).cloned() else { return Stream::NOTHING };
        let outer = std::mem::replace(&mut state.args, args);
        state.calls.push(name.to_owned());
        let ast::FunctionBody(compound, redirects) = body.as_ref();
        let io = self.redirect_list(redirects.as_ref(), state, stdin);
        self.depth += 1;
        let out = self.compound(compound, state, &io.stdin);
        self.depth -= 1;
        state.calls.pop();
        state.args = outer;
        self.finish_redirects(&io, out, state, name)
    }

    /// Counts one simple command; `false` when the analysis has done enough.
    pub(super) fn spend(&mut self) -> bool {
        if self.budget == 0 {
            if self.gaps.last().is_none_or(|gap| gap != "it has too many commands to analyse") {
                self.unresolved("", "it has too many commands to analyse");
            }
            return false;
        }
        self.budget -= 1;
        true
    }
}

fn calls(command: &ast::Command, name: &str) -> bool {
    matches!(command, ast::Command::Simple(simple) if simple.word_or_name.as_ref().is_some_and(|word| word.value == name))
}

/// How many words `$(seq …)` makes.
fn sequence_length(text: &str) -> Option<u32> {
    let inner = text.trim_matches(['$', '(', ')', '`', '"', ' ']);
    let numbers: Vec<u32> =
        inner.strip_prefix("seq ")?.split_whitespace().map(|it| it.parse().ok()).collect::<Option<_>>()?;
    match numbers.as_slice() {
        [last] => Some(*last),
        [first, last] => last.checked_sub(*first)?.checked_add(1),
        [first, step, last] => last.checked_sub(*first)?.checked_div(*step)?.checked_add(1),
        _ => None,
    }
}

/// The number at the end of a loop's condition: `i < 20`.
fn last_number(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let start = text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    // `rfind` gives the start of a character that may be longer than a byte.
    text.get(start..)?.parse().ok()
}

/// A pipeline that only ends the line with a failure: `|| exit 1`, `|| false`.
fn always_fails(pipeline: &ast::Pipeline) -> bool {
    let [ast::Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
    let zero = simple
        .suffix
        .iter()
        .flat_map(|suffix| &suffix.0)
        .any(|item| matches!(item, ast::CommandPrefixOrSuffixItem::Word(word) if word.value == "0"));
    !zero
        && simple
            .word_or_name
            .as_ref()
            .is_some_and(|word| matches!(word.value.as_str(), "exit" | "return" | "false"))
}

/// A pipeline after which `&&` goes on for certain, for all that matters here.
fn always_succeeds(pipeline: &ast::Pipeline) -> bool {
    let [ast::Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
    match &simple.word_or_name {
        None => true,
        Some(word) => matches!(
            word.value.as_str(),
            "echo"
                | "printf"
                | ":"
                | "true"
                | "export"
                | "local"
                | "declare"
                | "readonly"
                | "set"
                | "cd"
                | "mkdir"
        ),
    }
}
