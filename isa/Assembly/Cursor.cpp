#include "isa/Assembly/Cursor.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tilerig {

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

static std::string escaped(unsigned char c) {
  static constexpr char digits[] = "0123456789abcdef";
  return {'\\', 'x', digits[c >> 4], digits[c & 15]};
}

std::string quoted(std::string_view text) {
  constexpr size_t most = 40;
  std::string shown = "'";
  size_t i = 0;
  auto continues = [&] { return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  for (; i < text.size() && (i < most || continues()); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    // The UTF-8 sequences C2 80 to C2 9F are control characters (C1), too.
    bool control = c < 0x20 || c == 0x7F || (c >= 0x80 && c < 0xA0 && i > 0 && text[i - 1] == '\xC2');
    shown += control ? escaped(c) : std::string(1, text[i]);
  }
  return shown + (i < text.size() ? "…'" : "'");
}

Cursor::Cursor(std::string_view text, std::string place)
    : begin(text.data()), end(text.data() + text.size()), at(begin), previousEnd(begin),
      place(std::move(place)), countedTo(begin) {
  skipBlanks();
  lineStart = true;
}

// The end of the blanks and comments that begin at `next`; sets `lineEnded` if they contain a line end.
static const char *afterBlanks(const char *next, const char *end, bool &lineEnded) {
  lineEnded = false;
  for (; next != end; ++next) {
    if (*next == ';')
      next = std::find(next, end, '\n');
    if (next == end || (*next != '\n' && *next != ' ' && *next != '\t' && *next != '\r'))
      break;
    lineEnded |= *next == '\n';
  }
  return next;
}

void Cursor::skipBlanks() {
  previousEnd = at;
  at = afterBlanks(at, end, lineStart);
}

void Cursor::advanceTo(const char *next) {
  at = next;
  skipBlanks();
}
void Cursor::jumpTo(const char *next) { advanceTo(next); }

bool Cursor::startsName() const { return at != end && isNameStart(*at); }

std::string_view Cursor::peekName() const {
  if (!startsName())
    return {};
  return {at, static_cast<size_t>(std::find_if_not(at, end, isNamePart) - at)};
}

bool Cursor::nameIsFollowedBy(char c) const {
  bool lineEnded;
  const char *next = afterBlanks(at + peekName().size(), end, lineEnded);
  return next != end && *next == c;
}

unsigned Cursor::line() const {
  if (at < countedTo) {
    countedTo = begin;
    countedLines = 1;
  }
  countedLines += static_cast<unsigned>(std::count(countedTo, at, '\n'));
  countedTo = at;
  return countedLines;
}

bool Cursor::acceptMaybe(char c) {
  if (peek() != c || atEnd())
    return false;
  advanceTo(at + 1);
  return true;
}

bool Cursor::acceptNameMaybe(std::string_view name) {
  if (peekName() != name)
    return false;
  advanceTo(at + name.size());
  return true;
}

bool Cursor::expect(char c, std::string_view where) {
  return acceptMaybe(c) || failExpecting(std::string("'") + c + "' " + std::string(where));
}

bool Cursor::readName(std::string_view &name, std::string_view expected) {
  name = peekName();
  if (name.empty())
    return failExpecting(expected);
  advanceTo(at + name.size());
  return true;
}

bool Cursor::readChoice(std::span<const std::string_view> choices, std::string_view subject, size_t &choice) {
  std::string_view name = peekName();
  auto match = std::ranges::find(choices, name);
  choice = static_cast<size_t>(match - choices.begin());
  if (match != choices.end()) {
    advanceTo(at + name.size());
    return true;
  }
  if (name.empty())
    return failExpecting(std::string(subject) + ": " + listed(choices));
  return fail(std::string(subject) + " cannot be " + quoted(name), suggestion(name, choices));
}

// ---- integers ----

std::string IntegerRange::text() const {
  return std::string(subject) + ": " + std::to_string(low) + ".." + std::to_string(high);
}

bool Cursor::failRange(const char *where, std::string_view text, const IntegerRange &range) {
  return failAt(where, quoted(text) + " is out of range", "expected " + range.text());
}

bool Cursor::scanInteger(const IntegerRange &range, bool &negative, uint64_t &magnitude) {
  const char *next = at;
  negative = next != end && *next == '-';
  next += negative;
  bool hex = end - next > 2 && next[0] == '0' && next[1] == 'x';
  next += hex ? 2 : 0;
  auto [stop, code] = std::from_chars(next, end, magnitude, hex ? 16 : 10);
  if (stop == next)
    return failExpecting(range.text());
  bool fraction = stop != end && *stop == '.' && (stop + 1 == end || stop[1] != '.');
  if (fraction || (stop != end && isNamePart(*stop))) {
    stop = std::find_if_not(stop, end, [](char c) { return c == '.' || isNamePart(c); });
    return fail(quoted({at, stop}) + " is not an integer", "expected " + range.text());
  }
  if (code == std::errc::result_out_of_range)
    return failRange(at, {at, stop}, range);
  advanceTo(stop);
  return true;
}

bool Cursor::readAtom(const IntegerRange &range, int64_t &value) {
  const char *start = at;
  if (std::string_view name = peekName(); !name.empty()) {
    auto definition = definitions ? definitions->find(name) : Definitions::const_iterator();
    if (!definitions || definition == definitions->end())
      return fail("the name " + quoted(name) + " is not defined",
                  "expected " + range.text() + ", or the name of an earlier .define or .constant");
    value = definition->second;
    advanceTo(at + name.size());
    return true;
  }
  bool negative;
  uint64_t magnitude;
  if (!scanInteger(range, negative, magnitude))
    return false;
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  // The magnitude of the most negative 64-bit value, 2^63, is one more than that of the greatest value.
  return magnitude <= uint64_t{INT64_MAX} + negative || failRange(start, {start, previousEnd}, range);
}

bool Cursor::readInteger(std::string_view subject, int64_t low, int64_t high, int64_t &value) {
  const IntegerRange range{subject, low, static_cast<uint64_t>(high)};
  const char *start = at;
  if (!readAtom(range, value))
    return false;
  return (value >= low && value <= high) || failRange(start, {start, previousEnd}, range);
}

bool Cursor::readUnsigned(std::string_view subject, uint64_t &value) {
  const IntegerRange range{subject, 0, UINT64_MAX};
  const char *start = at;
  if (startsName()) {
    int64_t defined;
    if (!readAtom(range, defined))
      return false;
    value = static_cast<uint64_t>(defined);
    return defined >= 0 || failRange(start, {start, previousEnd}, range);
  }
  bool negative;
  if (!scanInteger(range, negative, value))
    return false;
  return !negative || failRange(start, {start, previousEnd}, range);
}

bool Cursor::readProduct(const IntegerRange &range, int64_t &value) {
  const char *start = at;
  if (!readAtom(range, value))
    return false;
  while (acceptMaybe('*')) {
    int64_t factor;
    if (!readAtom(range, factor))
      return false;
    if (__builtin_mul_overflow(value, factor, &value))
      return failRange(start, {start, previousEnd}, range);
  }
  return true;
}

bool Cursor::readExpression(std::string_view subject, int64_t low, int64_t high, int64_t &value) {
  const IntegerRange range{subject, low, static_cast<uint64_t>(high)};
  const char *start = at;
  if (!readProduct(range, value))
    return false;
  while (peek() == '+' || peek() == '-') {
    bool minus = peek() == '-';
    int64_t term;
    advanceTo(at + 1);
    if (!readProduct(range, term))
      return false;
    if (minus ? __builtin_sub_overflow(value, term, &value) : __builtin_add_overflow(value, term, &value))
      return failRange(start, {start, previousEnd}, range);
  }
  return (value >= low && value <= high) || failRange(start, {start, previousEnd}, range);
}

// ---- floats ----

// Like std::from_chars, but rejects the spellings of infinity and NaN that it accepts.
static std::from_chars_result parseDecimal(std::string_view text, float &value) {
  size_t sign = text.starts_with('-');
  if (sign == text.size() || !(isDigit(text[sign]) || text[sign] == '.'))
    return {text.data(), std::errc::invalid_argument};
  return std::from_chars(text.data(), text.data() + text.size(), value);
}

bool Cursor::readNumberText(std::string_view expected, std::string_view &text) {
  const char *next = at;
  if (next != end && (*next == '-' || *next == '+'))
    ++next;
  bool hex = end - next > 1 && next[0] == '0' && next[1] == 'x';
  const char *first = next;
  for (; next != end; ++next) {
    bool point = *next == '.' && (next + 1 == end || next[1] != '.');
    bool sign = (*next == '-' || *next == '+') && next != first && !hex && (next[-1] | 0x20) == 'e';
    if (!isNamePart(*next) && !point && !sign)
      break;
  }
  if (next == first)
    return failExpecting(expected);
  text = {at, static_cast<size_t>(next - at)};
  advanceTo(next);
  return true;
}

bool Cursor::readFloat(std::string_view subject, float &value) {
  const char *start = at;
  std::string_view text;
  if (!readNumberText(subject, text))
    return false;
  std::string_view digits = text.substr(text.starts_with('-'));
  bool hex = text.starts_with("0x");
  if (digits == "inf") {
    value = digits == text ? INFINITY : -INFINITY;
    return true;
  }
  uint32_t bits = 0;
  const char *stop = text.data() + text.size();
  auto [next, code] = hex ? std::from_chars(text.data() + 2, stop, bits, 16) : parseDecimal(text, value);
  if (hex)
    value = std::bit_cast<float>(bits);
  if (next == stop && code == std::errc())
    return true;
  if (next == stop && code == std::errc::result_out_of_range)
    return failAt(start, quoted(text) + (hex ? " has more than 32 bits" : " is beyond the range of fp32"),
                  hex ? "" : "write inf or 0 if infinity or zero is meant");
  return failAt(start, quoted(text) + " is not a number",
                "expected " + std::string(subject) + ": decimal, inf, or 32 bits in hexadecimal");
}

// ---- strings ----

static int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Reads an escape sequence; `next` points behind the backslash.
bool Cursor::readEscape(const char *&next, std::string &value) {
  static constexpr std::string_view letters = "nrt\"\\", meant = "\n\r\t\"\\";
  char letter = next == end ? '\0' : *next;
  if (size_t index = letters.find(letter); index != letters.npos) {
    value += meant[index];
    ++next;
    return true;
  }
  if (letter == 'x' && end - next > 2 && hexDigit(next[1]) >= 0 && hexDigit(next[2]) >= 0) {
    value += static_cast<char>(hexDigit(next[1]) * 16 + hexDigit(next[2]));
    next += 3;
    return true;
  }
  return failAt(next - 1, "unknown escape in a string", "expected \\n, \\r, \\t, \\\", \\\\ or \\xHH");
}

bool Cursor::readString(std::string_view subject, std::string &value) {
  if (peek() != '"')
    return failExpecting(std::string(subject) + " in double quotes");
  value.clear();
  const char *next = at + 1;
  while (next != end && *next != '"' && *next != '\n') {
    if (*next == '\\') {
      if (!readEscape(++next, value))
        return false;
    } else {
      value += *next++;
    }
  }
  if (next == end || *next == '\n')
    return fail("the string is not closed on its line", "expected '\"'");
  advanceTo(next + 1);
  return true;
}

// The end of a quoted string inside a block of JSON or protobuf text (see readBlock()), or null if the line
// ends before the string does.
static const char *skipForeignString(const char *next, const char *end) {
  char quote = *next++;
  for (; next != end && *next != '\n'; ++next) {
    if (*next == quote)
      return next + 1;
    if (*next == '\\' && next + 1 != end)
      ++next;
  }
  return nullptr;
}

bool Cursor::readBlock(std::string_view subject, std::string_view &inside) {
  if (peek() != '{' || atEnd())
    return failExpecting("'{' and " + std::string(subject));
  const char *next = at + 1;
  for (size_t depth = 1; next != end;) {
    char c = *next;
    if (c == '"' || c == '\'') {
      const char *stop = skipForeignString(next, end);
      if (!stop)
        return failAt(next, "the string is not closed on its line");
      next = stop;
      continue;
    }
    if (c == '#') {
      next = std::find(next, end, '\n');
      continue;
    }
    depth += c == '{';
    depth -= c == '}';
    ++next;
    if (depth == 0) {
      inside = {at + 1, static_cast<size_t>(next - 1 - (at + 1))};
      advanceTo(next);
      return true;
    }
  }
  return fail("the block of " + std::string(subject) + " is not closed", "expected '}'");
}

// ---- failing ----

std::string Cursor::placeOf(const char *where) const {
  auto lineNumber = std::count(begin, where, '\n') + 1;
  const char *lineBegin = where;
  while (lineBegin != begin && lineBegin[-1] != '\n')
    --lineBegin;
  auto startsCharacter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  auto column = std::count_if(lineBegin, where, startsCharacter) + 1;
  return place + ":" + std::to_string(lineNumber) + ":" + std::to_string(column);
}

bool Cursor::failAt(const char *where, std::string description, std::string remedy) {
  if (!failure)
    failure = invalidInput(placeOf(where), std::move(description), std::move(remedy));
  return false;
}

bool Cursor::failForeign(Error error) {
  if (!failure)
    failure = std::move(error);
  return false;
}

bool Cursor::fail(std::string description, std::string remedy) {
  return failAt(at, std::move(description), std::move(remedy));
}

bool Cursor::failExpecting(std::string_view expected) {
  if (atEnd() || !lineStart || previousEnd == begin)
    return failFound(expected);
  return failAt(previousEnd, "the line ends here", "expected " + std::string(expected));
}

bool Cursor::failFound(std::string_view expected) {
  std::string remedy = "expected " + std::string(expected);
  if (atEnd())
    return failAt(previousEnd, "the text ends here", std::move(remedy));
  // The message quotes the whole word or number that was found, or else a single character.
  const char *next = std::find_if_not(at, end, isNamePart);
  next += next == at;
  while (next != end && (static_cast<unsigned char>(*next) & 0xC0) == 0x80)
    ++next;
  return fail("found " + quoted({at, next}), std::move(remedy));
}

} // namespace tilerig
