"""Tests of scripts/reference-pages: how comments become documentation, and that a missing sentence is reported."""

import subprocess
import tempfile
import unittest

from scratch import REPOSITORY, ScratchTest

HEADER = """// A counter, of Result<T>.
//
//   Counter counter; // an example
#pragma once

namespace tilerig {

// This comment describes nothing.

// Counts `a<b`.
class Counter {
public:
  Counter() = default;
  // Adds to the sum.
  void add(int amount) {
    // The code of a function has no documentation.
    sum += amount; // nor here
  }

private:
  int sum = 0;
};

// Two numbers.
struct Pair {
  int first = 0, second = 0; // both
  int third = 0;             // the third,
                             // on two lines
  int fourth = 0;
};

// The name of the counter: "a // b".
constexpr const char *name = "a // b";

} // namespace tilerig
"""

FILTERED = """/// A counter, of Result\\<T\\>.
///
///     Counter counter; // an example
/// \\file

namespace tilerig { /** \\addtogroup counter */ /** @{ */

// This comment describes nothing.

/// Counts `a<b`.
class Counter {
public:
  Counter() = default;
  /// Adds to the sum.
  void add(int amount) {
    // The code of a function has no documentation.
    sum += amount; // nor here
  }

private:
  int sum = 0;
};

/// Two numbers.
struct Pair {
/** @{ */ /** both */   int first = 0, second = 0;  /** @} */
  int third = 0;             ///< the third,
                             ///< on two lines
  int fourth = 0;
};

/// The name of the counter: "a // b".
constexpr const char *name = "a // b";

/** @} */ }
"""


class ReferencePages(ScratchTest):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "project(tilerig VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("isa/CMakeLists.txt", "tilerig_library(tilerig-other SOURCES A.cpp)\ntilerig_library(tilerig-counter SOURCES Counter.cpp)\n")
        self.write("scripts/cmake/Install.cmake", "set(libraries tilerig-other tilerig-counter)\nset(headers isa/Counter.h)\n")
        self.header = self.write("isa/Counter.h", HEADER)
        self.pages = self.root.parent / "pages"

    def test_comments_become_documentation_on_the_same_lines(self):
        filtered = self.assert_accepted("reference-pages", "--filter", self.header)
        self.assertEqual([line.rstrip() for line in filtered.split("\n")], FILTERED.split("\n"))

    def test_refuses_wrong_usage(self):
        for words in [[], ["--unknown"], ["a", "b"]]:
            code, output = self.run_script("reference-pages", *words)
            self.assertEqual(code, 2, output)
            self.assertIn("usage: scripts/reference-pages FOLDER", output)

    def test_says_that_doxygen_failed(self):
        self.fake("doxygen", "echo broken >&2; exit 1")
        code, output = self.run_script("reference-pages", self.pages)
        self.assertEqual((code, output), (3, "scripts/reference-pages: Doxygen failed: broken\n"))

    def test_writes_a_page_for_each_library(self):
        self.assert_accepted("reference-pages", self.pages)
        self.assertIn("tilerig::counter", (self.pages / "group__counter.html").read_text())
        self.assertIn("tilerig::counter", (self.pages / "index.html").read_text())

    def test_reports_what_has_no_sentence(self):
        for sentence, expected in {
            "// Two numbers.\n": "isa/Counter.h:24: warning: Compound tilerig::Pair is not documented",
            "  // Adds to the sum.\n": "isa/Counter.h:14: warning: Member add(int amount) (function) of class tilerig::Counter",
            '// The name of the counter: "a // b".\n': "warning: Member name (variable) of namespace tilerig is not documented",
        }.items():
            self.header.write_text(HEADER.replace(sentence, ""))
            self.assertNotEqual(self.header.read_text(), HEADER)
            output = self.assert_reported(expected, "reference-pages", self.pages)
            self.assertEqual(output.count("warning:"), 1, output)

    def test_the_public_headers_have_a_sentence_for_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([REPOSITORY / "scripts/reference-pages", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
