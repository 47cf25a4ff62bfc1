use super::{bash, render};
#[test]
#[ignore = "by hand"]
#[allow(clippy::all, clippy::disallowed_methods)]
fn look() {
    let path = std::env::var("EVIDENCE_ROWS").unwrap();
    let mut total = std::time::Duration::ZERO;
    let mut n = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let t = std::time::Instant::now();
        let found =
            bash(row["c"].as_str().unwrap(), row["ok"].as_bool().unwrap(), row["o"].as_str().unwrap());
        total += t.elapsed();
        n += 1;
        let mut text = format!("$ {}\n", row["c"].as_str().unwrap().chars().take(400).collect::<String>());
        text.push_str(&format!("  = {}\n", found.summary));
        for line in render(&found) {
            text.push_str(&format!("  {line}\n"));
        }
        if let Some(failure) = &found.failure {
            text.push_str(&format!("  why: {}\n", failure.message));
        }
        if !found.notable.is_empty() {
            text.push_str(&format!("  notable: {:?}\n", found.notable));
        }
        if std::env::var("SHOW_M").is_ok() {
            text.push_str(&format!(
                "  measures: {:?}\n",
                found
                    .measures
                    .iter()
                    .take(6)
                    .map(|m| format!("{}={}{}", m.label, m.value, m.unit))
                    .collect::<Vec<_>>()
            ));
        }
        eprint!("{text}");
    }
    eprintln!("TIME {:?} per call of {n}", total / n);
}
