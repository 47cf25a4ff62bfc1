//! `session-begin`.

use hostler_ledger::context::HostSession;
use serde_json::json;

use super::{Argument, Here, Kind, SESSION, items, notes, refused, state_line};
use crate::session::effect::{self, Begin};
use crate::session::known;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Begins a session.
pub(crate) const TOOL: Tool = Tool {
    name: "session-begin",
    title: "Begin a session",
    group: Group::Session,
    description: "Begins a numbered work session in the project's record, with version, branch and commit. Call it \
                  when you take up a piece of work and `session-status` shows no active session; most often one is \
                  begun for you. Where one is active nothing is changed and the answer says what to do. Returns the \
                  new session's number.",
    arguments: &[
        Argument::required("purpose", Kind::Text, "what the session is for, in one sentence"),
        Argument::optional("objectives", Kind::Texts, "what is to be reached, one text each"),
        Argument::optional(
            "version",
            Kind::Text,
            "the project's version; read from its manifest if not given",
        ),
        Argument::optional("branch", Kind::Text, "the branch; the one that is checked out if not given"),
        Argument::optional("force", Kind::Flag, "close an active session as it stands first"),
    ],
    output: &[
        SESSION,
        Argument::required("purpose", Kind::Text, "what it is for, as recorded"),
        Argument::required("objectives", Kind::Lines, "what is to be reached"),
        Argument::optional("replaced", Kind::Number, "the session that was closed for it"),
    ],
    annotations: Annotations::Adds,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let here = Here::find(call.directory)?;
    let sessions = here.sessions(call.directory)?;
    let now = effect::now();
    let host = call.session.map(|session| HostSession {
        host: call.host.name().to_owned(),
        id: session.as_str().to_owned(),
        when: now.clone(),
        ..HostSession::default()
    });
    let given = |name: &str| call.text(name).map(str::to_owned);
    let request = Begin {
        purpose: call.required("purpose").to_owned(),
        objectives: call.texts("objectives"),
        version: given("version").or_else(|| known::version(&sessions.root)),
        branch: given("branch").or_else(|| known::branch(&here.project)),
        commit: here.project.commit(),
        host,
        force: call.flag("force"),
    };
    let applied = sessions
        .apply(false, |context| effect::begin(context, &request, &now))
        .map_err(|error| refused(&error))?;
    let begun = &applied.value;
    let session = applied.context.by_number(begun.seq).map(|(_, it)| it).unwrap_or_default();
    let purpose = hostler_model::text::one_line(&session.purpose);
    let mut lines =
        vec![format!("Session #{} begun. Purpose: {purpose}{}", begun.seq, items(&session.objectives))];
    lines.extend(Some(state_line(applied.context.state())).filter(|it| !it.is_empty()));
    lines.extend(begun.replaced.map(|it| format!("Session #{it} was active and is closed as it stood")));
    let text = lines.join("\n") + &notes(&applied);
    let structured = json!({
        "session": begun.seq,
        "purpose": session.purpose,
        "objectives": session.objectives,
        "replaced": begun.replaced,
    });
    Ok(Answer::new(text, structured))
}
