//! Names of tests as a tree of their words, with the outcome of each and of all below it.

use std::collections::HashMap;

use super::Outcome;

/// A place in the tree.
pub(super) type Id = usize;

#[derive(Debug)]
struct Node<'a> {
    parent: Option<Id>,
    word: &'a str,
    depth: usize,
    own: Option<Outcome>,
    below: Option<Outcome>,
}

/// Several trees, each with a root of its own.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    children: HashMap<(Id, &'a str), Id>,
    /// By the last two words; by the last one after nothing.
    ends: HashMap<(&'a str, &'a str), Vec<Id>>,
}

impl<'a> Tree<'a> {
    pub(super) fn root(&mut self) -> Id {
        self.nodes.push(Node { parent: None, word: "", depth: 0, own: None, below: None });
        self.nodes.len() - 1
    }

    /// Adds a test; its words are those of its class and its name.
    pub(super) fn insert(&mut self, root: Id, words: &[&'a str], outcome: Outcome) {
        let mut at = root;
        for word in words {
            at = self.child(at, word);
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.own = node.own.max(Some(outcome));
        }
        let mut up = Some(at);
        while let Some(node) = up.and_then(|it| self.nodes.get_mut(it)) {
            node.below = node.below.max(Some(outcome));
            up = node.parent;
        }
    }

    fn child(&mut self, parent: Id, word: &'a str) -> Id {
        if let Some(known) = self.children.get(&(parent, word)) {
            return *known;
        }
        let id = self.nodes.len();
        let (depth, last) = self.nodes.get(parent).map_or((1, ""), |it| (it.depth + 1, it.word));
        self.nodes.push(Node { parent: Some(parent), word, depth, own: None, below: None });
        self.children.insert((parent, word), id);
        self.ends.entry(("", word)).or_default().push(id);
        if 1 < depth {
            self.ends.entry((last, word)).or_default().push(id);
        }
        id
    }

    /// The place with exactly these words.
    pub(super) fn find(&self, root: Id, words: &[&str]) -> Option<Id> {
        words.iter().try_fold(root, |at, word| self.children.get(&(at, *word)).copied())
    }

    /// Places whose words end with these, and are more.
    pub(super) fn ending(&self, words: &[&str]) -> Vec<Id> {
        let key = match words {
            [.., before, last] => (*before, *last),
            [last] => ("", *last),
            [] => return Vec::new(),
        };
        let all = self.ends.get(&key).map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .copied()
            .filter(|id| words.len() < self.depth(*id) && self.words(*id).ends_with(words))
            .collect()
    }

    pub(super) fn depth(&self, id: Id) -> usize {
        self.nodes.get(id).map_or(0, |it| it.depth)
    }

    /// How the test of this name ended.
    pub(super) fn own(&self, id: Id) -> Option<Outcome> {
        self.nodes.get(id).and_then(|it| it.own)
    }

    /// How the tests ended that this is or holds: the worst of them.
    pub(super) fn below(&self, id: Id) -> Option<Outcome> {
        self.nodes.get(id).and_then(|it| it.below)
    }

    /// What is `depth` words long on the way to `id`.
    pub(super) fn above(&self, id: Id, depth: usize) -> Id {
        let mut at = id;
        while let Some(node) = self.nodes.get(at).filter(|it| depth < it.depth) {
            let Some(parent) = node.parent else { break };
            at = parent;
        }
        at
    }

    pub(super) fn words(&self, id: Id) -> Vec<&'a str> {
        let mut out = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at.and_then(|it| self.nodes.get(it)) {
            if node.parent.is_some() {
                out.push(node.word);
            }
            at = node.parent;
        }
        out.reverse();
        out
    }
}
