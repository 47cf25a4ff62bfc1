//! `ReqIF` 1.2, for requirements tools: requirements with their state, what cites them as objects of their own, and the
//! relations between both.

use std::collections::BTreeMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::{Link, Matrix, Review, State};

use super::Options;

/// In every file of ours.
pub const TOOL: &str = "<REQ-IF-TOOL-ID>hostler ";
/// Longest text of an attribute, characters; longer ones are cut.
const TEXT_CHARS_MAX: usize = 32_000;

/// Attributes of requirements that are texts; the names are those that tools agreed on.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("id", "ReqIF.ForeignID"),
    ("text", "ReqIF.Text"),
    ("spec", "Specification"),
    ("source", "Source"),
    ("review", "Review"),
];

/// The whole matrix.
pub fn text(matrix: &Matrix, options: &Options<'_>) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = Document { out: &mut out, time: options.time }.write(matrix, options);
    out
}

struct Document<'a> {
    out: &'a mut String,
    time: &'a str,
}

impl Document<'_> {
    fn write(&mut self, matrix: &Matrix, options: &Options<'_>) -> std::fmt::Result {
        let time = self.time;
        write!(
            self.out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <REQ-IF xmlns=\"http://www.omg.org/spec/ReqIF/20110401/reqif.xsd\" xml:lang=\"en\">\n\
             <THE-HEADER><REQ-IF-HEADER IDENTIFIER=\"{}\"><COMMENT>{}</COMMENT><CREATION-TIME>{time}</CREATION-TIME>\
             <REQ-IF-TOOL-ID>{tool}</REQ-IF-TOOL-ID><REQ-IF-VERSION>1.0</REQ-IF-VERSION>\
             <SOURCE-TOOL-ID>{tool}</SOURCE-TOOL-ID><TITLE>{}</TITLE></REQ-IF-HEADER></THE-HEADER>\n\
             <CORE-CONTENT><REQ-IF-CONTENT>\n",
            identifier("header", &format!("{}\0{time}", options.title)),
            escaped(&matrix.headline()),
            escaped(options.title),
            tool = escaped(options.generator),
        )?;
        self.datatypes()?;
        self.types()?;
        let objects = objects(matrix);
        self.objects(matrix, &objects, options)?;
        self.relations(matrix)?;
        self.specifications(matrix)?;
        self.out.push_str("</REQ-IF-CONTENT></CORE-CONTENT>\n</REQ-IF>\n");
        Ok(())
    }

    /// `IDENTIFIER`, `LAST-CHANGE` and maybe `LONG-NAME`, as nearly every element has them.
    fn names(&self, kind: &str, key: &str, name: Option<&str>) -> String {
        let name = name.map_or_else(String::new, |it| format!(" LONG-NAME=\"{}\"", escaped(it)));
        format!("IDENTIFIER=\"{}\" LAST-CHANGE=\"{}\"{name}", identifier(kind, key), self.time)
    }

    fn datatypes(&mut self) -> std::fmt::Result {
        let string = self.names("datatype", "string", Some("String"));
        let boolean = self.names("datatype", "boolean", Some("Boolean"));
        let state = self.names("datatype", "state", Some("State"));
        write!(
            self.out,
            "<DATATYPES><DATATYPE-DEFINITION-STRING {string} MAX-LENGTH=\"{TEXT_CHARS_MAX}\"/>\
             <DATATYPE-DEFINITION-BOOLEAN {boolean}/><DATATYPE-DEFINITION-ENUMERATION {state}><SPECIFIED-VALUES>"
        )?;
        for (at, state) in State::ALL.iter().enumerate() {
            let names = self.names("state", state.name(), Some(state.name()));
            write!(
                self.out,
                "<ENUM-VALUE {names}><PROPERTIES><EMBEDDED-VALUE KEY=\"{at}\" OTHER-CONTENT=\"{}\"/></PROPERTIES></ENUM-VALUE>",
                state.name()
            )?;
        }
        self.out.push_str("</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION></DATATYPES>\n");
        Ok(())
    }

    fn types(&mut self) -> std::fmt::Result {
        let requirement = self.names("type", "requirement", Some("Requirement"));
        write!(self.out, "<SPEC-TYPES><SPEC-OBJECT-TYPE {requirement}><SPEC-ATTRIBUTES>")?;
        for (key, name) in ATTRIBUTES {
            self.string_definition(key, name)?;
        }
        let done = self.names("attribute", "done", Some("Done"));
        let state = self.names("attribute", "state", Some("State"));
        write!(
            self.out,
            "<ATTRIBUTE-DEFINITION-BOOLEAN {done}><TYPE><DATATYPE-DEFINITION-BOOLEAN-REF>{}</DATATYPE-DEFINITION-BOOLEAN-REF></TYPE></ATTRIBUTE-DEFINITION-BOOLEAN>\
             <ATTRIBUTE-DEFINITION-ENUMERATION {state} MULTI-VALUED=\"false\"><TYPE><DATATYPE-DEFINITION-ENUMERATION-REF>{}</DATATYPE-DEFINITION-ENUMERATION-REF></TYPE></ATTRIBUTE-DEFINITION-ENUMERATION>\
             </SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>",
            identifier("datatype", "boolean"),
            identifier("datatype", "state"),
        )?;
        let link = self.names("type", "link", Some("Code or test"));
        write!(self.out, "<SPEC-OBJECT-TYPE {link}><SPEC-ATTRIBUTES>")?;
        self.string_definition("link-name", "ReqIF.Name")?;
        self.string_definition("link-kind", "Kind")?;
        self.out.push_str("</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>");
        for (key, name) in [("satisfies", "satisfies"), ("verifies", "verifies")] {
            let names = self.names("type", key, Some(name));
            write!(self.out, "<SPEC-RELATION-TYPE {names}/>")?;
        }
        let specification = self.names("type", "specification", Some("Specification"));
        writeln!(self.out, "<SPECIFICATION-TYPE {specification}/></SPEC-TYPES>")
    }

    fn string_definition(&mut self, key: &str, name: &str) -> std::fmt::Result {
        let names = self.names("attribute", key, Some(name));
        write!(
            self.out,
            "<ATTRIBUTE-DEFINITION-STRING {names}><TYPE><DATATYPE-DEFINITION-STRING-REF>{}</DATATYPE-DEFINITION-STRING-REF></TYPE></ATTRIBUTE-DEFINITION-STRING>",
            identifier("datatype", "string")
        )
    }

    fn string(&mut self, key: &str, value: &str) -> std::fmt::Result {
        let value: String = value.chars().take(TEXT_CHARS_MAX).collect();
        write!(
            self.out,
            "<ATTRIBUTE-VALUE-STRING THE-VALUE=\"{}\"><DEFINITION><ATTRIBUTE-DEFINITION-STRING-REF>{}</ATTRIBUTE-DEFINITION-STRING-REF></DEFINITION></ATTRIBUTE-VALUE-STRING>",
            escaped(&value),
            identifier("attribute", key)
        )
    }

    fn objects(
        &mut self,
        matrix: &Matrix,
        links: &BTreeMap<String, &Link>,
        options: &Options<'_>,
    ) -> std::fmt::Result {
        self.out.push_str("<SPEC-OBJECTS>\n");
        for row in &matrix.rows {
            let requirement = &row.requirement;
            let names = self.names("requirement", &row.key, Some(&row.key));
            write!(self.out, "<SPEC-OBJECT {names}><VALUES>")?;
            self.string("id", &requirement.id)?;
            if options.texts {
                self.string("text", &requirement.text)?;
            }
            self.string("spec", &requirement.spec)?;
            self.string("source", &format!("{}:{}", requirement.source, requirement.line))?;
            if row.review != Review::Never {
                self.string("review", row.review.name())?;
            }
            if let Some(done) = requirement.done {
                write!(
                    self.out,
                    "<ATTRIBUTE-VALUE-BOOLEAN THE-VALUE=\"{done}\"><DEFINITION><ATTRIBUTE-DEFINITION-BOOLEAN-REF>{}</ATTRIBUTE-DEFINITION-BOOLEAN-REF></DEFINITION></ATTRIBUTE-VALUE-BOOLEAN>",
                    identifier("attribute", "done")
                )?;
            }
            writeln!(
                self.out,
                "<ATTRIBUTE-VALUE-ENUMERATION><DEFINITION><ATTRIBUTE-DEFINITION-ENUMERATION-REF>{}</ATTRIBUTE-DEFINITION-ENUMERATION-REF></DEFINITION>\
                 <VALUES><ENUM-VALUE-REF>{}</ENUM-VALUE-REF></VALUES></ATTRIBUTE-VALUE-ENUMERATION></VALUES>\
                 <TYPE><SPEC-OBJECT-TYPE-REF>{}</SPEC-OBJECT-TYPE-REF></TYPE></SPEC-OBJECT>",
                identifier("attribute", "state"),
                identifier("state", row.state.name()),
                identifier("type", "requirement"),
            )?;
        }
        for (place, link) in links {
            let names = self.names("link", place, Some(place));
            write!(self.out, "<SPEC-OBJECT {names}><VALUES>")?;
            self.string("link-name", place)?;
            let kind = link.kind.name();
            self.string("link-kind", &if link.test { format!("test {kind}") } else { kind.to_owned() })?;
            writeln!(
                self.out,
                "</VALUES><TYPE><SPEC-OBJECT-TYPE-REF>{}</SPEC-OBJECT-TYPE-REF></TYPE></SPEC-OBJECT>",
                identifier("type", "link")
            )?;
        }
        self.out.push_str("</SPEC-OBJECTS>\n");
        Ok(())
    }

    fn relations(&mut self, matrix: &Matrix) -> std::fmt::Result {
        self.out.push_str("<SPEC-RELATIONS>\n");
        for row in &matrix.rows {
            let links: BTreeMap<String, bool> = row.links.iter().map(|it| (it.place(), it.test)).collect();
            for (place, test) in links {
                let names = self.names("relation", &format!("{place}\0{}", row.key), None);
                writeln!(
                    self.out,
                    "<SPEC-RELATION {names}><SOURCE><SPEC-OBJECT-REF>{}</SPEC-OBJECT-REF></SOURCE><TARGET><SPEC-OBJECT-REF>{}</SPEC-OBJECT-REF></TARGET>\
                     <TYPE><SPEC-RELATION-TYPE-REF>{}</SPEC-RELATION-TYPE-REF></TYPE></SPEC-RELATION>",
                    identifier("link", &place),
                    identifier("requirement", &row.key),
                    identifier("type", if test { "verifies" } else { "satisfies" }),
                )?;
            }
        }
        self.out.push_str("</SPEC-RELATIONS>\n");
        Ok(())
    }

    fn specifications(&mut self, matrix: &Matrix) -> std::fmt::Result {
        self.out.push_str("<SPECIFICATIONS>\n");
        for (name, _) in &matrix.specs {
            let names = self.names("specification", name, Some(name));
            write!(self.out, "<SPECIFICATION {names}><CHILDREN>")?;
            for row in matrix.rows.iter().filter(|it| it.requirement.spec == *name) {
                let names = self.names("hierarchy", &row.key, None);
                write!(
                    self.out,
                    "<SPEC-HIERARCHY {names}><OBJECT><SPEC-OBJECT-REF>{}</SPEC-OBJECT-REF></OBJECT></SPEC-HIERARCHY>",
                    identifier("requirement", &row.key)
                )?;
            }
            writeln!(
                self.out,
                "</CHILDREN><TYPE><SPECIFICATION-TYPE-REF>{}</SPECIFICATION-TYPE-REF></TYPE></SPECIFICATION>",
                identifier("type", "specification")
            )?;
        }
        self.out.push_str("</SPECIFICATIONS>\n");
        Ok(())
    }
}

/// What cites something, once for each place.
fn objects(matrix: &Matrix) -> BTreeMap<String, &Link> {
    matrix.rows.iter().flat_map(|it| &it.links).map(|it| (it.place(), it)).collect()
}

/// The same for the same thing in every export, as tools need it to see what changed; an `xsd:ID` begins with a letter or
/// an underscore.
fn identifier(kind: &str, key: &str) -> String {
    let digest = Sha256::digest(format!("{kind}\0{key}").as_bytes());
    format!("_{}", crate::hexadecimal(&digest, 16))
}

/// For a text or an attribute; what XML 1.0 cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
