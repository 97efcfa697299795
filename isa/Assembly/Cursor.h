// A place in a text that is being read: the smallest things that assembly text consists of (names, numbers,
// strings, punctuation), and the error with line and column when one of them is missing.
//
// The cursor always stands on the next thing, with blanks, line ends and comments behind it. Every reading
// function answers true and moves on, or answers false and leaves the reason in the cursor, once: a parser
// asks far too often to carry an Error by value through each answer. A function that ends in `Maybe`, or only
// looks, never fails.
#pragma once

#include "isa/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// Names that stand for integers: addresses of constants and whatever `.define` said.
using Definitions = std::map<std::string, int64_t, std::less<>>;

// What an integer may be, and what it is called in messages.
struct IntegerRange {
  std::string_view what;
  int64_t low;
  uint64_t high;
  std::string text() const; // "stride: 0..65535"
};

class Cursor {
public:
  Cursor(std::string_view text, std::string place);

  // Looking.
  bool atEnd() const { return at == end; }
  char peek() const { return at == end ? '\0' : *at; }
  bool startsLine() const { return lineStart; } // a line end, or the start of the text, is right before
  bool startsName() const;
  std::string_view peekName() const; // empty where no name starts
  bool nameIsFollowedBy(char c) const;
  const char *position() const { return at; }
  unsigned line() const; // of position(); cheap when asked in ascending order

  // Reading.
  bool acceptMaybe(char c);
  bool acceptNameMaybe(std::string_view name);
  bool expect(char c, std::string_view where);
  bool readName(std::string_view &name, std::string_view expected);
  // One of `choices`; `what` says what they are.
  bool readChoice(std::span<const std::string_view> choices, std::string_view what, size_t &choice);
  // A decimal or hexadecimal integer, or a defined name, between `low` and `high`.
  bool readInteger(std::string_view what, int64_t low, int64_t high, int64_t &value);
  bool readUnsigned(std::string_view what, uint64_t &value); // of all 64 bits
  // Products, sums and differences of integers and defined names.
  bool readExpression(std::string_view what, int64_t low, int64_t high, int64_t &value);
  // Decimal, rounded half even to the nearest float, or its bits in hexadecimal.
  bool readFloat(std::string_view what, float &value);
  bool readString(std::string_view what, std::string &value);
  // A number's text as it stands, for those who know what type it is to have.
  bool readNumberText(std::string_view expected, std::string_view &text);
  // From '{' to the '}' that closes it: text of another language, with quoted strings and # comments.
  bool readBlock(std::string_view what, std::string_view &inside);
  // Moves to a place that was found by looking at the text directly.
  void jumpTo(const char *place);

  // Failing. The error stands where the cursor does, or at an earlier place of the text.
  bool fail(std::string what, std::string remedy = {});
  bool failAt(const char *place, std::string what, std::string remedy = {});
  // "found X; expected Y", at what was found, or at the end of the line before where that is unfinished.
  bool failExpecting(std::string_view expected);
  // The same where the line before is finished.
  bool failFound(std::string_view expected);
  // An error of another parser, with a place of its own.
  bool failForeign(Error error);
  bool failed() const { return failure.has_value(); }
  Error takeError() { return *std::move(failure); }
  // "file:line:column" of a place in the text.
  std::string placeOf(const char *place) const;

  const Definitions *definitions = nullptr;
  const char *textEnd() const { return end; }

private:
  void skipBlanks();
  void advanceTo(const char *next); // past a thing of the text, and the blanks after it
  bool readAtom(const IntegerRange &range, int64_t &value);
  bool readProduct(const IntegerRange &range, int64_t &value);
  bool scanInteger(const IntegerRange &range, bool &negative, uint64_t &magnitude);
  bool failRange(const char *place, std::string_view text, const IntegerRange &range);
  bool readEscape(const char *&next, std::string &value);

  const char *begin, *end, *at;
  const char *previousEnd; // where the thing before the current blanks ended
  bool lineStart = true;
  std::string place;
  std::optional<Error> failure;
  mutable const char *countedTo;
  mutable unsigned countedLines = 1;
};

bool isNameStart(char c);
bool isNamePart(char c);
// Text of the input in quotes, fit for a message: short, and with nothing that a terminal would act upon.
std::string quoted(std::string_view text);

} // namespace tilerig
