// The tokeniser of assembly text: reads names, numbers, strings and punctuation at a cursor, and produces the
// error with line and column if the expected token is missing.
//
// The cursor always stands at the beginning of a token, after blanks, line ends and comments. Every reading
// function returns true and advances, or returns false and stores the reason in the cursor; only the first
// error is kept. Parsers call these functions far too often to return an Error by value from each. Functions
// whose names end in `Maybe`, and those that only look ahead, never fail.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// Names that stand for integers: labels of constants (their addresses) and names defined by `.define`.
using Definitions = std::map<std::string, int64_t, std::less<>>;

// The legal range of an integer, and the name of the value in error messages.
struct IntegerRange {
  std::string_view subject;
  int64_t low;
  uint64_t high;
  std::string text() const; // for example "stride: 0..65535"
};

class Cursor {
public:
  Cursor(std::string_view text, std::string place);

  // The following functions look ahead without moving the cursor.
  bool atEnd() const { return at == end; }
  char peek() const { return at == end ? '\0' : *at; }
  bool startsLine() const { return lineStart; } // whether the token is the first one of its line
  bool startsName() const;
  std::string_view peekName() const; // the name at the cursor; empty if no name begins there
  bool nameIsFollowedBy(char c) const;
  const char *position() const { return at; }
  unsigned line() const; // line number of the cursor; fast if the cursor only moves forwards

  // The following functions read a token and advance the cursor.
  bool acceptMaybe(char c);
  bool acceptNameMaybe(std::string_view name);
  bool expect(char c, std::string_view where);
  bool readName(std::string_view &name, std::string_view expected);
  // Reads one of the words in `choices` and sets `choice` to its index. Error messages call the expected word
  // `subject`.
  bool readChoice(std::span<const std::string_view> choices, std::string_view subject, size_t &choice);
  // Reads a decimal or hexadecimal integer, or a defined name, with a value between `low` and `high`.
  bool readInteger(std::string_view subject, int64_t low, int64_t high, int64_t &value);
  bool readUnsigned(std::string_view subject, uint64_t &value); // reads an integer up to 2^64 - 1
  // Reads an expression of sums, differences and products of integers and defined names, and computes its
  // value.
  bool readExpression(std::string_view subject, int64_t low, int64_t high, int64_t &value);
  // Reads a decimal number, rounded half to even to the nearest float, or the bits of a float in hexadecimal.
  bool readFloat(std::string_view subject, float &value);
  bool readString(std::string_view subject, std::string &value);
  // Reads the text of a number without converting it, for callers that know its type.
  bool readNumberText(std::string_view expected, std::string_view &text);
  // Reads from '{' to the matching '}': a block of JSON or protobuf text, whose quoted strings and # comments
  // may contain braces.
  bool readBlock(std::string_view subject, std::string_view &inside);
  // Moves the cursor to a position that the caller found by scanning the text itself.
  void jumpTo(const char *place);

  // The following functions report an error at the cursor or at an earlier position of the text; all of them
  // return false.
  bool fail(std::string description, std::string remedy = {});
  bool failAt(const char *place, std::string description, std::string remedy = {});
  // Reports "found X; expected Y" at the found token, or at the end of the previous line if the statement
  // there is incomplete.
  bool failExpecting(std::string_view expected);
  // Like failExpecting(), but always at the found token: for errors where the previous line is complete.
  bool failFound(std::string_view expected);
  // Keeps an error of the JSON or protobuf parser, which already states a position in the text.
  bool failForeign(Error error);
  bool failed() const { return failure.has_value(); }
  Error takeError() { return *std::move(failure); }
  // "file:line:column" of a place in the text.
  std::string placeOf(const char *place) const;

  const Definitions *definitions = nullptr;
  const char *textEnd() const { return end; }

private:
  void skipBlanks();
  void advanceTo(const char *next); // moves the cursor past a token and the blanks after it
  bool readAtom(const IntegerRange &range, int64_t &value);
  bool readProduct(const IntegerRange &range, int64_t &value);
  bool scanInteger(const IntegerRange &range, bool &negative, uint64_t &magnitude);
  bool failRange(const char *place, std::string_view text, const IntegerRange &range);
  bool readEscape(const char *&next, std::string &value);

  const char *begin, *end, *at;
  const char *previousEnd; // end of the token before the current one
  bool lineStart = true;
  std::string place;
  std::optional<Error> failure;
  mutable const char *countedTo;
  mutable unsigned countedLines = 1;
};

bool isNameStart(char c);
bool isNamePart(char c);
// Quotes text of the input for an error message: shortened, with control characters escaped for terminals.
std::string quoted(std::string_view text);

} // namespace tilerig
