#include "isa/Base/CommandLine/PrintableStream.h"

#include <gtest/gtest.h>
#include <sstream>

namespace tilerig {
namespace {

TEST(PrintableStream, EscapesWhatIsWrittenWhileItLives) {
  std::ostringstream stream;
  {
    const PrintableStream filter(stream);
    stream << "title \x1b]0;x" << '\x07' << 7 << "\n";
  }
  stream << "\x1b";
  EXPECT_EQ(stream.str(), "title \\x1b]0;x\\x077\n\x1b");
}

TEST(PrintableStream, CodePointsMayComeInPieces) {
  std::ostringstream stream;
  {
    const PrintableStream filter(stream);
    for (const char letter : std::string("ä\u202e🙂\u009b"))
      stream << letter;
    stream << "\xc3"; // an incomplete character
  }
  EXPECT_EQ(stream.str(), "ä\\u202e🙂\\u009b\\xc3");
}

} // namespace
} // namespace tilerig
