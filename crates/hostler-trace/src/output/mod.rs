//! The matrix as others read it.

pub mod csv;
pub mod html;
pub mod json;
pub mod markdown;
pub mod reqif;
pub mod sarif;

#[cfg(test)]
mod tests;

/// What a report says besides the matrix.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Its heading.
    pub title: &'a str,
    /// The texts of requirements stand in it.
    pub texts: bool,
    /// Name and version of the program.
    pub generator: &'a str,
    /// When, as RFC 3339; formats that ask for a time get it, the others stay the same from run to run.
    pub time: &'a str,
}
