//! Words -> fields: quotes, escapes, tilde, parameters, substitutions, word splitting.

use brush_parser::word::{
    Parameter, ParameterExpr, ParameterTestType, ParameterTransformOp, SpecialParameter, SubstringMatchKind,
    TildeExpr, WordPiece, WordPieceWithSource,
};

use super::machine::{Data, Machine, State, Stream};
use super::parse;
use super::wildcard;
use super::word::{Field, Piece, Value, ansi_c};

/// Longest value that expansion builds, in bytes: repeated variables may not grow without end.
const VALUE_BYTES_MAX: usize = 64 * 1024;

struct Splitter {
    fields: Vec<Field>,
    current: Option<Field>,
    separators: Option<String>,
}

impl Splitter {
    fn current(&mut self) -> &mut Field {
        self.current.get_or_insert_with(Field::default)
    }

    fn end_word(&mut self) {
        if let Some(field) = self.current.take() {
            self.fields.push(field);
        }
    }

    /// Adds an expansion's result: split and open to patterns unless quoted.
    fn add(&mut self, value: &Field, quoted: bool) {
        let Some(separators) = self.separators.clone().filter(|_| !quoted) else {
            let current = self.current();
            for piece in &value.0 {
                match piece {
                    Piece::Glob(text) if quoted => current.push(Piece::Glob(text.clone())),
                    other => current.push(other.clone()),
                }
            }
            return;
        };
        for piece in &value.0 {
            match piece {
                Piece::Text(text) => {
                    let mut parts = text.split(|c| separators.contains(c)).peekable();
                    while let Some(part) = parts.next() {
                        if !part.is_empty() {
                            self.current().push_unquoted(part);
                        }
                        if parts.peek().is_some() {
                            self.end_word();
                        }
                    }
                }
                other => self.current().push(other.clone()),
            }
        }
    }
}

impl Machine<'_> {
    /// Expands one raw word to the fields that a command sees.
    pub(super) fn split(&mut self, raw: &str, state: &mut State) -> Vec<Field> {
        let Some(words) = parse::braces(raw) else {
            return vec![Field::unknown(raw)];
        };
        let separators = match state.vars.get("IFS").map(Vec::as_slice) {
            Some([Value::Scalar(ifs)]) => ifs.known().unwrap_or_else(|| " \t\n".to_owned()),
            _ => " \t\n".to_owned(),
        };
        let mut splitter = Splitter { fields: Vec::new(), current: None, separators: Some(separators) };
        for word in words {
            match parse::word(&word) {
                Some(pieces) => self.pieces(&pieces, false, &mut splitter, state),
                None => splitter.current().push(Piece::Unknown(word)),
            }
            splitter.end_word();
        }
        splitter.fields
    }

    /// Expands one raw word without splitting: assignments, redirections, here-strings.
    pub(super) fn joined(&mut self, raw: &str, state: &mut State) -> Field {
        match parse::word(raw) {
            Some(pieces) => self.join_pieces(&pieces, false, state),
            None => Field::unknown(raw),
        }
    }

    /// Expands the body of a here-document.
    pub(super) fn heredoc(&mut self, raw: &str, state: &mut State) -> Field {
        if !raw.contains(['$', '`', '\\']) {
            return Field::text(raw);
        }
        match parse::heredoc(raw) {
            Some(pieces) => self.join_pieces(&pieces, true, state),
            None => Field::unknown(raw),
        }
    }

    fn join_pieces(&mut self, pieces: &[WordPieceWithSource], quoted: bool, state: &mut State) -> Field {
        let mut splitter = Splitter { fields: Vec::new(), current: None, separators: None };
        self.pieces(pieces, quoted, &mut splitter, state);
        let mut out = Field::default();
        for field in splitter.fields.into_iter().chain(splitter.current) {
            for piece in field.0 {
                out.push(piece);
            }
        }
        out
    }

    fn pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        quoted: bool,
        out: &mut Splitter,
        state: &mut State,
    ) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) if quoted => out.current().push(Piece::Text(text.clone())),
                WordPiece::Text(text) => out.current().push_unquoted(text),
                WordPiece::SingleQuotedText(text) => out.current().push(Piece::Text(text.clone())),
                WordPiece::AnsiCQuotedText(text) => out.current().push(Piece::Text(ansi_c(text))),
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    out.current();
                    self.pieces(inner, true, out, state);
                }
                WordPiece::TildeExpansion(tilde) => {
                    let value = self.tilde(tilde, state);
                    out.current().push(value);
                }
                WordPiece::EscapeSequence(text) => {
                    let plain = text.strip_prefix('\\').unwrap_or(text);
                    if plain != "\n" {
                        out.current().push(Piece::Text(plain.to_owned()));
                    }
                }
                WordPiece::ParameterExpansion(expr) => self.parameter(expr, quoted, out, state),
                WordPiece::CommandSubstitution(text) => {
                    let value = self.substitution(text, state);
                    out.add(&value, quoted);
                }
                WordPiece::BackquotedCommandSubstitution(text) => {
                    let text = text.replace("\\`", "`").replace("\\\\", "\\").replace("\\$", "$");
                    let value = self.substitution(&text, state);
                    out.add(&value, quoted);
                }
                WordPiece::ArithmeticExpression(expr) => {
                    if expr.value.contains(['$', '`']) {
                        self.joined(&expr.value, state);
                    }
                    out.current().push(Piece::Name(format!("$(({}))", expr.value)));
                }
            }
        }
    }

    fn tilde(&self, tilde: &TildeExpr, state: &State) -> Piece {
        let path = match tilde {
            TildeExpr::Home => match state.vars.get("HOME").map(Vec::as_slice) {
                None => self.place.home.clone(),
                Some([Value::Scalar(home)]) => home.known().map(Into::into),
                Some(_) => None,
            },
            TildeExpr::UserHome(name) if name == "root" => Some("/root".into()),
            TildeExpr::UserHome(name) => Some(format!("/home/{name}").into()),
            TildeExpr::WorkingDir => state.cwd.clone(),
            TildeExpr::OldWorkingDir => state.old_cwd.clone(),
            _ => None,
        };
        match path {
            Some(path) => Piece::Text(path.display().to_string()),
            None => Piece::Unknown("~".to_owned()),
        }
    }

    /// Runs a substitution in a subshell and returns what it prints.
    fn substitution(&mut self, text: &str, state: &mut State) -> Field {
        let source = format!("$({text})");
        let trimmed = text.trim();
        if trimmed.starts_with('<') && !trimmed.starts_with("<<") && !trimmed.starts_with("<(") {
            return Field::unknown(source);
        }
        let flow = super::Flow { hidden: true, captured: true, ..self.flow };
        let stream =
            self.within(flow, |machine| machine.run_text(text, &mut state.clone(), &Stream::NOTHING));
        self.sources.insert(source.clone(), stream.clone());
        match stream.data {
            Data::Nothing => Field::default(),
            Data::Text(text) => Field::text(text.trim_end_matches('\n')),
            Data::Name => Field(vec![Piece::Name(source)]),
            Data::File(_) | Data::Opaque { .. } => Field::unknown(source),
        }
    }

    fn parameter(&mut self, expr: &ParameterExpr, quoted: bool, out: &mut Splitter, state: &mut State) {
        match expr {
            ParameterExpr::Parameter { parameter, indirect } => {
                let values = self.lookup(parameter, *indirect, state);
                match values {
                    Some(values) => {
                        let separate = !quoted || is_list(parameter);
                        for (index, value) in values.iter().enumerate() {
                            if 0 < index {
                                if separate {
                                    out.end_word();
                                } else {
                                    out.current().push(Piece::Text(" ".to_owned()));
                                }
                            }
                            out.add(value, quoted);
                        }
                        if values.is_empty() && quoted && !is_list(parameter) {
                            out.current();
                        }
                    }
                    None => out.current().push(Piece::Unknown(parameter.to_string())),
                }
            }
            ParameterExpr::UseDefaultValues { parameter, indirect, test_type, default_value }
            | ParameterExpr::AssignDefaultValues { parameter, indirect, test_type, default_value } => {
                let value = self.single(parameter, *indirect, state);
                let default = default_value.as_deref().unwrap_or_default();
                match value {
                    Some(value)
                        if !(value.is_empty() && matches!(test_type, ParameterTestType::UnsetOrNull)) =>
                    {
                        out.add(&value, quoted);
                    }
                    Some(_) => {
                        let value = self.joined(default, state);
                        out.add(&value, quoted);
                    }
                    None => {
                        // Unset here, but the user's environment may set it.
                        let source = format!("{parameter}:-{default}");
                        if self.chooser.pick(&source, 2) == 0 {
                            let value = self.joined(default, state);
                            out.add(&value, quoted);
                        } else {
                            out.current().push(Piece::Unknown(source));
                        }
                    }
                }
            }
            ParameterExpr::IndicateErrorIfNullOrUnset { parameter, indirect, .. } => {
                match self.single(parameter, *indirect, state) {
                    Some(value) => out.add(&value, quoted),
                    None => out.current().push(Piece::Unknown(parameter.to_string())),
                }
            }
            ParameterExpr::UseAlternativeValue { parameter, indirect, alternative_value, .. } => {
                let value = self.single(parameter, *indirect, state);
                if value.is_none_or(|value| !value.is_empty()) {
                    let value = self.joined(alternative_value.as_deref().unwrap_or_default(), state);
                    out.add(&value, quoted);
                }
            }
            ParameterExpr::ParameterLength { parameter, .. } => {
                out.current().push(Piece::Name(format!("${{#{parameter}}}")));
            }
            ParameterExpr::Transform {
                op:
                    ParameterTransformOp::PossiblyQuoteWithArraysExpanded { .. } | ParameterTransformOp::Quoted,
                parameter,
                indirect,
            } => match self.single(parameter, *indirect, state) {
                Some(value) => out.add(&value, true),
                None => out.current().push(Piece::Unknown(parameter.to_string())),
            },
            other => {
                let source = parameter_of(other).map_or_else(|| "${…}".to_owned(), ToString::to_string);
                match self.edited(other, state) {
                    Some(text) => out.add(&Field::text(text), quoted),
                    None => out.current().push(Piece::Unknown(source)),
                }
            }
        }
    }

    /// Expansions that edit a known value.
    fn edited(&mut self, expr: &ParameterExpr, state: &mut State) -> Option<String> {
        let parameter = parameter_of(expr)?;
        let value = self.single(parameter, false, state)?.known()?;
        let mut pattern = |machine: &mut Self, raw: &Option<String>| match raw {
            None => Some(String::new()),
            Some(raw) => machine.joined(raw, state).known(),
        };
        Some(match expr {
            ParameterExpr::RemoveSmallestSuffixPattern { pattern: raw, .. } => {
                wildcard::strip_suffix(&value, &pattern(self, raw)?, false)
            }
            ParameterExpr::RemoveLargestSuffixPattern { pattern: raw, .. } => {
                wildcard::strip_suffix(&value, &pattern(self, raw)?, true)
            }
            ParameterExpr::RemoveSmallestPrefixPattern { pattern: raw, .. } => {
                wildcard::strip_prefix(&value, &pattern(self, raw)?, false)
            }
            ParameterExpr::RemoveLargestPrefixPattern { pattern: raw, .. } => {
                wildcard::strip_prefix(&value, &pattern(self, raw)?, true)
            }
            ParameterExpr::Substring { offset, length, .. } => {
                let count = i64::try_from(value.chars().count()).ok()?;
                let offset = offset.value.trim().parse::<i64>().ok()?;
                let start = if offset < 0 { count + offset } else { offset }.clamp(0, count);
                let end = match length {
                    None => count,
                    Some(length) => match length.value.trim().parse::<i64>().ok()? {
                        n if n < 0 => count + n,
                        n => start.saturating_add(n),
                    },
                };
                let take = usize::try_from(end.clamp(start, count) - start).ok()?;
                value.chars().skip(usize::try_from(start).ok()?).take(take).collect()
            }
            ParameterExpr::UppercasePattern { pattern: None, .. } => value.to_uppercase(),
            ParameterExpr::LowercasePattern { pattern: None, .. } => value.to_lowercase(),
            ParameterExpr::UppercaseFirstChar { pattern: None, .. } => {
                first(&value, |c| c.to_uppercase().collect())
            }
            ParameterExpr::LowercaseFirstChar { pattern: None, .. } => {
                first(&value, |c| c.to_lowercase().collect())
            }
            ParameterExpr::Transform { op, .. } => match op {
                ParameterTransformOp::ToUpperCase => value.to_uppercase(),
                ParameterTransformOp::ToLowerCase => value.to_lowercase(),
                ParameterTransformOp::CapitalizeInitial => first(&value, |c| c.to_uppercase().collect()),
                ParameterTransformOp::ExpandEscapeSequences => ansi_c(&value),
                _ => return None,
            },
            ParameterExpr::ReplaceSubstring { pattern: raw, replacement, match_kind, .. } => {
                let from = pattern(self, &Some(raw.clone()))?;
                let to = pattern(self, replacement)?;
                if from.is_empty() || from.contains(['*', '?', '[']) {
                    return None;
                }
                match match_kind {
                    SubstringMatchKind::FirstOccurrence => value.replacen(&from, &to, 1),
                    SubstringMatchKind::Anywhere => {
                        if VALUE_BYTES_MAX < value.len().saturating_mul(to.len() + 1) {
                            return None;
                        }
                        value.replace(&from, &to)
                    }
                    SubstringMatchKind::Prefix => match value.strip_prefix(&from) {
                        Some(rest) => to + rest,
                        None => value,
                    },
                    SubstringMatchKind::Suffix => match value.strip_suffix(&from) {
                        Some(rest) => rest.to_owned() + &to,
                        None => value,
                    },
                }
            }
            _ => return None,
        })
    }

    /// The value of a parameter as one field; `None` when it is not known here.
    fn single(&mut self, parameter: &Parameter, indirect: bool, state: &mut State) -> Option<Field> {
        let values = self.lookup(parameter, indirect, state)?;
        let mut out = Field::default();
        for (index, value) in values.into_iter().enumerate() {
            if 0 < index {
                out.push(Piece::Text(" ".to_owned()));
            }
            for piece in value.0 {
                out.push(piece);
            }
        }
        if out.has_unknown() || VALUE_BYTES_MAX < out.render().len() { None } else { Some(out) }
    }

    /// The fields that a parameter holds; `None` when it is not known here.
    fn lookup(&mut self, parameter: &Parameter, indirect: bool, state: &mut State) -> Option<Vec<Field>> {
        if indirect {
            let name = self.single(parameter, false, state)?.known()?;
            return self.lookup(&Parameter::Named(name), false, state);
        }
        match parameter {
            Parameter::Positional(0) => Some(vec![Field::text("bash")]),
            Parameter::Positional(index) => {
                let index = usize::try_from(*index).ok()?.checked_sub(1)?;
                // A script's own arguments are unknown; a function's missing ones are empty.
                match state.args.get(index) {
                    Some(field) => Some(vec![field.clone()]),
                    None if state.calls.is_empty() => None,
                    None => Some(Vec::new()),
                }
            }
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => Some(state.args.clone()),
            Parameter::Special(special) => Some(vec![Field(vec![Piece::Name(format!("${special}"))])]),
            Parameter::Named(name) => match self.variable(name, state)? {
                Value::Scalar(field) => Some(vec![field]),
                Value::Array(fields) => Some(fields.into_iter().take(1).collect()),
            },
            Parameter::NamedWithIndex { name, index } => {
                let value = self.variable(name, state)?;
                let index = self.joined(index, state).known()?.trim().parse::<usize>().ok()?;
                match value {
                    Value::Scalar(field) if index == 0 => Some(vec![field]),
                    Value::Scalar(_) => Some(Vec::new()),
                    Value::Array(fields) => Some(fields.get(index).cloned().into_iter().collect()),
                }
            }
            Parameter::NamedWithAllIndices { name, .. } => match self.variable(name, state)? {
                Value::Scalar(field) => Some(vec![field]),
                Value::Array(fields) => Some(fields),
            },
        }
    }

    fn variable(&mut self, name: &str, state: &State) -> Option<Value> {
        if let Some(values) = state.vars.get(name) {
            let index = if values.len() < 2 { 0 } else { self.chooser.pick(name, values.len()) };
            return values.get(index).cloned();
        }
        let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|it| it.display().to_string());
        let text = match name {
            "HOME" => path(&self.place.home),
            "PWD" => path(&state.cwd),
            "OLDPWD" => path(&state.old_cwd),
            "CLAUDE_PROJECT_DIR" => Some(self.place.root.display().to_string()),
            "IFS" => Some(" \t\n".to_owned()),
            "RANDOM" | "SRANDOM" | "SECONDS" | "EPOCHSECONDS" | "EPOCHREALTIME" | "BASHPID" | "PPID"
            | "LINENO" | "UID" | "EUID" | "HOSTNAME" | "SHLVL" | "COLUMNS" | "LINES" => {
                return Some(Value::Scalar(Field(vec![Piece::Name(format!("${name}"))])));
            }
            _ => self.place.variables.get(name).cloned(),
        };
        text.map(|text| Value::Scalar(Field::text(text)))
    }
}

fn first(text: &str, change: impl Fn(char) -> String) -> String {
    let mut chars = text.chars();
    chars.next().map(change).unwrap_or_default() + chars.as_str()
}

fn is_list(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::NamedWithAllIndices { concatenate: false, .. }
            | Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
    )
}

fn parameter_of(expr: &ParameterExpr) -> Option<&Parameter> {
    use ParameterExpr as E;
    match expr {
        E::Parameter { parameter, .. }
        | E::UseDefaultValues { parameter, .. }
        | E::AssignDefaultValues { parameter, .. }
        | E::IndicateErrorIfNullOrUnset { parameter, .. }
        | E::UseAlternativeValue { parameter, .. }
        | E::ParameterLength { parameter, .. }
        | E::RemoveSmallestSuffixPattern { parameter, .. }
        | E::RemoveLargestSuffixPattern { parameter, .. }
        | E::RemoveSmallestPrefixPattern { parameter, .. }
        | E::RemoveLargestPrefixPattern { parameter, .. }
        | E::Substring { parameter, .. }
        | E::Transform { parameter, .. }
        | E::UppercaseFirstChar { parameter, .. }
        | E::UppercasePattern { parameter, .. }
        | E::LowercaseFirstChar { parameter, .. }
        | E::LowercasePattern { parameter, .. }
        | E::ReplaceSubstring { parameter, .. } => Some(parameter),
        E::VariableNames { .. } | E::MemberKeys { .. } => None,
    }
}
