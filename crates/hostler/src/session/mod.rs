//! Sessions that the whole project remembers, the same for every host: where they are kept, what each command
//! does to them, and the rendered view of the last ones.
//!
//! Whoever changes the record does it through [`Sessions::apply`]: the change is an [`effect`], the command line
//! and the hook share it, and the view follows.

pub(crate) mod close;
pub(crate) mod describe;
pub(crate) mod effect;
pub(crate) mod known;
pub(crate) mod locate;
pub(crate) mod recall;
pub(crate) mod render;

use hostler_ledger::context::{self, Context};

pub(crate) use effect::Refused;
pub(crate) use locate::{Sessions, locate};
pub(crate) use render::View;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The record does not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The record could not be read or written.
    #[error(transparent)]
    Store(#[from] context::Error),
}

/// What a change came to.
#[derive(Debug)]
pub(crate) struct Applied<T> {
    /// What the change returned.
    pub(crate) value: T,
    /// The record as it is now, or would be.
    pub(crate) context: Context,
    /// What was repaired or not understood, for the user.
    pub(crate) notes: Vec<String>,
    /// Something was written, or would be.
    pub(crate) changed: bool,
    /// What became of the view; a dry run touches none.
    pub(crate) view: Option<Result<View, render::Error>>,
}

impl Sessions {
    /// Reads the record.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(crate) fn read(&self) -> Result<Context, Error> {
        let context = self.store.read()?;
        context.ok_or_else(|| context::Error::Missing { path: self.file.clone() }.into())
    }

    /// Changes the record and renders the view anew; a dry run writes nothing. A view that cannot be rendered
    /// is told in the result and takes nothing back.
    ///
    /// # Errors
    /// What the change refuses, or why it could not be written; the record is as it was then.
    pub(crate) fn apply<T>(
        &self,
        dry_run: bool,
        mut change: impl FnMut(&mut Context) -> Result<T, Refused>,
    ) -> Result<Applied<T>, Error> {
        if dry_run {
            let mut context = self.read()?;
            let notes = context.notes().to_vec();
            let value = change(&mut context)?;
            return Ok(Applied { value, context, notes, changed: true, view: None });
        }
        let updated = self.store.update(change)?;
        let value = updated.value?;
        let view = Some(render::refresh(self, false));
        Ok(Applied { value, context: updated.context, notes: updated.notes, changed: updated.changed, view })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use hostler_ledger::context::{Context, State, Store};

    /// A record in which nothing has happened yet.
    pub(crate) fn record() -> Context {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("context.json"), folder.path().join("state"));
        store.create(State::default()).unwrap();
        store.read().unwrap().unwrap()
    }
}
