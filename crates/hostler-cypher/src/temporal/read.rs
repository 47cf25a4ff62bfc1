//! Temporal values from text, as ISO 8601 writes them.

use std::sync::Arc;

use super::{SECOND_NS, Temporal, YEAR_MAX, days_of, first_monday, month_days, zone};

struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn eat(&mut self, mark: char) -> bool {
        let rest = self.0.strip_prefix(mark);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn digits(&self) -> usize {
        self.0.bytes().take_while(u8::is_ascii_digit).count()
    }

    /// Exactly so many digits.
    fn number(&mut self, count: usize) -> Option<i64> {
        let (found, rest) = self.0.split_at_checked(count)?;
        if !found.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        self.0 = rest;
        found.parse().ok()
    }

    /// Digits after a point, as nanoseconds.
    fn fraction(&mut self) -> Option<i64> {
        if !self.eat('.') && !self.eat(',') {
            return Some(0);
        }
        let count = self.digits();
        let (found, rest) = self.0.split_at_checked(count).filter(|_| (1..=9).contains(&count))?;
        self.0 = rest;
        format!("{found:0<9}").parse().ok()
    }

    fn date(&mut self) -> Option<i64> {
        let sign = if self.eat('-') { Some(-1) } else { self.eat('+').then_some(1) };
        let width = if sign.is_some() { self.digits().min(9) } else { 4 };
        let year = sign.unwrap_or(1) * self.number(width).filter(|_| width >= 4)?;
        if year.abs() > YEAR_MAX {
            return None;
        }
        let dashed = self.0.starts_with('-');
        if dashed {
            self.0 = &self.0[1..];
        }
        if self.eat('W') {
            let week = self.number(2).filter(|it| (1..=53).contains(it))?;
            let day = if self.0.starts_with('-') || self.digits() > 0 {
                self.eat('-');
                self.number(1).filter(|it| (1..=7).contains(it))?
            } else {
                1
            };
            return Some(first_monday(year) + (week - 1) * 7 + day - 1);
        }
        match self.digits() {
            0 if !dashed => Some(days_of(year, 1, 1)),
            3 => {
                let day = self.number(3)?;
                let most = days_of(year + 1, 1, 1) - days_of(year, 1, 1);
                (1..=most).contains(&day).then(|| days_of(year, 1, 1) + day - 1)
            }
            2 | 4 => {
                let month = self.number(2).filter(|it| (1..=12).contains(it))?;
                let day = if self.digits() == 2 || self.0.starts_with('-') {
                    self.eat('-');
                    self.number(2)?
                } else {
                    1
                };
                (1..=month_days(year, month)).contains(&day).then(|| days_of(year, month, day))
            }
            _ => None,
        }
    }

    fn time(&mut self) -> Option<i64> {
        let hour = self.number(2).filter(|it| *it < 24)?;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if self.eat(':') || self.digits() >= 2 {
            minute = self.number(2).filter(|it| *it < 60)?;
            if self.eat(':') || self.digits() >= 2 {
                second = self.number(2).filter(|it| *it < 60)?;
                fraction = self.fraction()?;
            }
        }
        Some((hour * 3_600 + minute * 60 + second) * SECOND_NS + fraction)
    }

    fn offset(&mut self) -> Option<i32> {
        if self.eat('Z') {
            return Some(0);
        }
        let sign = if self.eat('-') { -1 } else { self.eat('+').then_some(1)? };
        let hour = self.number(2)?;
        let (mut minute, mut second) = (0, 0);
        if self.eat(':') || self.digits() >= 2 {
            minute = self.number(2).filter(|it| *it < 60)?;
            if self.eat(':') || self.digits() >= 2 {
                second = self.number(2).filter(|it| *it < 60)?;
            }
        }
        i32::try_from(sign * (hour * 3_600 + minute * 60 + second)).ok().filter(|it| it.abs() <= 18 * 3_600)
    }

    fn rest(self) -> &'a str {
        self.0
    }
}

fn whole<'t, T>(text: &'t str, read: impl FnOnce(&mut Reader<'t>) -> Option<T>) -> Option<T> {
    let mut reader = Reader(text.trim());
    let out = read(&mut reader)?;
    reader.rest().is_empty().then_some(out)
}

pub(crate) fn date(text: &str) -> Option<Temporal> {
    whole(text, |it| Some(Temporal::Date { days: it.date()? }))
}

pub(crate) fn local_time(text: &str) -> Option<Temporal> {
    whole(text, |it| Some(Temporal::LocalTime { ns: it.time()? }))
}

pub(crate) fn time(text: &str) -> Option<Temporal> {
    whole(text, |it| {
        let ns = it.time()?;
        let offset_s = if it.0.is_empty() { 0 } else { it.offset()? };
        Some(Temporal::Time { ns, offset_s })
    })
}

fn date_and_time(reader: &mut Reader<'_>) -> Option<(i64, i64)> {
    let days = reader.date()?;
    let ns = if reader.eat('T') { reader.time()? } else { 0 };
    Some((days, ns))
}

pub(crate) fn local_date_time(text: &str) -> Option<Temporal> {
    whole(text, |it| {
        let (days, ns) = date_and_time(it)?;
        Some(Temporal::LocalDateTime { days, ns })
    })
}

pub(crate) fn date_time(text: &str) -> Option<Temporal> {
    let text = text.trim();
    let (text, named) = match text.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((text, name)) => (text, Some(zone::named(name)?)),
        None => (text, None),
    };
    whole(text, |it| {
        let (days, ns) = date_and_time(it)?;
        let said = if it.0.is_empty() { None } else { Some(it.offset()?) };
        let offset_s = match &named {
            // What the zone says of this time counts, unless the text names an offset that it may have then.
            Some(name) => zone::offset_at_local(name, days, ns).or(said)?,
            None => said.unwrap_or(0),
        };
        Some(Temporal::DateTime { days, ns, offset_s, zone: named.clone() })
    })
}

/// `+01:00`, `Z` or a name: the offset, or the name.
pub(crate) fn time_zone(text: &str) -> Option<Result<i32, Arc<str>>> {
    match whole(text, Reader::offset) {
        Some(offset) => Some(Ok(offset)),
        None => zone::named(text).map(Err),
    }
}

pub(crate) fn duration(text: &str) -> Option<Temporal> {
    let text = text.trim();
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |it| (true, it));
    let text = text.strip_prefix('P')?;
    let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
    if date.is_empty() && time.is_none_or(str::is_empty) {
        return None;
    }
    let found = combined(date, time).or_else(|| designated(date, time.unwrap_or_default()))?;
    if negative { found.scaled(-1.0) } else { Some(found) }
}

/// `2012-02-02T14:37:21.545`
fn combined(date: &str, time: Option<&str>) -> Option<Temporal> {
    let parts = whole(date, |it| {
        let year = it.number(4)?;
        let month = it.eat('-').then(|| it.number(2)).flatten()?;
        Some((year * 12 + month, it.eat('-').then(|| it.number(2)).flatten()?))
    })?;
    let ns = match time {
        Some(time) => whole(time, Reader::time)?,
        None => 0,
    };
    Temporal::of_parts(parts.0, parts.1, 0, ns)
}

/// `12Y5M14D` and `16H12M70.5S`
#[expect(clippy::cast_possible_truncation, reason = "floats saturate; out of range is None")]
fn designated(date: &str, time: &str) -> Option<Temporal> {
    let (mut months, mut days, mut ns) = (0.0, 0.0, 0_i128);
    for (text, units) in [
        (date, &[('Y', 12.0), ('M', 1.0), ('W', 7.0), ('D', 1.0)][..]),
        (time, &[('H', 3_600.0), ('M', 60.0), ('S', 1.0)]),
    ] {
        let (in_date, mut rest, mut units) = (std::ptr::eq(text, date), text, units.iter());
        while !rest.is_empty() {
            let end = rest.find(|it: char| it.is_ascii_uppercase())?;
            let (number, after) = rest.split_at(end);
            let unit = after.chars().next()?;
            // In their order, each once.
            let (_, per) = units.by_ref().find(|it| it.0 == unit)?;
            let plain = number.bytes().all(|it| it.is_ascii_digit() || b"+-.".contains(&it));
            let value: f64 = number.parse().ok().filter(|_| plain)?;
            match unit {
                'Y' => months += value * per,
                'M' if in_date => months += value,
                'W' | 'D' => days += value * per,
                _ => {
                    let exact = ((value * per).trunc() as i128).saturating_mul(1_000_000_000);
                    let exact = exact.saturating_add(((value * per).fract() * 1e9).round() as i128);
                    ns = ns.checked_add(exact)?;
                }
            }
            rest = &after[1..];
        }
    }
    Temporal::duration(months, days, ns)
}
