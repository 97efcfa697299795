#include "isa/Assembly/Data.h"

#include "isa/Assembly/Text.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tilerig {

using Kind = NumberType::Kind;

NumberType numberTypeOf(ElementType type) {
  switch (type) {
  case ElementType::i8:
    return {Kind::integer, 1, INT8_MIN, INT8_MAX};
  case ElementType::u8:
    return {Kind::integer, 1, 0, UINT8_MAX};
  case ElementType::i9:
    return {Kind::integer, 2, -256, 255};
  case ElementType::i32:
    return {Kind::integer, 4, INT32_MIN, INT32_MAX};
  case ElementType::fp16:
    return {Kind::fp16, 2};
  case ElementType::bf16:
    return {Kind::bf16, 2};
  case ElementType::fp32:
    return {Kind::fp32, 4};
  }
  __builtin_unreachable();
}

std::optional<NumberType> numberTypeOf(DType type) {
  return dispatch(type, [&]<class T>() -> std::optional<NumberType> {
    if constexpr (std::is_same_v<T, bool>)
      return NumberType{Kind::integer, 1, 0, 1};
    else if constexpr (std::is_integral_v<T>)
      return NumberType{Kind::integer, sizeof(T), std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::max()};
    else if constexpr (std::is_same_v<T, Float16>)
      return NumberType{Kind::fp16, 2};
    else if constexpr (std::is_same_v<T, BFloat16>)
      return NumberType{Kind::bf16, 2};
    else if constexpr (std::is_floating_point_v<T>)
      return NumberType{sizeof(T) == 4 ? Kind::fp32 : Kind::fp64, sizeof(T)};
    else
      return std::nullopt;
  });
}

bool UnfoldBudget::spend(Cursor &cursor, const char *place, uint64_t count, uint64_t sizeBytes) {
  if (sizeBytes != 0 && count > bytesLeft / sizeBytes)
    return cursor.failAt(place, "this expands to more data than the remaining limit of " +
                                    std::to_string(bytesLeft) + " bytes");
  bytesLeft -= count * sizeBytes;
  return true;
}

namespace {

// Reads an integer as 64 bits, sign-extended if it is negative.
bool readIntegerBits(Cursor &cursor, const NumberType &type, uint64_t &bits) {
  if (type.low == 0 && type.high > uint64_t{INT64_MAX})
    return cursor.readUnsigned("value", bits);
  int64_t value;
  bool done = cursor.readInteger("value", type.low, static_cast<int64_t>(type.high), value);
  bits = static_cast<uint64_t>(value);
  return done;
}

// The bit pattern of `value` in the floating-point type `kind`, rounded to nearest even.
uint64_t bitsOf(double value, Kind kind) {
  switch (kind) {
  case Kind::fp16:
    return fp16FromDouble(value).bits;
  case Kind::bf16:
    return bf16FromDouble(value).bits;
  case Kind::fp32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

// Parses a decimal. Decimals for the 16-bit types are converted by way of fp64.
std::from_chars_result decimalBits(std::string_view text, Kind kind, uint64_t &bits) {
  const char *stop = text.data() + text.size();
  if (kind == Kind::fp32) {
    float value = 0;
    auto result = std::from_chars(text.data(), stop, value);
    bits = std::bit_cast<uint32_t>(value);
    return result;
  }
  double value = 0;
  auto result = std::from_chars(text.data(), stop, value);
  bits = bitsOf(value, kind);
  if (result.ec == std::errc() && bits == bitsOf(std::copysign(INFINITY, value), kind))
    result.ec = std::errc::result_out_of_range;
  return result;
}

bool readFloatBits(Cursor &cursor, const NumberType &type, uint64_t &bits) {
  const char *start = cursor.position();
  std::string_view text;
  if (!cursor.readNumberText("a value", text))
    return false;
  std::string_view digits = text.substr(text.starts_with('-'));
  if (digits == "inf") {
    bits = bitsOf(digits == text ? INFINITY : -INFINITY, type.kind);
    return true;
  }
  const char *stop = text.data() + text.size();
  std::from_chars_result result{text.data(), std::errc::invalid_argument};
  if (text.starts_with("0x"))
    result = std::from_chars(text.data() + 2, stop, bits, 16);
  else if (!digits.empty() && ((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.'))
    result = decimalBits(text, type.kind, bits);
  bool fits = result.ec == std::errc() && (type.sizeBytes == 8 || bits >> (type.sizeBytes * 8) == 0);
  if (result.ptr != stop || result.ec == std::errc::invalid_argument)
    return cursor.failAt(start, quoted(text) + " is not a number",
                         "expected a value: decimal, inf, or its bits in hexadecimal");
  return fits || cursor.failAt(start, quoted(text) + " is out of the range of the type",
                               text.starts_with("0x") ? "" : "write inf or 0 if infinity or zero is meant");
}

void appendRepeated(std::vector<std::byte> &bytes, std::span<const std::byte> word, uint64_t count) {
  if (word.size() == 1) {
    bytes.insert(bytes.end(), count, word[0]);
    return;
  }
  // The capacity of the buffer at least doubles: if it grew only by this entry, the next entry would copy all
  // data again.
  if (const size_t needed = bytes.size() + word.size() * count; needed > bytes.capacity())
    bytes.reserve(std::max(needed, 2 * bytes.capacity()));
  for (uint64_t i = 0; i < count; ++i)
    bytes.insert(bytes.end(), word.begin(), word.end());
}

bool readCount(Cursor &cursor, uint64_t &count) {
  int64_t value;
  bool done = cursor.readInteger("count", 1, INT64_MAX, value);
  count = static_cast<uint64_t>(value);
  return done;
}

// Whether the cursor stands at a range first..last.
bool atRange(const Cursor &cursor) {
  const char *next = cursor.position(), *end = cursor.textEnd();
  next = std::find_if_not(next, end, [](char c) { return isNamePart(c) || c == '-'; });
  return end - next > 1 && next[0] == '.' && next[1] == '.';
}

// Reads first..last as all integers of that range. Integers up to 2^53 are exact in fp64.
bool readRange(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, std::vector<std::byte> &bytes) {
  constexpr int64_t exact = int64_t{1} << 53;
  bool isInteger = type.kind == Kind::integer;
  int64_t low = isInteger ? type.low : -exact, first, last;
  int64_t high = isInteger ? static_cast<int64_t>(std::min<uint64_t>(type.high, INT64_MAX)) : exact;
  const char *start = cursor.position();
  if (!cursor.readInteger("value", low, high, first) || !cursor.expect('.', "of a range") ||
      !cursor.expect('.', "of a range") || !cursor.readInteger("value", low, high, last))
    return false;
  if (last < first)
    return cursor.failAt(start, "the range is descending", "expected the lower number first");
  // The limit on expanded bytes counts all values of the range but one, because the number of values of the
  // full 64-bit range would overflow.
  if (!budget.spend(cursor, start, static_cast<uint64_t>(last) - static_cast<uint64_t>(first),
                    type.sizeBytes))
    return false;
  for (int64_t value = first;; ++value) {
    uint64_t bits = isInteger ? static_cast<uint64_t>(value) : bitsOf(static_cast<double>(value), type.kind);
    appendRepeated(bytes, std::as_bytes(std::span(&bits, 1)).first(type.sizeBytes), 1);
    if (value == last)
      return true;
  }
}

bool readEntries(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, unsigned depth, char close,
                 std::vector<std::byte> &bytes);

// Parses (entries)*count, a list in parentheses that is repeated, and appends its bytes.
bool readRepeatedEntries(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, unsigned depth,
                         std::vector<std::byte> &bytes) {
  constexpr unsigned deepest = 16;
  const char *start = cursor.position();
  if (depth == deepest)
    return cursor.fail("parentheses are nested too deeply", "at most 16 levels are allowed");
  size_t before = bytes.size();
  uint64_t count;
  cursor.acceptMaybe('(');
  if (!readEntries(cursor, type, budget, depth + 1, ')', bytes) ||
      !cursor.expect('*', "and a count after ')'") || !readCount(cursor, count) ||
      !budget.spend(cursor, start, count, bytes.size() - before))
    return false;
  std::vector<std::byte> repeated(bytes.begin() + static_cast<ptrdiff_t>(before), bytes.end());
  if (!repeated.empty())
    appendRepeated(bytes, repeated, count - 1);
  return true;
}

// Reads one entry of a list: value, value*count, first..last, or (entries)*count.
bool readEntry(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, unsigned depth,
               std::vector<std::byte> &bytes) {
  if (cursor.peek() == '(')
    return readRepeatedEntries(cursor, type, budget, depth, bytes);
  if (atRange(cursor))
    return readRange(cursor, type, budget, bytes);
  const char *start = cursor.position();
  uint64_t bits, count = 1;
  bool isInteger = type.kind == Kind::integer;
  if (!(isInteger ? readIntegerBits(cursor, type, bits) : readFloatBits(cursor, type, bits)))
    return false;
  if (cursor.acceptMaybe('*') &&
      (!readCount(cursor, count) || !budget.spend(cursor, start, count, type.sizeBytes)))
    return false;
  appendRepeated(bytes, std::as_bytes(std::span(&bits, 1)).first(type.sizeBytes), count);
  return true;
}

bool readEntries(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, unsigned depth, char close,
                 std::vector<std::byte> &bytes) {
  while (!cursor.acceptMaybe(close)) {
    if (!readEntry(cursor, type, budget, depth, bytes))
      return false;
    cursor.acceptMaybe(',');
  }
  return true;
}

int plainDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Fast path for disassembled constants of several megabytes: reads words of hexadecimal bytes from `next` on,
// as long as they are plain digits and blanks.
const char *takePlainBytes(const char *next, const char *end, std::vector<std::byte> &bytes) {
  while (end - next > 1) {
    if (*next == ' ' || *next == '\n') {
      ++next;
      continue;
    }
    int high = plainDigit(next[0]), low = plainDigit(next[1]);
    if (high < 0 || low < 0)
      break;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
    next += 2;
  }
  return next;
}

} // namespace

bool readValues(Cursor &cursor, const NumberType &type, UnfoldBudget &budget, std::vector<std::byte> &bytes) {
  return cursor.expect('[', "and values") && readEntries(cursor, type, budget, 0, ']', bytes);
}

bool readHexBytes(Cursor &cursor, UnfoldBudget &budget, std::vector<std::byte> &bytes) {
  if (!cursor.expect('[', "at the beginning of a list of hexadecimal bytes"))
    return false;
  while (!cursor.acceptMaybe(']')) {
    const char *start = cursor.position();
    const char *next = takePlainBytes(start, cursor.textEnd(), bytes);
    if (next == start)
      return cursor.failExpecting("two hexadecimal digits (0-9, a-f) for each byte, or ']'");
    cursor.jumpTo(next);
    if (cursor.peek() != '*' || cursor.atEnd())
      continue;
    // `*count` repeats the word in front of it, which begins after the last blank.
    const char *word = next;
    while (word != start && plainDigit(word[-1]) >= 0)
      --word;
    if (word == next)
      return cursor.fail("found '*' without a byte before it",
                         "write '*' directly after the byte or word that it repeats");
    size_t wordBytes = static_cast<size_t>(next - word) / 2;
    uint64_t count;
    cursor.acceptMaybe('*');
    if (!readCount(cursor, count) || !budget.spend(cursor, word, count, wordBytes))
      return false;
    std::vector<std::byte> repeated(bytes.end() - static_cast<ptrdiff_t>(wordBytes), bytes.end());
    appendRepeated(bytes, repeated, count - 1);
  }
  return true;
}

// ---- writing ----

static constexpr size_t lineBytes = 32, groupBytes = 4;
// Runs of at least this many equal bytes are written as one byte and a count.
static constexpr size_t shortestRun = 32;

static size_t runLength(std::span<const std::byte> bytes) {
  size_t length = 1;
  while (length < bytes.size() && bytes[length] == bytes[0])
    ++length;
  return length;
}

static void appendByte(std::string &out, std::byte value) {
  static constexpr char digits[] = "0123456789abcdef";
  auto code = static_cast<unsigned>(value);
  out += digits[code >> 4];
  out += digits[code & 15];
}

// Writes the first of the given bytes as one line of text, which ends before a run of equal bytes; returns
// the number of bytes written.
static size_t appendHexLine(std::string &out, std::span<const std::byte> bytes) {
  size_t i = 0;
  while (i < std::min(lineBytes, bytes.size())) {
    size_t run =
        i % groupBytes == 0 ? runLength(bytes.subspan(i, std::min(shortestRun, bytes.size() - i))) : 1;
    if (run == shortestRun)
      return i;
    if (i > 0 && i % groupBytes == 0)
      out += ' ';
    appendByte(out, bytes[i++]);
  }
  return i;
}

void appendHexBytes(std::string &out, std::span<const std::byte> bytes) {
  bool oneLine = bytes.size() <= lineBytes;
  out += '[';
  while (!bytes.empty()) {
    if (!oneLine)
      out += "\n    ";
    size_t taken = appendHexLine(out, bytes);
    if (taken == 0) {
      taken = runLength(bytes);
      appendByte(out, bytes[0]);
      out += '*';
      appendUnsigned(out, taken);
    }
    bytes = bytes.subspan(taken);
  }
  out += oneLine ? "]" : "\n]";
}

} // namespace tilerig
