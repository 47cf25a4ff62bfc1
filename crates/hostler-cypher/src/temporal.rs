//! Dates, times and durations, on the proleptic Gregorian calendar.

use std::cmp::Ordering;
use std::fmt::{Display, Formatter};
use std::sync::Arc;

use crate::value::Value;

pub(crate) mod build;
pub(crate) mod read;
pub(crate) mod zone;

pub(crate) const DAY_NS: i64 = 86_400_000_000_000;
pub(crate) const SECOND_NS: i64 = 1_000_000_000;

/// A temporal value. Days count from 1970-01-01, nanoseconds from midnight, offsets are seconds east of Greenwich.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Temporal {
    Date {
        days: i64,
    },
    LocalTime {
        ns: i64,
    },
    Time {
        ns: i64,
        offset_s: i32,
    },
    LocalDateTime {
        days: i64,
        ns: i64,
    },
    /// Days and nanoseconds are those of the place.
    DateTime {
        days: i64,
        ns: i64,
        offset_s: i32,
        zone: Option<Arc<str>>,
    },
    Duration {
        months: i64,
        days: i64,
        seconds: i64,
        ns: i32,
    },
}

/// Years beyond are refused.
pub(crate) const YEAR_MAX: i64 = 999_999_999;

/// Days since 1970-01-01 of a date.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month, day.
pub(crate) fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

pub(crate) fn month_days(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_of(next_year, next, 1) - days_of(year, month, 1)
}

/// From 1 for Monday.
pub(crate) fn week_day(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// Year of the week, and its number.
pub(crate) fn week_of(days: i64) -> (i64, i64) {
    let thursday = days + 4 - week_day(days);
    let (year, ..) = date_of(thursday);
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

/// The Monday of the first week of a year.
pub(crate) fn first_monday(year: i64) -> i64 {
    let fourth = days_of(year, 1, 4);
    fourth + 1 - week_day(fourth)
}

/// A date some months later; the day is the last of the month where it has not as many.
pub(crate) fn plus_months(days: i64, months: i64) -> i64 {
    let (year, month, day) = date_of(days);
    let total =
        (year * 12 + month - 1).saturating_add(months).clamp(-12 * (YEAR_MAX + 1), 12 * (YEAR_MAX + 1));
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
    days_of(year, month, day.min(month_days(year, month)))
}

impl Value {
    /// A temporal value.
    pub fn temporal(it: Temporal) -> Self {
        Self::Temporal(Arc::new(it))
    }
}

impl Temporal {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Date { .. } => "a date",
            Self::LocalTime { .. } => "a local time",
            Self::Time { .. } => "a time",
            Self::LocalDateTime { .. } => "a local date and time",
            Self::DateTime { .. } => "a date and time",
            Self::Duration { .. } => "a duration",
        }
    }

    pub(crate) fn is_duration(&self) -> bool {
        matches!(self, Self::Duration { .. })
    }

    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::DateTime { .. } => 0,
            Self::LocalDateTime { .. } => 1,
            Self::Date { .. } => 2,
            Self::Time { .. } => 3,
            Self::LocalTime { .. } => 4,
            Self::Duration { .. } => 5,
        }
    }

    pub(crate) fn date(&self) -> Option<i64> {
        match self {
            Self::Date { days } | Self::LocalDateTime { days, .. } | Self::DateTime { days, .. } => {
                Some(*days)
            }
            _ => None,
        }
    }

    /// Nanoseconds since midnight.
    pub(crate) fn time(&self) -> Option<i64> {
        match self {
            Self::LocalTime { ns }
            | Self::Time { ns, .. }
            | Self::LocalDateTime { ns, .. }
            | Self::DateTime { ns, .. } => Some(*ns),
            _ => None,
        }
    }

    pub(crate) fn offset_s(&self) -> Option<i32> {
        match self {
            Self::Time { offset_s, .. } | Self::DateTime { offset_s, .. } => Some(*offset_s),
            _ => None,
        }
    }

    /// Seconds and nanoseconds since the start of 1970, at Greenwich where an offset is known.
    pub(crate) fn instant(&self) -> (i64, i64) {
        let ns = self.time().unwrap_or(0);
        let seconds =
            self.date().unwrap_or(0) * 86_400 + ns / SECOND_NS - i64::from(self.offset_s().unwrap_or(0));
        (seconds, ns % SECOND_NS)
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Time { .. }, Self::Time { .. }) | (Self::DateTime { .. }, Self::DateTime { .. }) => {
                self.instant() == other.instant()
            }
            _ => self == other,
        }
    }

    /// `None`: durations, and values of different kinds.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        (self.rank() == other.rank() && !self.is_duration()).then(|| self.instant().cmp(&other.instant()))
    }

    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let length = |it: &Self| match it {
            Self::Duration { months, days, seconds, ns } => {
                // An average month.
                (i128::from(*months) * 2_629_746 + i128::from(*days) * 86_400 + i128::from(*seconds), *ns)
            }
            _ => (0, 0),
        };
        match self {
            Self::Duration { .. } => length(self).cmp(&length(other)),
            _ => self.instant().cmp(&other.instant()).then_with(|| self.offset_s().cmp(&other.offset_s())),
        }
    }

    /// A duration from parts that may be fractions: what is left of a larger part goes to the smaller ones.
    #[expect(clippy::cast_possible_truncation, reason = "floats saturate; out of range is None")]
    pub(crate) fn duration(months: f64, days: f64, ns: i128) -> Option<Self> {
        let whole_months = months.trunc();
        // The average month has 30.436875 days.
        let days = days + (months - whole_months) * 30.436_875;
        let whole_days = days.trunc();
        let total = ns.checked_add(((days - whole_days) * 86_400.0 * 1e9).round() as i128)?;
        let fits = |it: f64| (it.abs() < 9.0e18).then_some(it as i64);
        let second = i128::from(SECOND_NS);
        let seconds = i64::try_from(total.div_euclid(second)).ok()?;
        Self::of_parts(
            fits(whole_months)?,
            fits(whole_days)?,
            seconds,
            i64::try_from(total.rem_euclid(second)).ok()?,
        )
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::float_cmp,
        reason = "a factor is a float; -1 is exact"
    )]
    pub(crate) fn scaled(&self, factor: f64) -> Option<Self> {
        let Self::Duration { months, days, seconds, ns } = self else { return None };
        if !factor.is_finite() {
            return None;
        }
        let total = i128::from(*seconds) * i128::from(SECOND_NS) + i128::from(*ns);
        let total = if factor == -1.0 { -total } else { (total as f64 * factor) as i128 };
        Self::duration(*months as f64 * factor, *days as f64 * factor, total)
    }

    /// A duration of whole parts.
    pub(crate) fn of_parts(months: i64, days: i64, seconds: i64, ns: i64) -> Option<Self> {
        let seconds = seconds.checked_add(ns.div_euclid(SECOND_NS))?;
        Some(Self::Duration { months, days, seconds, ns: i32::try_from(ns.rem_euclid(SECOND_NS)).ok()? })
    }

    /// This and a duration, or the duration and this; `sign` is -1 to take it away.
    pub(crate) fn plus(&self, other: &Self, sign: i64) -> Option<Self> {
        let (at, Self::Duration { months, days, seconds, ns }) = (self, other) else {
            return if sign > 0 && self.is_duration() && !other.is_duration() {
                other.plus(self, 1)
            } else {
                None
            };
        };
        let (months, more_days) = (months.checked_mul(sign)?, days.checked_mul(sign)?);
        let (seconds, more_ns) = (seconds.checked_mul(sign)?, i64::from(*ns) * sign);
        if let Self::Duration { months: a, days: b, seconds: c, ns: d } = at {
            return Self::of_parts(
                a.checked_add(months)?,
                b.checked_add(more_days)?,
                c.checked_add(seconds)?,
                i64::from(*d) + more_ns,
            );
        }
        let total = i128::from(at.time().unwrap_or(0))
            + i128::from(seconds) * i128::from(SECOND_NS)
            + i128::from(more_ns);
        let carried = i64::try_from(total.div_euclid(i128::from(DAY_NS))).ok()?;
        let ns = i64::try_from(total.rem_euclid(i128::from(DAY_NS))).ok()?;
        let moved = |days: i64| -> Option<i64> {
            let days = plus_months(days, months).checked_add(more_days)?.checked_add(carried)?;
            (days.abs() < YEAR_MAX * 366).then_some(days)
        };
        Some(match at {
            Self::Date { days } => {
                // A date counts whole days of the time that is added, in the direction of the duration.
                let whole = i64::try_from(
                    (i128::from(seconds) * i128::from(SECOND_NS) + i128::from(more_ns)) / i128::from(DAY_NS),
                );
                let days = plus_months(*days, months).checked_add(more_days)?.checked_add(whole.ok()?)?;
                if days.abs() >= YEAR_MAX * 366 {
                    return None;
                }
                Self::Date { days }
            }
            Self::LocalTime { .. } => Self::LocalTime { ns },
            Self::Time { offset_s, .. } => Self::Time { ns, offset_s: *offset_s },
            Self::LocalDateTime { days, .. } => Self::LocalDateTime { days: moved(*days)?, ns },
            Self::DateTime { days, offset_s, zone, .. } => {
                let days = moved(*days)?;
                let offset_s =
                    zone.as_ref().map_or(Some(*offset_s), |it| zone::offset_at_local(it, days, ns))?;
                Self::DateTime { days, ns, offset_s, zone: zone.clone() }
            }
            Self::Duration { .. } => return None,
        })
    }

    /// `value.year` and the like.
    pub(crate) fn component(&self, key: &str) -> Option<Value> {
        if let Self::Duration { months, days, seconds, ns } = self {
            return duration_component(key, *months, *days, *seconds, i64::from(*ns)).map(Value::Integer);
        }
        if let Some(days) = self.date() {
            let (year, month, day) = date_of(days);
            let quarter = (month - 1) / 3;
            let (week_year, week) = week_of(days);
            let found = match key {
                "year" => Some(year),
                "quarter" => Some(quarter + 1),
                "month" => Some(month),
                "week" => Some(week),
                "weekYear" => Some(week_year),
                "day" => Some(day),
                "dayOfQuarter" | "quarterDay" => Some(days - days_of(year, quarter * 3 + 1, 1) + 1),
                "ordinalDay" => Some(days - days_of(year, 1, 1) + 1),
                "dayOfWeek" | "weekDay" => Some(week_day(days)),
                _ => None,
            };
            if found.is_some() {
                return found.map(Value::Integer);
            }
        }
        if let Some(ns) = self.time() {
            let found = match key {
                "hour" => Some(ns / (3_600 * SECOND_NS)),
                "minute" => Some(ns / (60 * SECOND_NS) % 60),
                "second" => Some(ns / SECOND_NS % 60),
                "millisecond" => Some(ns / 1_000_000 % 1_000),
                "microsecond" => Some(ns / 1_000 % 1_000_000),
                "nanosecond" => Some(ns % SECOND_NS),
                _ => None,
            };
            if found.is_some() {
                return found.map(Value::Integer);
            }
        }
        if let Some(offset) = self.offset_s() {
            let (seconds, ns) = self.instant();
            let zoned = matches!(self, Self::DateTime { .. });
            return match key {
                "offset" => Some(Value::from(offset_text(offset))),
                "offsetMinutes" => Some(Value::Integer(i64::from(offset / 60))),
                "offsetSeconds" => Some(Value::Integer(i64::from(offset))),
                "timezone" => Some(match self {
                    Self::DateTime { zone: Some(zone), .. } => Value::String(zone.clone()),
                    _ => Value::from(offset_text(offset)),
                }),
                "epochSeconds" if zoned => Some(Value::Integer(seconds)),
                "epochMillis" if zoned => {
                    seconds.checked_mul(1_000).map(|it| Value::Integer(it + ns / 1_000_000))
                }
                _ => None,
            };
        }
        None
    }
}

fn duration_component(key: &str, months: i64, days: i64, seconds: i64, ns: i64) -> Option<i64> {
    // Towards zero, as a person reads it; the nanoseconds always count upwards from the second below.
    let seconds_and = |per: i64| -> Option<i64> {
        let total = i128::from(seconds) * i128::from(SECOND_NS) + i128::from(ns);
        i64::try_from(total / i128::from(per)).ok()
    };
    Some(match key {
        "years" => months / 12,
        "quarters" => months / 3,
        "months" => months,
        "weeks" => days / 7,
        "days" => days,
        "hours" => seconds / 3_600,
        "minutes" => seconds / 60,
        "seconds" => seconds,
        "milliseconds" => seconds_and(1_000_000)?,
        "microseconds" => seconds_and(1_000)?,
        "nanoseconds" => seconds_and(1)?,
        "quartersOfYear" => months / 3 % 4,
        "monthsOfQuarter" => months % 3,
        "monthsOfYear" => months % 12,
        "daysOfWeek" => days % 7,
        "minutesOfHour" => seconds / 60 % 60,
        "secondsOfMinute" => seconds % 60,
        "millisecondsOfSecond" => ns / 1_000_000,
        "microsecondsOfSecond" => ns / 1_000,
        "nanosecondsOfSecond" => ns,
        _ => return None,
    })
}

/// `Z`, `+01:00`, `-05:30:15`.
pub(crate) fn offset_text(offset_s: i32) -> String {
    if offset_s == 0 {
        return "Z".to_owned();
    }
    let sign = if offset_s < 0 { '-' } else { '+' };
    let size = offset_s.abs();
    let seconds = if size % 60 == 0 { String::new() } else { format!(":{:02}", size % 60) };
    format!("{sign}{:02}:{:02}{seconds}", size / 3_600, size / 60 % 60)
}

fn write_date(out: &mut Formatter<'_>, days: i64) -> std::fmt::Result {
    let (year, month, day) = date_of(days);
    match year {
        0..=9_999 => write!(out, "{year:04}-{month:02}-{day:02}"),
        10_000.. => write!(out, "+{year}-{month:02}-{day:02}"),
        _ => write!(out, "-{:04}-{month:02}-{day:02}", -year),
    }
}

fn write_time(out: &mut Formatter<'_>, ns: i64) -> std::fmt::Result {
    write!(out, "{:02}:{:02}", ns / (3_600 * SECOND_NS), ns / (60 * SECOND_NS) % 60)?;
    let (seconds, fraction) = (ns / SECOND_NS % 60, ns % SECOND_NS);
    if seconds != 0 || fraction != 0 {
        write!(out, ":{seconds:02}")?;
    }
    write_fraction(out, fraction)
}

fn write_fraction(out: &mut Formatter<'_>, fraction: i64) -> std::fmt::Result {
    if fraction == 0 { Ok(()) } else { write!(out, ".{}", format!("{fraction:09}").trim_end_matches('0')) }
}

impl Display for Temporal {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Date { days } => write_date(out, *days),
            Self::LocalTime { ns } => write_time(out, *ns),
            Self::Time { ns, offset_s } => {
                write_time(out, *ns)?;
                out.write_str(&offset_text(*offset_s))
            }
            Self::LocalDateTime { days, ns } => {
                write_date(out, *days)?;
                out.write_str("T")?;
                write_time(out, *ns)
            }
            Self::DateTime { days, ns, offset_s, zone } => {
                write_date(out, *days)?;
                out.write_str("T")?;
                write_time(out, *ns)?;
                out.write_str(&offset_text(*offset_s))?;
                zone.iter().try_for_each(|it| write!(out, "[{it}]"))
            }
            Self::Duration { months, days, seconds, ns } => {
                write_duration(out, *months, *days, *seconds, i64::from(*ns))
            }
        }
    }
}

fn write_duration(
    out: &mut Formatter<'_>,
    months: i64,
    days: i64,
    seconds: i64,
    ns: i64,
) -> std::fmt::Result {
    out.write_str("P")?;
    for (amount, unit) in [(months / 12, 'Y'), (months % 12, 'M'), (days, 'D')] {
        if amount != 0 {
            write!(out, "{amount}{unit}")?;
        }
    }
    // The sign is that of the whole: -1 s and 500,000,000 ns are -0.5 s.
    let (seconds, fraction) =
        if seconds < 0 && ns > 0 { (seconds + 1, SECOND_NS - ns) } else { (seconds, ns) };
    let negative = seconds < 0 || (fraction > 0 && seconds == 0 && ns != fraction);
    if seconds == 0 && fraction == 0 {
        return out.write_str(if months == 0 && days == 0 { "T0S" } else { "" });
    }
    out.write_str("T")?;
    for (amount, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
        if amount != 0 {
            write!(out, "{amount}{unit}")?;
        }
    }
    let rest = (seconds % 60).abs();
    if rest != 0 || fraction != 0 {
        write!(out, "{}{rest}", if negative { "-" } else { "" })?;
        write_fraction(out, fraction)?;
        out.write_str("S")?;
    }
    Ok(())
}
