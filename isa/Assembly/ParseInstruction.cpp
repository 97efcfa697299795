// Parses one instruction: the name of each operand selects a field in the instruction's field table, and the
// field determines which values are legal.
#include "isa/Assembly/InstructionReader.h"
#include "isa/Assembly/PackedStrides.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tilerig {

namespace {

// ---- streams ----

bool readBase(Cursor &cursor, uint64_t &base) {
  static constexpr auto field = std::get<3>(Stream::fields());
  int64_t value;
  if (!cursor.expect('[', "and an address") ||
      !cursor.readExpression("address", field.low, field.high, value) ||
      !cursor.expect(']', "after the address"))
    return false;
  base = static_cast<uint64_t>(value);
  return true;
}

struct WrittenDimension {
  Dimension dimension;
  bool packed;
  const char *place;
};

bool readDimension(Cursor &cursor, WrittenDimension &written) {
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  int64_t size, stride = 0;
  written.place = cursor.position();
  if (!cursor.readInteger("size", 0, most, size))
    return false;
  written.packed = !cursor.acceptMaybe('*');
  if (!written.packed && !cursor.readInteger("stride", 0, most, stride))
    return false;
  written.dimension = {static_cast<uint32_t>(size), static_cast<uint32_t>(stride)};
  return true;
}

bool fillPackedStrides(Cursor &cursor, ElementType type, std::span<WrittenDimension> written) {
  PackedStrides strides(type);
  for (size_t i = written.size(); i-- > 0;) {
    Dimension &dimension = written[i].dimension;
    uint64_t stride = strides.strideOf(dimension.size);
    if (written[i].packed && stride > std::numeric_limits<uint32_t>::max())
      return cursor.failAt(written[i].place,
                           "the default stride " + std::to_string(stride) + " is out of range",
                           "expected 0..4294967295");
    if (written[i].packed)
      dimension.stride = static_cast<uint32_t>(stride);
    strides.enclose(dimension);
  }
  return true;
}

// Parses the dimensions between < and >. Omitted dimensions are the outer ones, with size 1.
bool readDimensions(Cursor &cursor, Stream &stream) {
  std::array<WrittenDimension, 5> written;
  size_t count = 0;
  do {
    if (count == written.size())
      return cursor.fail("a stream has at most five dimensions", "expected '>'");
    if (!readDimension(cursor, written[count++]))
      return false;
  } while (cursor.acceptMaybe(','));
  auto used = std::span(written).first(count);
  if (!cursor.expect('>', "or ',' after a dimension") || !fillPackedStrides(cursor, stream.type, used))
    return false;
  for (size_t i = 0; i < count; ++i)
    stream.dims[stream.dims.size() - count + i] = written[i].dimension;
  return true;
}

bool readStream(Cursor &cursor, Stream &stream) {
  stream = {};
  if (cursor.acceptNameMaybe("none"))
    return true;
  size_t type, space;
  int64_t tile = 0;
  if (!cursor.readChoice(EnumNames<ElementType>::values, "element type", type) ||
      !cursor.readChoice(EnumNames<Space>::values, "memory", space))
    return false;
  stream.type = static_cast<ElementType>(type);
  stream.space = static_cast<Space>(space);
  bool named = cursor.peek() != '[';
  if ((named || stream.space == Space::remote) && !cursor.readInteger("tile", 0, 255, tile))
    return false;
  stream.tile = static_cast<uint8_t>(tile);
  stream.dims.fill({1, 0});
  return readBase(cursor, stream.base) && (!cursor.acceptMaybe('<') || readDimensions(cursor, stream));
}

// Parses a vector. `none[address]`, an absent vector with an address, is illegal but can be encoded, so it is
// accepted.
bool readVector(Cursor &cursor, Vector &vector) {
  vector = {};
  vector.present = !cursor.acceptNameMaybe("none");
  if (!vector.present && cursor.peek() != '[')
    return true;
  if (!readBase(cursor, vector.base))
    return false;
  vector.broadcast = cursor.acceptMaybe('*');
  return true;
}

// ---- fields ----

// Parses a set of bit numbers, such as {0-3, 7}; each bit number must be below `width`.
bool readSet(Cursor &cursor, std::string_view name, unsigned width, uint64_t &bits) {
  bits = 0;
  if (!cursor.expect('{', "and a set"))
    return false;
  while (!cursor.acceptMaybe('}')) {
    int64_t low, high;
    const char *place = cursor.position();
    if (!cursor.readInteger(name, 0, width - 1, low))
      return false;
    high = low;
    if (cursor.acceptMaybe('-') && !cursor.readInteger(name, 0, width - 1, high))
      return false;
    if (high < low)
      return cursor.failAt(place, "the range is descending", "expected the lower number first");
    for (int64_t bit = low; bit <= high; ++bit)
      bits |= uint64_t{1} << bit;
    if (cursor.peek() != '}' && !cursor.expect(',', "or '}' after a member of the set of bits"))
      return false;
  }
  return true;
}

bool outOfRange(Cursor &cursor, const char *place, const IntegerRange &range) {
  return cursor.failAt(place, std::string(range.subject) + " is out of range", "expected " + range.text());
}

template <class Owner, class Member>
bool readElement(Cursor &cursor, const Field<Owner, Member> &field, Member &value) {
  if constexpr (NamedEnum<Member>) {
    auto names = std::span(EnumNames<Member>::values);
    auto low = static_cast<size_t>(field.low), high = static_cast<size_t>(field.high);
    size_t choice;
    bool done = cursor.readChoice(names.subspan(low, high - low + 1), field.name, choice);
    value = static_cast<Member>(low + choice);
    return done;
  } else if constexpr (std::is_same_v<Member, float>) {
    return cursor.readFloat(field.name, value);
  } else if (field.width == 64 || field.notation == Notation::set) {
    uint64_t bits;
    const char *place = cursor.position();
    if (!(cursor.peek() == '{' ? readSet(cursor, field.name, field.width, bits)
                               : cursor.readUnsigned(field.name, bits)))
      return false;
    value = static_cast<Member>(bits);
    // A field of 64 bits accepts every value. Its range is not compared, because the limits are stored in a
    // signed type that cannot hold it.
    return field.width == 64 || (bits >= uint64_t(field.low) && bits <= uint64_t(field.high)) ||
           outOfRange(cursor, place, {field.name, field.low, static_cast<uint64_t>(field.high)});
  } else {
    int64_t number;
    bool done = cursor.readInteger(field.name, field.low, field.high, number);
    value = static_cast<Member>(number);
    return done;
  }
}

// ---- operands ----

template <class T>
bool readGroup(Cursor &cursor, std::string_view name, T &group);

template <class Statement, class Member>
bool readValue(Cursor &cursor, const Statement &statement, Member &value) {
  if constexpr (std::is_same_v<Member, Stream>)
    return readStream(cursor, value);
  else if constexpr (std::is_same_v<Member, Vector>)
    return readVector(cursor, value);
  else if constexpr (requires { Member::fields(); })
    return readGroup(cursor, statement.name, value);
  else
    return readElement(cursor, statement, value);
}

template <class T>
inline constexpr auto operandNames = std::apply(
    [](const auto &...statements) { return std::to_array<std::string_view>({statements.name...}); },
    T::fields());

// Parses one `name=value` of an instruction or of a group (an operand of the form name={...}). `seen` has a
// bit for every operand parsed before.
template <class T>
bool readOperand(Cursor &cursor, std::string_view whose, T &object, uint32_t &seen) {
  static constexpr auto fields = T::fields();
  static_assert(std::tuple_size_v<decltype(fields)> <= 32);
  std::string_view name = cursor.peekName();
  auto match = std::ranges::find(operandNames<T>, name);
  if (match == operandNames<T>.end())
    return cursor.fail(std::string(whose) + " has no operand " + quoted(name),
                       suggestion(name, operandNames<T>));
  auto index = static_cast<size_t>(match - operandNames<T>.begin());
  if (seen >> index & 1)
    return cursor.fail("the operand " + quoted(name) + " is given twice");
  seen |= uint32_t{1} << index;
  if (!cursor.readName(name, "an operand") ||
      !cursor.expect('=', "between the name of an operand and its value"))
    return false;
  bool done = false;
  [&]<size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(
        ((i == index &&
          (done = readValue(cursor, std::get<i>(fields), object.*(std::get<i>(fields).member)), true)) ||
         ...));
  }
  (std::make_index_sequence<operandNames<T>.size()>());
  return done;
}

template <class T>
bool readGroup(Cursor &cursor, std::string_view name, T &group) {
  if (!cursor.expect('{', "before the operands of the group " + std::string(name)))
    return false;
  uint32_t seen = 0;
  while (!cursor.acceptMaybe('}')) {
    if (!cursor.startsName())
      return cursor.failExpecting("an operand of " + std::string(name) + " or '}'");
    if (!readOperand(cursor, name, group, seen))
      return false;
  }
  return true;
}

// Parses all operands. An instruction has no closing mark: it ends at the first line that does not begin with
// `name=`.
template <class T>
bool readOperands(Cursor &cursor, Instruction &instruction) {
  T object;
  uint32_t seen = 0;
  while (cursor.startsName() && (!cursor.startsLine() || cursor.nameIsFollowedBy('=')))
    if (!readOperand(cursor, T::mnemonic, object, seen))
      return false;
  if (!cursor.atEnd() && !cursor.startsLine())
    return cursor.failExpecting("an operand or the end of the line");
  instruction = object;
  return true;
}

using OperandReader = bool (*)(Cursor &, Instruction &);
constexpr size_t numInstructions = std::variant_size_v<Instruction>;

constexpr auto mnemonics = [] {
  std::array<std::string_view, numInstructions> names;
  size_t i = 0;
  forEachInstructionType([&]<class T>() { names[i++] = T::mnemonic; });
  return names;
}();
constexpr auto operandReaders = [] {
  std::array<OperandReader, numInstructions> readers{};
  size_t i = 0;
  forEachInstructionType([&]<class T>() { readers[i++] = readOperands<T>; });
  return readers;
}();

} // namespace

bool readInstruction(Cursor &cursor, Instruction &instruction) {
  std::string_view name = cursor.peekName();
  if (name.empty())
    return cursor.failFound("an instruction");
  if (cursor.nameIsFollowedBy('='))
    return cursor.fail("the operand " + quoted(name) + " stands before any instruction",
                       "begin with a mnemonic, as in 'load'");
  auto match = std::ranges::find(mnemonics, name);
  if (match == mnemonics.end())
    return cursor.fail("there is no instruction with the mnemonic " + quoted(name),
                       suggestion(name, mnemonics));
  return cursor.readName(name, "a mnemonic") &&
         operandReaders[static_cast<size_t>(match - mnemonics.begin())](cursor, instruction);
}

Result<Instruction> parseInstruction(std::string_view text, const std::string &place) {
  Cursor cursor(text, place);
  Instruction instruction;
  if (readInstruction(cursor, instruction) && !cursor.atEnd())
    cursor.failFound("the end of the text after one instruction");
  if (cursor.failed())
    return cursor.takeError();
  return instruction;
}

} // namespace tilerig
