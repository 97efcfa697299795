#include "isa/Base/Tensor/NpyHeader.h"

#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace tilerig {

static constexpr std::string_view magic = "\x93NUMPY";

namespace {

// A parser of the dictionary in an .npy header. Error messages give the position in the file.
class HeaderText {
public:
  HeaderText(std::string_view text, size_t offset, const std::string &place)
      : text(text), offset(offset), place(place) {}

  Error error(std::string description) const {
    return invalidInput(fmt::format("{}: invalid npy header at byte {} of the file", place, offset + at),
                        std::move(description));
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
      ++at;
  }
  bool atEnd() {
    skipSpace();
    return at == text.size();
  }
  char peek() {
    skipSpace();
    return at < text.size() ? text[at] : '\0';
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (!text.substr(at).starts_with(token))
      return false;
    at += token.size();
    return true;
  }
  Status expect(std::string_view token) {
    if (accept(token))
      return success();
    return error(fmt::format("expected {}", token));
  }

  Result<std::string_view> readString();
  Result<bool> readBool();
  Result<int64_t> readDimension();
  Result<Shape> readShape();

private:
  std::string_view text;
  size_t offset, at = 0;
  const std::string &place;
};

} // namespace

Result<std::string_view> HeaderText::readString() {
  char quote = peek();
  if (quote != '\'' && quote != '"')
    return error("expected a string");
  size_t end = text.find(quote, at + 1);
  if (end == std::string_view::npos)
    return error("the string has no closing quote");
  std::string_view content = text.substr(at + 1, end - at - 1);
  if (content.find('\\') != std::string_view::npos)
    return error("the string contains a backslash");
  at = end + 1;
  return content;
}

Result<bool> HeaderText::readBool() {
  if (accept("True"))
    return true;
  if (accept("False"))
    return false;
  return error("expected True or False");
}

Result<int64_t> HeaderText::readDimension() {
  if (peek() == '-')
    return error("the dimension is negative");
  size_t begin = at;
  int64_t value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{text[at] - '0'}, &value))
      return error("the dimension exceeds 64 bits");
  if (at == begin)
    return error("expected a dimension");
  if (text[begin] == '0' && at - begin > 1)
    return error("the dimension has a leading zero");
  if (at < text.size() && text[at] == 'L') // Python 2 on Windows wrote integers such as 3L
    ++at;
  return value;
}

// Parses a tuple: (), (3,), (3, 4) or (3, 4,). (3) is a number in Python and is refused.
Result<Shape> HeaderText::readShape() {
  TILERIG_CHECK_OK(expect("("));
  Shape shape;
  bool comma = true;
  while (!accept(")")) {
    if (!comma)
      return error("expected , or )");
    if (shape.size() == maxRank)
      return error(fmt::format("the shape has more than {} dimensions", maxRank));
    TILERIG_TRY(int64_t dim, readDimension());
    shape.push_back(dim);
    comma = accept(",");
  }
  if (shape.size() == 1 && !comma)
    return error("the shape is a number, not a tuple");
  return shape;
}

// Describes the kind of a numpy type that is not supported.
static std::string_view foreignType(char kind) {
  switch (kind) {
  case 'O':
    return "Python objects";
  case 'S':
  case 'a':
    return "byte strings";
  case 'U':
    return "text";
  case 'V':
    return "raw bytes without a type";
  case 'M':
    return "dates";
  case 'm':
    return "time differences";
  default:
    return "an unknown type";
  }
}

static Error unsupportedType(std::string_view descr, const std::string &place) {
  // The kind of the type is the letter after the byte order.
  bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  std::string_view kind = descr.substr(ordered && descr.size() > 1);
  std::string_view meaning = kind.empty() ? "an unknown type" : foreignType(kind[0]);
  std::string remedy = "store an array of numbers or bools";
  if (kind.starts_with("V2"))
    remedy = "store bfloat16 as its bits: array.view('uint16')";
  else if (kind == "f16" || kind == "c32" || kind == "f12" || kind == "c24")
    meaning = "extended floats", remedy = "store the array as float64 or complex128";
  return unsupported(place, fmt::format("npy type '{}' means {}, which is not supported", descr, meaning),
                     std::move(remedy));
}

// Parses a type string such as "<f4": byte order, kind, size.
static Status readDescr(std::string_view descr, NpyHeader &header, const std::string &place) {
  for (size_t index = 0; index < numDTypes; ++index) {
    auto type = static_cast<DType>(index);
    if (type == DType::bf16 || descr.size() < 2 || descr.substr(1) != npyDescr(type).substr(1))
      continue;
    bool bytes = componentBytes(type) == 1; // one-byte types accept any mark of byte order
    if (descr[0] != '<' && descr[0] != '>' && !(bytes && descr[0] == '|'))
      continue;
    header.dtype = type;
    header.bigEndian = !bytes && descr[0] == '>';
    return success();
  }
  return unsupportedType(descr, place);
}

static Status readDictionary(HeaderText &text, NpyHeader &header, const std::string &place) {
  bool hasDescr = false, hasOrder = false, hasShape = false;
  TILERIG_CHECK_OK(text.expect("{"));
  for (bool comma = true; !text.accept("}"); comma = text.accept(",")) {
    if (!comma)
      return text.error("expected , or }");
    TILERIG_TRY(std::string_view key, text.readString());
    bool &seen = key == "descr" ? hasDescr : key == "fortran_order" ? hasOrder : hasShape;
    if (key != "descr" && key != "fortran_order" && key != "shape")
      return text.error("the key is unknown, expected descr, fortran_order or shape");
    if (seen)
      return text.error(fmt::format("key '{}' is given twice", key));
    seen = true;
    TILERIG_CHECK_OK(text.expect(":"));
    if (key == "descr") {
      if (text.peek() == '[')
        return unsupported(place, "npy type is a structure, which is not supported",
                           "store one array per field");
      TILERIG_TRY(std::string_view descr, text.readString());
      TILERIG_CHECK_OK(readDescr(descr, header, place));
    } else if (key == "fortran_order") {
      TILERIG_TRY(header.fortranOrder, text.readBool());
    } else {
      TILERIG_TRY(header.shape, text.readShape());
    }
  }
  if (!text.atEnd())
    return text.error("there is text after the dictionary");
  for (auto [seen, key] : {std::pair(hasDescr, "descr"), {hasOrder, "fortran_order"}, {hasShape, "shape"}})
    if (!seen)
      return text.error(fmt::format("key '{}' is missing", key));
  return success();
}

// The beginning and end of the dictionary in the file, as determined by magic, version and length.
struct Preamble {
  size_t begin, end;
};
static Result<Preamble> readPreamble(std::span<const std::byte> bytes, const std::string &place) {
  auto byteAt = [&](size_t index) { return std::to_integer<size_t>(bytes[index]); };
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    return invalidInput(place, "the file is not an .npy file: it does not begin with \\x93NUMPY");
  if (bytes.size() < magic.size() + 2)
    return invalidInput(place, "the file is truncated before the npy version");
  size_t major = byteAt(6), minor = byteAt(7);
  if (major < 1 || major > 3 || minor != 0)
    return unsupported(place, fmt::format("npy version {}.{} is not supported", major, minor),
                       "save the array in version 1.0, 2.0 or 3.0");
  size_t lengthBytes = major == 1 ? 2 : 4, begin = magic.size() + 2 + lengthBytes, length = 0;
  if (bytes.size() < begin)
    return invalidInput(place, "the file is truncated in the length of the npy header");
  for (size_t index = begin; index-- > begin - lengthBytes;)
    length = length << 8 | byteAt(index);
  if (length > maxNpyHeaderBytes - begin)
    return unsupported(
        place, fmt::format("the npy header has {} bytes, more than an array of numbers needs", length));
  if (begin + length > bytes.size())
    return invalidInput(place, fmt::format("the file is truncated in the npy header: it has {} of {} bytes",
                                           bytes.size() - begin, length));
  // Early versions of numpy align the data to 16 bytes, later ones to 64; both are multiples of 16.
  if ((begin + length) % 16)
    return invalidInput(
        place, fmt::format("the npy data begin at byte {}, which is not a multiple of 16", begin + length));
  return Preamble{begin, begin + length};
}

Result<NpyHeader> parseNpyHeader(std::span<const std::byte> bytes, const std::string &place) {
  TILERIG_TRY(Preamble preamble, readPreamble(bytes, place));
  std::string_view all(reinterpret_cast<const char *>(bytes.data()), preamble.end);
  HeaderText text(all.substr(preamble.begin), preamble.begin, place);
  NpyHeader header;
  TILERIG_CHECK_OK(readDictionary(text, header, place));
  auto size = sizeBytesOf(header.dtype, header.shape);
  if (!size)
    return std::move(size).error().within(place);
  header.dataOffset = preamble.end;
  header.dataBytes = *size;
  return header;
}

std::string formatNpyHeader(DType type, const Shape &shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 npyDescr(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // As in numpy, 21 characters are reserved for the first dimension, so that it can be increased in place.
  if (!shape.empty())
    text.append(21 - fmt::formatted_size("{}", shape[0]), ' ');
  // Pads the header to a multiple of 64 bytes. Like numpy, adds at least one byte: 64 if the size is a
  // multiple already.
  size_t begin = magic.size() + 4;
  size_t length = ((begin + text.size() + 1) / 64 + 1) * 64 - begin;
  text.resize(length - 1, ' ');
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  return header + text + '\n';
}

} // namespace tilerig
