//! Files that tests cut.

/// A file of each language.
pub(super) const SAMPLES: &[(&str, &str)] = &[
    ("sample.c", include_str!("../../languages/samples/sample.c")),
    ("sample.cpp", include_str!("../../languages/samples/sample.cpp")),
    ("sample.cs", include_str!("../../languages/samples/sample.cs")),
    ("sample.go", include_str!("../../languages/samples/sample.go")),
    ("sample.java", include_str!("../../languages/samples/sample.java")),
    ("sample.js", include_str!("../../languages/samples/sample.js")),
    ("sample.kt", include_str!("../../languages/samples/sample.kt")),
    ("sample.php", include_str!("../../languages/samples/sample.php")),
    ("sample.py", include_str!("../../languages/samples/sample.py")),
    ("sample.rb", include_str!("../../languages/samples/sample.rb")),
    ("sample.rs", include_str!("../../languages/samples/sample.rs")),
    ("sample.scala", include_str!("../../languages/samples/sample.scala")),
    ("sample.sh", include_str!("../../languages/samples/sample.sh")),
    ("sample.swift", include_str!("../../languages/samples/sample.swift")),
    ("sample.ts", include_str!("../../languages/samples/sample.ts")),
    ("sample.tsx", include_str!("../../languages/samples/sample.tsx")),
];

pub(super) const PYTHON: &str = r#""""What it is for."""
import os
from a import (
    b,
)
LIMIT = 3


@register(
    LIMIT)
class Store(Base):
    '''Keeps things.'''
    size = 1

    @decorated("(")
    # Why it is so.
    async def put(self, a, b={
            "x": 1}):
        r"""Puts.
        class NotOne(object):
        """
        return [a, f'{b["x"]}']

    def one(self):
        return 1

    @property
    def two(self): return 2

    # Two lines above,
    # both of it.
    def find(self, key):
        if key:
            def inner():
                return key
            return inner()
        # The end.
        return None


if os.name == "nt":
    def fallback(a):
        b = a
        c = b
        d = c
        return d
"#;

pub(super) const ORDERS: &str = include_str!("../../../../../fuzz/samples/orders.py");

pub(super) const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Loading\n",
    "Text with \"quotes\" and ] brackets."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "text": [
      "1\n",
      "2\n",
      "3\n",
      "4\n",
      "5\n",
      "6\n",
      "7\n"
     ]
    }
   ],
   "source": [
    "import pandas as pd\n",
    "\n",
    "pd.read_csv(\"a.csv\")"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;
