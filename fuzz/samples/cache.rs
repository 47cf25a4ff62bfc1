//! A cache.
#![allow(dead_code)]
use std::{collections::HashMap as Map, fmt::{self, Display}};

macro_rules! map {
    ($($key:expr => $value:expr),* $(,)?) => {{ let mut map = Map::new(); $(map.insert($key, $value);)* map }};
}

/// Kept values. /* not a comment */
#[derive(Debug, Clone, Default)]
pub(crate) struct Cache<'a, K: Eq + 'a, const N: usize = 4> where K: Display { items: Map<K, &'a [u8; N]>, pub name: r#type }
pub enum Found<T> { Nothing, One(T), Many { all: Vec<T>, more: bool } = 3 }
pub trait Load: Send { const MAX: usize; type Item<'b> where Self: 'b; fn load(&self) -> Result<(), Box<dyn Fn() -> u8>>; }

impl<'a, K: Eq + Display, const N: usize> Cache<'a, K, N> {
    pub async unsafe extern "C" fn get(&mut self, key: &K) -> Option<&'a [u8]> {
        /* outer /* inner */ */
        let Some(found) = self.items.get(key) else { return None };
        let text = r#"raw "text""#; let byte = b'\x7f'; let c = '\u{1F600}'; let n = 1_000.0e-3f64..=2.;
        'outer: loop {
            match found { [first, .., last] if first == last => break 'outer, [0 | 1..=9, ..] => todo!(), _ => unimplemented!("later") }
        }
        if let Ok(value) = self.load()? && true { dbg!(value.await); }
        let closure = move |x: i32| -> i32 { x as u8 as i32 << 2 };
        Some(&found[..])
    }
}
impl fmt::Display for Found<i32> { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{self:?}") } }
#[cfg(test)]
mod tests { #[test] fn works() { assert_eq!(1 + 1, 2, "sum {}", 3); } }
