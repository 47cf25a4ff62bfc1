//! Values of records that clients write and change as they like: of whatever type they turn out to be, reading
//! them never fails, and what is not as expected is as if it were not there.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string, if it is one.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn owned(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }
}

/// A string, if it is one, for readers that do not hold what they read.
#[derive(Debug, Default)]
pub(crate) struct Words(pub(crate) Option<String>);

impl Words {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn owned(&self) -> Option<String> {
        self.0.clone()
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(text) = Text::deserialize(deserializer)?;
        Ok(Self(text.map(Cow::into_owned)))
    }
}

/// `true`, if it is that.
#[derive(Debug, Default)]
pub(crate) struct Flag(pub(crate) bool);

/// It is there and not `null`.
#[derive(Debug, Default)]
pub(crate) struct Present(pub(crate) bool);

/// A whole number that is not negative, if it is one.
#[derive(Debug, Default)]
pub(crate) struct Number(pub(crate) Option<u64>);

/// An object, if it is one.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// The methods of a visitor that takes whatever comes and makes nothing of it.
macro_rules! passes_over {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E: serde::de::Error>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        })*
    };
}

macro_rules! passes_over_the_rest {
    (seq) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (map) => {
        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (none) => {
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_none<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
    (expecting) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }
    };
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Text<'de>;
            passes_over_the_rest!(expecting);
            passes_over_the_rest!(none);
            passes_over_the_rest!(seq);
            passes_over_the_rest!(map);
            passes_over! { visit_bool(bool) visit_i64(i64) visit_u64(u64) visit_f64(f64) }
            fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Flag;
            passes_over_the_rest!(expecting);
            passes_over_the_rest!(none);
            passes_over_the_rest!(seq);
            passes_over_the_rest!(map);
            passes_over! { visit_str(&str) visit_i64(i64) visit_u64(u64) visit_f64(f64) }
            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Flag(value))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Number;
            passes_over_the_rest!(expecting);
            passes_over_the_rest!(none);
            passes_over_the_rest!(seq);
            passes_over_the_rest!(map);
            passes_over! { visit_bool(bool) visit_str(&str) visit_i64(i64) }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Number(Some(value)))
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Number((0.0..9e15).contains(&value).then_some(value as u64)))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::<IgnoredAny>::deserialize(deserializer)?.is_some()))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = Object<T>;
            passes_over_the_rest!(expecting);
            passes_over_the_rest!(none);
            passes_over_the_rest!(seq);
            passes_over! { visit_bool(bool) visit_str(&str) visit_i64(i64) visit_u64(u64) visit_f64(f64) }
            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields)).map(|value| Object(Some(value)))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

pub(crate) use {passes_over, passes_over_the_rest};
