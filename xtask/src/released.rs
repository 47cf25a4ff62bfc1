//! `cargo xtask released`: the gates on real code. Files of released packages get an edit that nobody could mind, and
//! after it a defect each; what an agent would hear is asked of the program itself, before the edit lands and when the
//! turn ends, in both profiles. The former must block nowhere; the latter must be found by the right check on the right
//! line, and nothing else may be an error.

mod ask;
mod braces;
mod go;
mod ground;
mod java;
mod judge;
mod python;
mod random;
mod repository;
mod rust;
#[cfg(test)]
mod tests;
mod typescript;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use ask::{Asked, Found, PROFILES, Refusal};
use ground::{Change, Defect, Ground, Make, Sample};
use random::Random;
use repository::{Repository, shares};

const GROUNDS: &[&Ground] =
    &[&python::GROUND, &typescript::GROUND, &rust::GROUND, &go::GROUND, &java::GROUND];
/// Faults that are shown.
const SHOWN_MAX: usize = 60;

/// One change with what it is.
struct Trial {
    /// The edit's or the defect's place in the ground's list.
    kind: usize,
    change: Change,
    /// No other change is there when its turn ends.
    is_alone: bool,
}

/// What is wrong with the answers to one change, in all profiles.
#[derive(Debug, Clone, Default)]
struct Told {
    faults: Vec<String>,
    others: Vec<String>,
}

/// What was seen of one kind of change, or of one package.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    changes: usize,
    /// Harmless ones that were blocked anywhere, defects that were not found as they must be.
    faults: usize,
    /// Those with another error than the defect.
    others: usize,
}

/// What was seen of all.
#[derive(Debug, Default)]
struct Seen {
    /// Of harmless edits, and of defects, by package.
    packages: BTreeMap<String, [Count; 2]>,
    harmless: BTreeMap<usize, Count>,
    defects: BTreeMap<usize, Count>,
    faults: Vec<String>,
}

/// Runs the task: `true` when nothing harmless is blocked and every defect is found, and nothing else.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let (language, rest) = arguments.split_first().context(crate::USAGE)?;
    let ground = GROUNDS.iter().find(|it| it.name == language.as_str());
    let ground = ground.with_context(|| {
        let names: Vec<&str> = GROUNDS.iter().map(|it| it.name).collect();
        format!("`{language}` is none of {}\n{}", names.join(", "), crate::USAGE)
    })?;
    let files = usize::try_from(crate::number(rest, "--files", 80)?)?;
    let seed = crate::number(rest, "--seed", 1)?;
    let rounds = crate::number(rest, "--rounds", 1)?;
    let (mut folders, mut program) = (Vec::new(), None);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--files" | "--seed" | "--rounds" => drop(words.next()),
            "--program" => program = words.next().map(PathBuf::from),
            word if word.starts_with("--") => anyhow::bail!("`{word}` is not known\n{}", crate::USAGE),
            word => folders.push(PathBuf::from(word)),
        }
    }
    ensure!(!folders.is_empty(), "name the folders of unpacked packages\n{}", crate::USAGE);
    let program = match program {
        Some(program) => program,
        None => crate::program(true)?,
    };
    let mut seen = Seen::default();
    let mut total = 0;
    for round in 0..rounds {
        total = seen.round(ground, &folders, files, seed.wrapping_add(round), &program)?;
    }
    seen.show(ground);
    ensure!(files <= total, "there are {total} files, fewer than {files}: name more packages");
    Ok(seen.faults.is_empty())
}

impl Seen {
    /// Edits each file once in each way. Returns how many there were.
    fn round(
        &mut self,
        ground: &Ground,
        folders: &[PathBuf],
        files: usize,
        seed: u64,
        program: &Path,
    ) -> anyhow::Result<usize> {
        let mut repositories: Vec<Repository> =
            folders.iter().map(|it| Repository::new(ground, it)).collect::<anyhow::Result<_>>()?;
        let have: Vec<usize> = repositories.iter().map(|it| it.files.len()).collect();
        let mut total = 0;
        let mut given = Given::default();
        for (repository, share) in repositories.iter_mut().zip(shares(&have, files)) {
            repository.keep(share);
            total += repository.files.len();
            self.package(ground, repository, seed, program, &mut given)?;
        }
        Ok(total)
    }

    fn package(
        &mut self,
        ground: &Ground,
        repository: &Repository,
        seed: u64,
        program: &Path,
        given: &mut Given,
    ) -> anyhow::Result<()> {
        let (harmless, defects) = trials(ground, &repository.files, seed, given);
        self.judge(ground, &harmless, &defects)?;
        for trial in harmless.iter().chain(&defects) {
            repository.write(&trial.change.path, &trial.change.before)?;
        }
        repository.commit()?;
        let mut told = vec![Told::default(); harmless.len() + defects.len()];
        let (told_harmless, told_defects) = told.split_at_mut(harmless.len());
        for (profile, name) in PROFILES.iter().enumerate() {
            let asked = Asked { program, repository, profile };
            let say = |what: String| format!("{name}: {what}");
            for (told, (refusal, found)) in
                told_harmless.iter_mut().zip(answers(ground, &asked, &harmless, "edit")?)
            {
                told.faults.extend(blocked(refusal.as_ref(), &found).into_iter().map(say));
            }
            let answers = answers(ground, &asked, &defects, "defect")?;
            for ((trial, told), (refusal, found)) in defects.iter().zip(told_defects.iter_mut()).zip(answers)
            {
                let Some(defect) = ground.defects.get(trial.kind) else { continue };
                let missed = missed(defect, &trial.change, profile, refusal.as_ref(), &found);
                told.faults.extend(missed.into_iter().map(say));
                told.others
                    .extend(others(defect, &trial.change, refusal.as_ref(), &found).into_iter().map(say));
            }
        }
        for (trial, told) in harmless.iter().zip(told_harmless) {
            let name = ground.harmless.get(trial.kind).map_or("", |it| it.name);
            self.count(&repository.name, trial, None, told, name);
        }
        for (trial, told) in defects.iter().zip(told_defects) {
            if let Some(defect) = ground.defects.get(trial.kind) {
                self.count(&repository.name, trial, Some(defect), told, defect.name);
            }
        }
        Ok(())
    }

    /// Asks the language's own compiler whether the changes are what they are meant to be: an engine that makes broken
    /// code of a harmless edit proves nothing.
    fn judge(&mut self, ground: &Ground, harmless: &[Trial], defects: &[Trial]) -> anyhow::Result<()> {
        let all = || harmless.iter().map(|it| (it, false)).chain(defects.iter().map(|it| (it, true)));
        let texts: Vec<(&str, &str)> =
            all().map(|(it, _)| (it.change.path.as_str(), it.change.after.as_str())).collect();
        let Some(verdicts) = (ground.judge)(&texts)? else { return Ok(()) };
        for ((trial, is_defect), parses) in all().zip(verdicts) {
            let defect = ground.defects.get(trial.kind).filter(|_| is_defect);
            let expected = !defect.is_some_and(|it| it.breaks_syntax);
            if parses != expected {
                let name =
                    defect.map(|it| it.name).or_else(|| ground.harmless.get(trial.kind).map(|it| it.name));
                self.faults.push(format!(
                    "the engine: {}:{}: {}: the compiler {} it",
                    trial.change.path,
                    trial.change.line,
                    name.unwrap_or_default(),
                    if parses { "takes" } else { "refuses" }
                ));
            }
        }
        Ok(())
    }

    fn count(&mut self, package: &str, trial: &Trial, defect: Option<&Defect>, told: &Told, name: &str) {
        let by_kind = if defect.is_some() { &mut self.defects } else { &mut self.harmless };
        let by_package = self.packages.entry(package.to_owned()).or_default();
        let counts =
            [Some(by_kind.entry(trial.kind).or_default()), by_package.get_mut(usize::from(defect.is_some()))];
        for count in counts.into_iter().flatten() {
            count.changes += 1;
            count.faults += usize::from(!told.faults.is_empty());
            count.others += usize::from(!told.others.is_empty());
        }
        let text = trial.change.after.lines().nth(trial.change.line.saturating_sub(1)).unwrap_or_default();
        for what in told.faults.iter().chain(&told.others) {
            self.faults.push(format!(
                "{package}/{}:{}: {name}, {what} <- {}",
                trial.change.path,
                trial.change.line,
                text.trim()
            ));
        }
    }

    fn show(&self, ground: &Ground) {
        crate::tell("| package | harmless edits | blocked | defects | not found | other errors |");
        crate::tell("| --- | ---: | ---: | ---: | ---: | ---: |");
        for (name, [harmless, defects]) in &self.packages {
            let (blocked, missed) = (harmless.faults, defects.faults);
            crate::tell(&format!(
                "| {name} | {} | {blocked} | {} | {missed} | {} |",
                harmless.changes, defects.changes, defects.others
            ));
        }
        crate::tell("\n| edit | files | blocked |\n| --- | ---: | ---: |");
        for (at, edit) in ground.harmless.iter().enumerate() {
            let count = self.harmless.get(&at).copied().unwrap_or_default();
            crate::tell(&format!("| {} | {} | {} |", edit.name, count.changes, count.faults));
        }
        crate::tell("\n| defect | before the edit | end of the turn | files | not found | other errors |");
        crate::tell("| --- | --- | --- | ---: | ---: | ---: |");
        for (at, defect) in ground.defects.iter().enumerate() {
            let count = self.defects.get(&at).copied().unwrap_or_default();
            crate::tell(&format!(
                "| {} | {} | {} | {} | {} | {} |",
                defect.name,
                when(defect.refused.map(|it| it.is_some()), "refused", "goes ahead"),
                when(defect.holds, "sent back", "told"),
                count.changes,
                count.faults,
                count.others
            ));
        }
        crate::tell(&format!("\n{} faults", self.faults.len()));
        self.faults.iter().take(SHOWN_MAX).for_each(|it| crate::tell(&format!("  {it}")));
    }
}

/// What becomes of a defect in both profiles, in words.
fn when(profiles: [bool; 2], yes: &str, no: &str) -> String {
    match profiles {
        [true, true] => yes.to_owned(),
        [false, false] => no.to_owned(),
        [false, true] => format!("{yes} in `strict`"),
        [true, false] => format!("{yes} in `standard`"),
    }
}

/// How many of each kind there were.
#[derive(Debug, Default)]
struct Given {
    harmless: Vec<usize>,
    defects: Vec<usize>,
}

/// A harmless edit and a defect for each file that has a place for them. The kind comes first that was given least.
fn trials(
    ground: &Ground,
    files: &[(String, String)],
    seed: u64,
    given: &mut Given,
) -> (Vec<Trial>, Vec<Trial>) {
    let (mut harmless, mut defects) = (Vec::new(), Vec::new());
    let edits: Vec<(Make, bool)> = ground.harmless.iter().map(|it| (it.make, false)).collect();
    let faults: Vec<(Make, bool)> = ground.defects.iter().map(|it| (it.make, it.is_alone)).collect();
    for (at, (path, text)) in files.iter().enumerate() {
        let Some(sample) = Sample::new(path, text) else { continue };
        let mut random = Random::new(seed, path);
        let turn = at.wrapping_add(usize::try_from(seed).unwrap_or_default());
        harmless.extend(trial(&edits, &sample, &mut random, turn, &mut given.harmless));
        defects.extend(trial(&faults, &sample, &mut random, turn, &mut given.defects));
    }
    (harmless, defects)
}

fn trial(
    makes: &[(Make, bool)],
    sample: &Sample<'_>,
    random: &mut Random,
    turn: usize,
    given: &mut Vec<usize>,
) -> Option<Trial> {
    given.resize(makes.len(), 0);
    let mut kinds: Vec<usize> = (0..makes.len()).collect();
    kinds.sort_by_key(|kind| (given.get(*kind).copied(), kind.wrapping_add(turn) % makes.len().max(1)));
    let made = kinds.into_iter().find_map(|kind| {
        let (make, is_alone) = *makes.get(kind)?;
        let change = make(sample, random)?;
        (change.before != change.after).then_some(Trial { kind, change, is_alone })
    })?;
    if let Some(count) = given.get_mut(made.kind) {
        *count += 1;
    }
    Some(made)
}

type Answer = (Option<Refusal>, Vec<Found>);

/// What is said of each change: before it lands, and when a turn ends that made it, among others.
fn answers(ground: &Ground, asked: &Asked<'_>, trials: &[Trial], name: &str) -> anyhow::Result<Vec<Answer>> {
    let mut out = Vec::new();
    for (at, trial) in trials.iter().enumerate() {
        let id = format!("toolu_{name}_{}_{at}", asked.profile);
        out.push((asked.edit(&trial.change, &id)?, Vec::new()));
    }
    for batch in batches(ground, trials) {
        let batch: Vec<(usize, &Change)> =
            batch.into_iter().filter_map(|at| Some((at, &trials.get(at)?.change))).collect();
        for (_, change) in &batch {
            asked.repository.write(&change.path, &change.after)?;
        }
        let found = asked.end(ground.tool)?;
        for (at, change) in batch {
            asked.repository.write(&change.path, &change.before)?;
            if let Some((_, own)) = out.get_mut(at) {
                own.extend(found.iter().filter(|it| it.file == change.path).cloned());
            }
        }
    }
    Ok(out)
}

/// Which trials are there when one turn ends.
fn batches(ground: &Ground, trials: &[Trial]) -> Vec<Vec<usize>> {
    let (alone, others): (Vec<usize>, Vec<usize>) =
        (0..trials.len()).partition(|at| trials.get(*at).is_some_and(|it| it.is_alone));
    let others = others.chunks(ground.batch_max.max(1)).map(<[usize]>::to_vec);
    others.chain(alone.into_iter().map(|at| vec![at])).collect()
}

/// Why a harmless edit is blocked.
fn blocked(refusal: Option<&Refusal>, found: &[Found]) -> Vec<String> {
    let refused = refusal.map(|it| format!("the edit is refused: {}", it.reason));
    let held = found.iter().filter(|it| it.holds);
    refused
        .into_iter()
        .chain(held.map(|it| format!("the turn is held: line {}: {}: {}", it.line, it.check, it.message)))
        .collect()
}

/// The finding is the defect's.
fn is_it(defect: &Defect, change: &Change, found: &Found) -> bool {
    (found.check == defect.check || defect.twins.contains(&found.check.as_str()))
        && found.line.abs_diff(change.line) <= defect.lines_off_max
}

/// What is not as it must be.
fn missed(
    defect: &Defect,
    change: &Change,
    profile: usize,
    refusal: Option<&Refusal>,
    found: &[Found],
) -> Vec<String> {
    let mut out = Vec::new();
    let rule = defect.refused.get(profile).copied().flatten();
    let refuses = |it: &Refusal, rule: &str| {
        it.rules.iter().any(|(id, line)| {
            id == rule && line.is_some_and(|line| line.abs_diff(change.line) <= defect.lines_off_max)
        })
    };
    if let Some(rule) = rule
        && !refusal.is_some_and(|it| refuses(it, rule))
    {
        let said = refusal.map_or("nothing", |it| it.reason.as_str());
        out.push(format!("`{rule}` does not refuse the edit there: {said}"));
    }
    let hits: Vec<&Found> = found.iter().filter(|it| is_it(defect, change, it)).collect();
    let holds = defect.holds.get(profile).copied().unwrap_or_default();
    if !hits.iter().any(|it| it.check == defect.check) {
        let said: Vec<String> = found.iter().map(|it| format!("{}:{}", it.check, it.line)).collect();
        out.push(format!("`{}` does not find it: [{}]", defect.check, said.join(", ")));
    } else if hits.iter().any(|it| it.holds) != holds {
        out.push(if holds { "it holds no turn" } else { "it holds the turn" }.to_owned());
    }
    out
}

/// Errors that are not the defect.
fn others(defect: &Defect, change: &Change, refusal: Option<&Refusal>, found: &[Found]) -> Vec<String> {
    let known: Vec<&str> = defect.refused.into_iter().flatten().collect();
    let rules = refusal.map(|it| it.rules.as_slice()).unwrap_or_default().iter();
    let rules = rules
        .filter(|(id, _)| !known.contains(&id.as_str()))
        .map(|(id, line)| format!("the edit is refused by `{id}`, line {line:?}"));
    let found = found.iter().filter(|it| it.is_error && !is_it(defect, change, it));
    rules
        .chain(found.map(|it| format!("another error: line {}: {}: {}", it.line, it.check, it.message)))
        .collect()
}
