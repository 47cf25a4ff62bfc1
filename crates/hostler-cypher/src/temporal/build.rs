//! Temporal values from maps and from each other.

use std::sync::Arc;

use super::{
    DAY_NS, SECOND_NS, Temporal, YEAR_MAX, date_of, days_of, first_monday, month_days, plus_months, read,
    week_day, week_of, zone,
};
use crate::value::{Map, Value};

/// Which of the five points in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
}

/// What is wrong, for people.
type Built<T> = Result<T, String>;

/// Where a time is told: an offset, and the zone that it follows from, if one is named.
type Place = (i32, Option<Arc<str>>);

impl Temporal {
    fn place(&self) -> Option<Place> {
        match self {
            Self::Time { offset_s, .. } => Some((*offset_s, None)),
            Self::DateTime { offset_s, zone, .. } => Some((*offset_s, zone.clone())),
            _ => None,
        }
    }

    /// The same moment, or the same time on a clock where no place is known, in another shape.
    pub(crate) fn shaped(&self, shape: Shape) -> Built<Self> {
        let days = self.date();
        let lacks = || format!("{} has no date", self.type_name());
        let ns = self.time().unwrap_or(0);
        Ok(match shape {
            Shape::Date => Self::Date { days: days.ok_or_else(lacks)? },
            Shape::LocalTime => Self::LocalTime { ns },
            Shape::Time => Self::Time { ns, offset_s: self.offset_s().unwrap_or(0) },
            Shape::LocalDateTime => Self::LocalDateTime { days: days.ok_or_else(lacks)?, ns },
            Shape::DateTime => {
                let (offset_s, zone) = self.place().unwrap_or((0, None));
                Self::DateTime { days: days.ok_or_else(lacks)?, ns, offset_s, zone }
            }
        })
    }
}

pub(crate) fn parse(shape: Shape, text: &str) -> Option<Temporal> {
    match shape {
        Shape::Date => read::date(text),
        Shape::LocalTime => read::local_time(text),
        Shape::Time => read::time(text),
        Shape::LocalDateTime => read::local_date_time(text),
        Shape::DateTime => read::date_time(text),
    }
}

fn integer(map: &Map, key: &str) -> Built<Option<i64>> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Integer(it)) => Ok(Some(*it)),
        Some(it) => Err(format!("`{key}` is an integer, not {}", it.type_name())),
    }
}

fn ranged(map: &Map, key: &str, least: i64, most: i64) -> Built<Option<i64>> {
    match integer(map, key)? {
        Some(it) if !(least..=most).contains(&it) => {
            Err(format!("`{key}` is from {least} to {most}, not {it}"))
        }
        it => Ok(it),
    }
}

fn temporal<'m>(map: &'m Map, key: &str) -> Built<Option<&'m Temporal>> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Temporal(it)) if !it.is_duration() => Ok(Some(it)),
        Some(it) => Err(format!("`{key}` is a temporal value, not {}", it.type_name())),
    }
}

/// The date that a map tells; what it leaves out is that of the base, or the first.
fn date_from(map: &Map, base: Option<i64>) -> Built<i64> {
    let year = ranged(map, "year", -YEAR_MAX, YEAR_MAX)?;
    let base_date = base.map(date_of);
    let needed =
        |it: Option<i64>| it.or(base_date.map(|it| it.0)).ok_or_else(|| "a date needs a `year`".to_owned());
    let week_day_said = ranged(map, "dayOfWeek", 1, 7)?.or(ranged(map, "weekDay", 1, 7)?);
    if let Some(week) = ranged(map, "week", 1, 53)? {
        let year = needed(year.or(base.map(|it| week_of(it).0)))?;
        let day = week_day_said.or(base.map(week_day)).unwrap_or(1);
        return Ok(first_monday(year) + (week - 1) * 7 + day - 1);
    }
    if let (Some(day), Some(base)) = (week_day_said, base) {
        return Ok(base - week_day(base) + day);
    }
    let day_of_year = ranged(map, "ordinalDay", 1, 366)?;
    if let Some(day) = day_of_year {
        let year = needed(year)?;
        if day > days_of(year + 1, 1, 1) - days_of(year, 1, 1) {
            return Err(format!("the year {year} has no day {day}"));
        }
        return Ok(days_of(year, 1, 1) + day - 1);
    }
    let quarter = ranged(map, "quarter", 1, 4)?;
    let day_of_quarter = ranged(map, "dayOfQuarter", 1, 92)?;
    let day_said = ranged(map, "day", 1, 31)?;
    if quarter.is_some() || day_of_quarter.is_some() {
        let year = needed(year)?;
        let quarter = quarter.or(base_date.map(|it| (it.1 - 1) / 3 + 1)).unwrap_or(1);
        let start = days_of(year, quarter * 3 - 2, 1);
        if let Some(day) = day_of_quarter {
            return Ok(start + day - 1);
        }
        let Some((_, month, day)) = base_date else { return Ok(start + day_said.unwrap_or(1) - 1) };
        let month = quarter * 3 - 2 + (month - 1) % 3;
        return Ok(days_of(year, month, day_said.unwrap_or(day).min(month_days(year, month))));
    }
    let year = needed(year)?;
    let month = ranged(map, "month", 1, 12)?.or(base_date.map(|it| it.1)).unwrap_or(1);
    let most = month_days(year, month);
    match day_said {
        Some(day) if day > most => Err(format!("the month {month} of {year} has no day {day}")),
        Some(day) => Ok(days_of(year, month, day)),
        None => Ok(days_of(year, month, base_date.map_or(1, |it| it.2).min(most))),
    }
}

/// Nanoseconds since midnight; what the map leaves out is that of the base, or 0.
fn time_from(map: &Map, base: Option<i64>) -> Built<i64> {
    let base = base.unwrap_or(0);
    let hour = ranged(map, "hour", 0, 23)?.unwrap_or(base / (3_600 * SECOND_NS));
    let minute = ranged(map, "minute", 0, 59)?.unwrap_or(base / (60 * SECOND_NS) % 60);
    let second = ranged(map, "second", 0, 59)?.unwrap_or(base / SECOND_NS % 60);
    let milli = ranged(map, "millisecond", 0, 999)?;
    let micro = ranged(map, "microsecond", 0, if milli.is_some() { 999 } else { 999_999 })?;
    let finer = milli.is_some() || micro.is_some();
    let nano = ranged(map, "nanosecond", 0, if finer { 999 } else { 999_999_999 })?;
    let fraction =
        milli.unwrap_or(if micro.is_some_and(|it| it > 999) { 0 } else { base / 1_000_000 % 1_000 })
            * 1_000_000
            + micro.unwrap_or(base / 1_000 % 1_000) * 1_000
            + nano.unwrap_or(base % 1_000);
    let fraction = if nano.is_some_and(|it| it > 999) { nano.unwrap_or(0) } else { fraction };
    Ok((hour * 3_600 + minute * 60 + second) * SECOND_NS + fraction)
}

fn place_from(map: &Map, days: i64, ns: i64) -> Built<Option<Place>> {
    let text = match map.get("timezone") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(it)) => it,
        Some(it) => return Err(format!("`timezone` is a string, not {}", it.type_name())),
    };
    match read::time_zone(text) {
        Some(Ok(offset)) => Ok(Some((offset, None))),
        Some(Err(name)) => {
            let offset = zone::offset_at_local(&name, days, ns)
                .ok_or_else(|| format!("nothing is known of `{name}` then"))?;
            Ok(Some((offset, Some(name))))
        }
        None => Err(format!("there is no time zone `{text}`")),
    }
}

/// Moved to what clocks show elsewhere at the same moment.
fn moved(days: i64, ns: i64, by_s: i64) -> (i64, i64) {
    let total = ns + by_s * SECOND_NS;
    (days + total.div_euclid(DAY_NS), total.rem_euclid(DAY_NS))
}

/// The offset that clocks at a place have at a moment.
fn offset_then(place: &Place, days: i64, ns: i64, offset_s: i32) -> Option<i32> {
    match &place.1 {
        Some(name) => zone::offset_at(name, days * 86_400 + ns / SECOND_NS - i64::from(offset_s)),
        None => Some(place.0),
    }
}

pub(crate) fn from_map(shape: Shape, map: &Map) -> Built<Temporal> {
    let whole = temporal(map, "datetime")?;
    if let (Shape::DateTime, Some(epoch)) = (shape, epoch(map)?) {
        return Ok(epoch);
    }
    let of_date = temporal(map, "date")?.or(whole);
    let of_time = temporal(map, "time")?.or(whole);
    let mut days = match shape {
        Shape::LocalTime | Shape::Time => 0,
        _ => date_from(map, of_date.and_then(Temporal::date))?,
    };
    let mut base_ns = of_time.and_then(Temporal::time);
    let mut base_place = of_time.and_then(Temporal::place);
    // A moment is told in another place: what clocks show there is the base of what else the map says.
    if let (Some(told), Some(ns)) = (&base_place, base_ns) {
        // On another date, the named zone may have another offset.
        let offset = match &told.1 {
            Some(name) => zone::offset_at_local(name, days, ns).unwrap_or(told.0),
            None => told.0,
        };
        if let Some(place) = place_from(map, days, ns)? {
            let there = offset_then(&place, days, ns, offset).unwrap_or(place.0);
            let (day, ns) = moved(days, ns, i64::from(there) - i64::from(offset));
            base_ns = Some(ns);
            days = if matches!(shape, Shape::LocalTime | Shape::Time) { 0 } else { day };
        }
        base_place = Some((offset, told.1.clone()));
    }
    let ns = if shape == Shape::Date { 0 } else { time_from(map, base_ns)? };
    assembled(shape, map, days, ns, base_place)
}

fn assembled(shape: Shape, map: &Map, days: i64, ns: i64, base: Option<Place>) -> Built<Temporal> {
    Ok(match shape {
        Shape::Date => Temporal::Date { days },
        Shape::LocalTime => Temporal::LocalTime { ns },
        Shape::LocalDateTime => Temporal::LocalDateTime { days, ns },
        Shape::Time => {
            let (offset_s, _) = place_from(map, days, ns)?.or(base).unwrap_or((0, None));
            Temporal::Time { ns, offset_s }
        }
        Shape::DateTime => {
            let (mut offset_s, zone) = place_from(map, days, ns)?.or(base).unwrap_or((0, None));
            if let Some(name) = &zone {
                offset_s = zone::offset_at_local(name, days, ns).unwrap_or(offset_s);
            }
            Temporal::DateTime { days, ns, offset_s, zone }
        }
    })
}

fn epoch(map: &Map) -> Built<Option<Temporal>> {
    let nano = ranged(map, "nanosecond", 0, 999_999_999)?.unwrap_or(0);
    if let Some(seconds) = integer(map, "epochSeconds")? {
        return Ok(Some(from_epoch(i128::from(seconds) * i128::from(SECOND_NS) + i128::from(nano))?));
    }
    match integer(map, "epochMillis")? {
        Some(millis) => Ok(Some(from_epoch(i128::from(millis) * 1_000_000 + i128::from(nano))?)),
        None => Ok(None),
    }
}

/// Nanoseconds since 1970, at Greenwich.
pub(crate) fn from_epoch(ns: i128) -> Built<Temporal> {
    let days = i64::try_from(ns.div_euclid(i128::from(DAY_NS))).ok().filter(|it| it.abs() < YEAR_MAX * 366);
    let days = days.ok_or_else(|| "the time is too far away".to_owned())?;
    let ns = i64::try_from(ns.rem_euclid(i128::from(DAY_NS))).unwrap_or(0);
    Ok(Temporal::DateTime { days, ns, offset_s: 0, zone: None })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "floats saturate; out of range is an error"
)]
pub(crate) fn duration_from(map: &Map) -> Built<Temporal> {
    let (mut months, mut days, mut ns) = (0.0, 0.0, 0_i128);
    for (key, value) in map {
        let (into, per) = match &**key {
            "years" => (0, 12),
            "quarters" => (0, 3),
            "months" => (0, 1),
            "weeks" => (1, 7),
            "days" => (1, 1),
            "hours" => (2, 3_600 * SECOND_NS),
            "minutes" => (2, 60 * SECOND_NS),
            "seconds" => (2, SECOND_NS),
            "milliseconds" => (2, 1_000_000),
            "microseconds" => (2, 1_000),
            "nanoseconds" => (2, 1),
            _ => return Err(format!("a duration has no `{key}`")),
        };
        match (into, value) {
            (_, Value::Null) => {}
            (0, Value::Integer(it)) => months += *it as f64 * per as f64,
            (0, Value::Float(it)) => months += it * per as f64,
            (1, Value::Integer(it)) => days += *it as f64 * per as f64,
            (1, Value::Float(it)) => days += it * per as f64,
            (_, Value::Integer(it)) => ns += i128::from(*it) * i128::from(per),
            (_, Value::Float(it)) => {
                let exact = (it.trunc() as i128).saturating_mul(i128::from(per));
                ns = ns.saturating_add(exact).saturating_add((it.fract() * per as f64).round() as i128);
            }
            (_, it) => return Err(format!("`{key}` is a number, not {}", it.type_name())),
        }
    }
    Temporal::duration(months, days, ns).ok_or_else(|| "the duration is too long".to_owned())
}

/// The start of the unit that a time lies in; the map then sets finer parts.
pub(crate) fn truncated(shape: Shape, unit: &str, from: &Temporal, map: &Map) -> Built<Temporal> {
    let days = from.date();
    let ns = from.time().unwrap_or(0);
    let coarse = |days: Option<i64>| -> Built<i64> {
        let days =
            days.ok_or_else(|| format!("{} has no date to be truncated to a {unit}", from.type_name()))?;
        let (year, month, _) = date_of(days);
        Ok(match unit {
            "millennium" => days_of(year.div_euclid(1_000) * 1_000, 1, 1),
            "century" => days_of(year.div_euclid(100) * 100, 1, 1),
            "decade" => days_of(year.div_euclid(10) * 10, 1, 1),
            "year" => days_of(year, 1, 1),
            "weekYear" => first_monday(week_of(days).0),
            "quarter" => days_of(year, (month - 1) / 3 * 3 + 1, 1),
            "month" => days_of(year, month, 1),
            "week" => days + 1 - week_day(days),
            _ => days,
        })
    };
    let fine = match unit {
        "hour" => Some(3_600 * SECOND_NS),
        "minute" => Some(60 * SECOND_NS),
        "second" => Some(SECOND_NS),
        "millisecond" => Some(1_000_000),
        "microsecond" => Some(1_000),
        "day" | "millennium" | "century" | "decade" | "year" | "weekYear" | "quarter" | "month" | "week" => {
            None
        }
        _ => return Err(format!("there is no unit `{unit}` to truncate to")),
    };
    let ns = fine.map_or(0, |it| ns - ns % it);
    let of_time = matches!(shape, Shape::LocalTime | Shape::Time);
    if of_time && fine.is_none() && unit != "day" {
        return Err(format!("a time cannot be truncated to a {unit}"));
    }
    if shape == Shape::Date && fine.is_some() {
        return Err(format!("a date cannot be truncated to a {unit}"));
    }
    let days = if of_time { 0 } else { date_from(map, Some(coarse(days)?))? };
    let ns = if shape == Shape::Date { 0 } else { time_from(map, Some(ns))? };
    assembled(shape, map, days, ns, from.place())
}

/// How a duration between two times is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Parts,
    Months,
    Days,
    Seconds,
}

pub(crate) fn between(measure: Measure, from: &Temporal, to: &Temporal) -> Built<Temporal> {
    let long = || "the duration is too long".to_owned();
    if from.is_duration() || to.is_duration() {
        return Err("a duration lies between two times, not between durations".to_owned());
    }
    // A time without a place is told where the other one is.
    let place = from.place().or_else(|| to.place());
    let common = from.date().or(to.date());
    let settled = |it: &Temporal| -> (i64, i64, i64) {
        let (days, ns) = (it.date().or(common).unwrap_or(0), it.time().unwrap_or(0));
        let own = it.place().or_else(|| place.clone());
        let offset = match &own {
            Some((offset, Some(name))) if common.is_some() => {
                zone::offset_at_local(name, days, ns).unwrap_or(*offset)
            }
            Some((offset, _)) => *offset,
            None => 0,
        };
        (days, ns, i64::from(offset))
    };
    let (a, mut b) = (settled(from), settled(to));
    let dated = from.date().is_some() && to.date().is_some();
    let total = |it: (i64, i64, i64)| {
        i128::from(it.0) * i128::from(DAY_NS) + i128::from(it.1) - i128::from(it.2) * i128::from(SECOND_NS)
    };
    if measure == Measure::Seconds || !dated {
        let elapsed = total(b) - total(a);
        if measure != Measure::Seconds && measure != Measure::Parts {
            return Ok(Temporal::Duration { months: 0, days: 0, seconds: 0, ns: 0 });
        }
        let second = i128::from(SECOND_NS);
        let seconds = i64::try_from(elapsed.div_euclid(second)).map_err(|_| long())?;
        return Temporal::of_parts(0, 0, seconds, i64::try_from(elapsed.rem_euclid(second)).unwrap_or(0))
            .ok_or_else(long);
    }
    // What clocks at the first place show.
    if from.place().is_some() && to.place().is_some() {
        let zone = place.as_ref().and_then(|it| it.1.as_ref());
        let there = zone
            .and_then(|name| zone::offset_at(name, b.0 * 86_400 + b.1 / SECOND_NS - b.2))
            .map_or(a.2, i64::from);
        let (days, ns) = moved(b.0, b.1, there - b.2);
        b = (days, ns, there);
    }
    let forward = (b.0, b.1) >= (a.0, a.1);
    let passed = |days: i64| if forward { (days, a.1) <= (b.0, b.1) } else { (days, a.1) >= (b.0, b.1) };
    let mut months = 0;
    if matches!(measure, Measure::Parts | Measure::Months) {
        let ((from_year, from_month, _), (to_year, to_month, _)) = (date_of(a.0), date_of(b.0));
        months = (to_year - from_year) * 12 + to_month - from_month;
        if months != 0 && !passed(plus_months(a.0, months)) {
            months += if forward { -1 } else { 1 };
        }
    }
    let start = plus_months(a.0, months);
    let rest = i128::from(b.0 - start) * i128::from(DAY_NS) + i128::from(b.1 - a.1);
    let days = i64::try_from(rest / i128::from(DAY_NS)).map_err(|_| long())?;
    // What is left is time that really passes, even where clocks are set in between.
    let named = place.as_ref().and_then(|it| it.1.as_ref());
    let offset = named.and_then(|it| zone::offset_at_local(it, start + days, a.1)).map_or(a.2, i64::from);
    let ns = i64::try_from(total(b) - total((start + days, a.1, offset))).map_err(|_| long())?;
    let built = match measure {
        Measure::Months => Temporal::of_parts(months, 0, 0, 0),
        Measure::Days => Temporal::of_parts(0, days, 0, 0),
        _ => Temporal::of_parts(months, days, 0, ns),
    };
    built.ok_or_else(long)
}
