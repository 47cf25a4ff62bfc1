//! The shape of a line, as tolerant as it can be: a field of another type than expected is as if it were not there.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::loose::{Flag, Number, Object, Present, Text, passes_over, passes_over_the_rest};

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Wire<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    #[serde(borrow, rename = "parentUuid")]
    pub(super) parent: Text<'a>,
    #[serde(borrow, rename = "sessionId")]
    pub(super) session: Text<'a>,
    #[serde(borrow, rename = "forkedFrom")]
    pub(super) forked_from: Object<Forked<'a>>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow, rename = "gitBranch")]
    pub(super) branch: Text<'a>,
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "agentId")]
    pub(super) agent: Text<'a>,
    #[serde(rename = "isSidechain")]
    pub(super) sidechain: Flag,
    #[serde(rename = "isMeta")]
    pub(super) meta: Flag,
    #[serde(rename = "isCompactSummary")]
    pub(super) compact_summary: Flag,
    #[serde(rename = "isVisibleInTranscriptOnly")]
    pub(super) transcript_only: Flag,
    #[serde(rename = "isApiErrorMessage")]
    pub(super) api_error: Flag,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    #[serde(borrow, rename = "toolUseResult")]
    pub(super) tool_result: ToolResult<'a>,
    #[serde(borrow, rename = "toolDenialKind")]
    pub(super) denial: Text<'a>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Forked<'a> {
    #[serde(borrow, rename = "sessionId")]
    pub(super) session: Text<'a>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    pub(super) input: Value,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    pub(super) is_error: Flag,
}

/// What a message or a tool result holds.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

impl Content<'_> {
    /// Its words.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => {
                let mut texts = blocks.iter().filter_map(|block| block.text.0.as_deref());
                match (texts.next(), texts.next()) {
                    (None, _) => Cow::Borrowed(""),
                    (Some(text), None) => Cow::Borrowed(text),
                    (Some(first), Some(second)) => {
                        let rest: Vec<&str> = [first, second].into_iter().chain(texts).collect();
                        Cow::Owned(rest.join("\n"))
                    }
                }
            }
        }
    }
}

/// What a tool returned, beside what the agent was told.
#[derive(Debug, Default)]
pub(super) enum ToolResult<'a> {
    #[default]
    None,
    Fields(Box<Fields<'a>>),
}

impl ToolResult<'_> {
    pub(super) fn duration_ms(&self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Fields(fields) => fields.duration_ms.0.or(fields.total_duration_ms.0),
        }
    }
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Fields<'a> {
    #[serde(borrow)]
    pub(super) stdout: Text<'a>,
    #[serde(borrow)]
    pub(super) stderr: Text<'a>,
    pub(super) interrupted: Flag,
    #[serde(rename = "returnCodeInterpretation")]
    pub(super) code_meaning: Present,
    #[serde(rename = "backgroundTaskId")]
    pub(super) background: Present,
    #[serde(borrow)]
    pub(super) file: Object<File<'a>>,
    #[serde(rename = "durationMs")]
    pub(super) duration_ms: Number,
    #[serde(rename = "totalDurationMs")]
    pub(super) total_duration_ms: Number,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct File<'a> {
    #[serde(borrow)]
    pub(super) content: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content<'de>;
            passes_over_the_rest!(expecting);
            passes_over_the_rest!(none);
            passes_over_the_rest!(map);
            passes_over! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) }
            fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(Object(block)) = items.next_element::<Object<Block<'de>>>()? {
                    blocks.extend(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ToolResult<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Object(fields) = Object::<Fields<'a>>::deserialize(deserializer)?;
        Ok(fields.map_or(Self::None, |fields| Self::Fields(Box::new(fields))))
    }
}
