#include "isa/Base/Support/Printable.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const char *text : {"", "conv1/weights:0", "Fläche 面積 🙂", "a\\x1b"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printableLines(text), text);
  }
}

TEST(Printable, EscapesWhatATerminalActsUpon) {
  EXPECT_EQ(printable("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\u007f");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m"); // U+009B is the control character CSI
  EXPECT_EQ(printable("abc\u202edef\u2066"), "abc\\u202edef\\u2066");
  EXPECT_EQ(printable("\u200e\u2028\u061c"), "\\u200e\\u2028\\u061c");
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\x9b\x33"), "\\x9b3");              // the control character CSI as a single byte
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(printable("ä\xc3"), "ä\\xc3");                 // cut off
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");          // overlong
}

TEST(Printable, KeepsEndsOfLinesOnlyWhereTheyAreWanted) {
  EXPECT_EQ(printable("a\n\tb\r"), "a\\x0a\\x09b\\x0d");
  EXPECT_EQ(printableLines("a\n\tb\r"), "a\n\tb\\x0d");
}

} // namespace
} // namespace tilerig
