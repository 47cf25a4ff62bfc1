//! What is wrong with a query, or what went wrong while it ran.

use std::fmt;

/// Why a query is refused or stopped. The names of the first block are those of the openCypher TCK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Code {
    AmbiguousAggregationExpression,
    ColumnNameConflict,
    DifferentColumnsInUnion,
    FloatingPointOverflow,
    IntegerOverflow,
    InvalidAggregation,
    InvalidArgumentType,
    InvalidArgumentValue,
    InvalidClauseComposition,
    InvalidNumberLiteral,
    InvalidNumberOfArguments,
    InvalidParameterUse,
    InvalidRelationshipPattern,
    InvalidUnicodeCharacter,
    InvalidUnicodeLiteral,
    MapElementAccessByNonString,
    MissingParameter,
    NegativeIntegerArgument,
    NestedAggregation,
    NoExpressionAlias,
    NonConstantExpression,
    NoVariablesInScope,
    NumberOutOfRange,
    ProcedureNotFound,
    RelationshipUniquenessViolation,
    UndefinedVariable,
    UnexpectedSyntax,
    UnknownFunction,
    VariableAlreadyBound,
    VariableTypeConflict,
    /// The query would change the graph.
    WriteRefused,
    /// More steps, rows, memory or nesting than allowed.
    LimitReached,
    /// The caller asked to stop.
    Cancelled,
    /// The store could not answer.
    StoreFailure,
}

/// The classes that the openCypher TCK sorts errors into, and ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Class {
    SyntaxError,
    TypeError,
    ArgumentError,
    ParameterMissing,
    ProcedureError,
    /// Ours: limits, cancellation, a refused write, a store that failed.
    ExecutionError,
}

/// When it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// From the text alone.
    Compile,
    /// From the values of a graph or of parameters.
    Run,
}

/// An error with the place in the query that it speaks of.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{}", self.text())]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    class: Class,
    code: Code,
    phase: Phase,
    message: String,
    /// Byte offset into the query.
    offset: usize,
    place: Option<Place>,
}

#[derive(Clone, PartialEq)]
struct Place {
    line: usize,
    column: usize,
    text: String,
}

/// A shown line is cut to about as many characters around the place.
const SHOWN_CHARACTERS_MAX: usize = 100;

impl Error {
    pub(crate) fn syntax(code: Code, offset: usize, message: impl Into<String>) -> Self {
        Self::new(Class::SyntaxError, code, Phase::Compile, offset, message.into())
    }

    pub(crate) fn refused(offset: usize, message: impl Into<String>) -> Self {
        Self::new(Class::ExecutionError, Code::WriteRefused, Phase::Compile, offset, message.into())
    }

    pub(crate) fn typed(code: Code, offset: usize, message: impl Into<String>) -> Self {
        Self::new(Class::TypeError, code, Phase::Run, offset, message.into())
    }

    pub(crate) fn argument(code: Code, offset: usize, message: impl Into<String>) -> Self {
        Self::new(Class::ArgumentError, code, Phase::Run, offset, message.into())
    }

    pub(crate) fn limit(offset: usize, message: impl Into<String>) -> Self {
        Self::new(Class::ExecutionError, Code::LimitReached, Phase::Run, offset, message.into())
    }

    pub(crate) fn new(class: Class, code: Code, phase: Phase, offset: usize, message: String) -> Self {
        Self(Box::new(Inner { class, code, phase, message, offset, place: None }))
    }

    /// With line, column and the line itself, which only the holder of the text knows.
    pub(crate) fn located(mut self, source: &str) -> Self {
        if self.0.place.is_some() {
            return self;
        }
        let mut offset = self.0.offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let start = source[..offset].rfind('\n').map_or(0, |it| it + 1);
        let end = source[offset..].find('\n').map_or(source.len(), |it| offset + it);
        self.0.place = Some(Place {
            line: 1 + source[..start].matches('\n').count(),
            column: 1 + source[start..offset].chars().count(),
            text: source[start..end].trim_end_matches('\r').to_owned(),
        });
        self
    }

    pub(crate) fn offset(&self) -> usize {
        self.0.offset
    }

    /// What kind of error it is.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// What exactly is wrong.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Whether the text alone was enough to find it.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The line that it speaks of, from 1.
    pub fn line(&self) -> usize {
        self.0.place.as_ref().map_or(1, |it| it.line)
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> usize {
        self.0.place.as_ref().map_or(1, |it| it.column)
    }

    /// The line of the query and a caret below the place; cut around the place where the line is long.
    pub fn caret(&self) -> String {
        let Some(place) = &self.0.place else { return String::new() };
        let before = place.column - 1;
        let skipped = before.saturating_sub(SHOWN_CHARACTERS_MAX / 2);
        let shown: String = place.text.chars().skip(skipped).take(SHOWN_CHARACTERS_MAX).collect();
        // Tabs stay tabs, so that the caret stands where the place does.
        let indent: String =
            shown.chars().take(before - skipped).map(|it| if it == '\t' { '\t' } else { ' ' }).collect();
        format!("{shown}\n{indent}^")
    }

    fn text(&self) -> String {
        let Inner { message, place, .. } = &*self.0;
        match place {
            Some(place) => format!("{message} (line {}, column {})", place.line, place.column),
            None => message.clone(),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {:?}: {}", self.class(), self.code(), self.text())
    }
}
