// Encoder and decoder. The fast path extracts and compares the fields, and only records whether any value is
// illegal. If one is, a second walk over the fields finds it and writes the message.

#include "isa/Instructions/Codec.h"

#include "isa/Instructions/FieldText.h"

#include <fmt/format.h>

#include <cstring>

namespace tilerig {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the words of instructions are copied from and to files without swapping bytes");

template <unsigned bit, unsigned width>
uint64_t extract(const uint64_t *words) {
  constexpr unsigned shift = bit % 64;
  uint64_t value = words[bit / 64] >> shift;
  if constexpr (shift + width > 64)
    value |= words[bit / 64 + 1] << (64 - shift);
  return value & lowBits(width);
}

template <unsigned bit, unsigned width>
void insert(uint64_t value, uint64_t *words) {
  constexpr unsigned shift = bit % 64;
  value &= lowBits(width);
  words[bit / 64] |= value << shift;
  if constexpr (shift + width > 64)
    words[bit / 64 + 1] |= value >> (64 - shift);
}

// Calls `one` for each element of a field that is an array of groups, with the element's index and first bit
// as template arguments.
template <size_t count, unsigned bit, unsigned pitch, class One>
void forEachElement(One &&one) {
  [&]<size_t... i>(std::index_sequence<i...>) { (one.template operator()<i, bit + i * pitch>(), ...); }
  (std::make_index_sequence<count>());
}

// Calls `one` for each statement of T (an entry of fields(): a field, group or array). The index of the
// statement is a template argument, so that `one` can use the statement as a compile-time constant.
template <class T, class One>
void forEachStatement(One &&one) {
  [&]<size_t... i>(std::index_sequence<i...>) { (one.template operator()<i>(), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(T::fields())>>());
}

// Decodes the fields of `object` from 64-bit words; bit 0 of the object is bit `base` of the first word.
// Returns false if the value of a field is out of range.
template <class T, unsigned base>
bool readFields(T &object, const uint64_t *words) {
  bool legal = true;
  forEachStatement<T>([&]<size_t index>() {
    constexpr auto statement = std::get<index>(T::fields());
    constexpr unsigned bit = base + statement.bit;
    auto &member = object.*(statement.member);
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (requires { statement.width; }) {
      static_assert(statement.width <= 8 * sizeof(Member), "a field is wider than its member");
      member = fromBits<Member>(extract<bit, statement.width>(words), statement.width);
      legal &= inRange(statement, member);
    } else if constexpr (requires { statement.pitch; }) {
      forEachElement<std::tuple_size_v<Member>, bit, statement.pitch>([&]<size_t i, unsigned start>() {
        legal &= readFields<typename Member::value_type, start % 64>(member[i], words + start / 64);
      });
    } else {
      legal &= readFields<Member, bit % 64>(member, words + bit / 64);
    }
  });
  return legal;
}

template <class T, unsigned base>
void writeFields(const T &object, uint64_t *words) {
  forEachStatement<T>([&]<size_t index>() {
    constexpr auto statement = std::get<index>(T::fields());
    constexpr unsigned bit = base + statement.bit;
    const auto &member = object.*(statement.member);
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (requires { statement.width; }) {
      assert(inRange(statement, member) && "encode: a field is out of its range");
      insert<bit, statement.width>(toBits(member), words);
    } else if constexpr (requires { statement.pitch; }) {
      forEachElement<std::tuple_size_v<Member>, bit, statement.pitch>([&]<size_t i, unsigned start>() {
        writeFields<typename Member::value_type, start % 64>(member[i], words + start / 64);
      });
    } else {
      writeFields<Member, bit % 64>(member, words + bit / 64);
    }
  });
}

template <class T>
using Words = std::array<uint64_t, T::bits / 64>;

template <class T>
uint64_t reservedBitsOf(const Words<T> &words) {
  uint64_t reserved = 0;
  for (size_t i = 0; i < words.size(); ++i)
    reserved |= words[i] & ~instructionBits<T>[i];
  return reserved;
}

template <class T>
Error explainReserved(const Words<T> &words) {
  unsigned bit = 0;
  while (!((words[bit / 64] & ~instructionBits<T>[bit / 64]) >> (bit % 64) & 1))
    ++bit;
  return invalidInput(std::string(T::mnemonic), fmt::format("reserved bit {} is set", bit),
                      "reserved bits are zero; was the program made by a newer version?");
}

template <class T>
bool rangesAreLegal(const T &object) {
  bool legal = true;
  forEachField(object, [&](const FieldPath &, const auto &field, const auto &value, unsigned) {
    legal &= inRange(field, value);
  });
  return legal;
}

template <class T>
Status explainRanges(const T &object) {
  Status status = success();
  forEachField(object, [&](const FieldPath &path, const auto &field, const auto &value, unsigned) {
    if (status)
      status = checkRange(path, field, value);
  });
  return status ? std::move(status) : Status(std::move(status).error().within(std::string(T::mnemonic)));
}

template <class T>
Status decodeAs(std::span<const std::byte> bytes, Instruction &out) {
  if (bytes.size() < T::bits / 8)
    return invalidInput(
        std::string(T::mnemonic),
        fmt::format("the instruction takes {} bytes, but only {} are left", T::bits / 8, bytes.size()),
        "the program is cut off");
  Words<T> words;
  std::memcpy(words.data(), bytes.data(), T::bits / 8);
  T &object = out.emplace<T>();
  const bool legal = readFields<T, 0>(object, words.data());
  if (reservedBitsOf<T>(words)) [[unlikely]]
    return explainReserved<T>(words);
  if (!legal) [[unlikely]]
    return explainRanges(object);
  return success();
}

// The decoder and length of the instruction with an opcode; null for an unknown opcode.
struct Entry {
  Status (*decode)(std::span<const std::byte>, Instruction &) = nullptr;
  unsigned bytes = 0;
};

constexpr std::array<Entry, 256> entries = [] {
  std::array<Entry, 256> table{};
  forEachInstructionType([&]<class T>() {
    Entry &entry = table[static_cast<uint8_t>(T::opcode)];
    if (entry.decode)
      throw "two instructions share an opcode";
    entry = {&decodeAs<T>, T::bits / 8};
  });
  return table;
}();

// Decodes an instruction directly into `out`, because instructions are large and a program contains many.
Status decodeInto(std::span<const std::byte> &cursor, Instruction &out) {
  if (cursor.empty())
    return invalidInput("opcode", "no bytes are left for an instruction", "the program is cut off");
  const auto opcode = static_cast<uint8_t>(cursor[0]);
  const Entry &entry = entries[opcode];
  if (!entry.decode)
    return invalidInput("opcode", fmt::format("0x{:02x} is not the opcode of an instruction", opcode),
                        "was the program made by a newer version?");
  TILERIG_CHECK_OK(entry.decode(cursor, out));
  cursor = cursor.subspan(entry.bytes);
  return success();
}

// Number of instructions before the first one with an unknown opcode, or before the end; used to reserve
// memory.
size_t countInstructions(std::span<const std::byte> bytes) {
  size_t count = 0;
  for (size_t at = 0; at < bytes.size(); ++count) {
    const unsigned length = entries[static_cast<uint8_t>(bytes[at])].bytes;
    if (length == 0)
      break;
    at += length;
  }
  return count;
}

} // namespace

Status checkRanges(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) { return rangesAreLegal(typed) ? success() : explainRanges(typed); },
      instruction);
}

void encode(const Instruction &instruction, std::vector<std::byte> &out) {
  std::visit(
      [&]<class T>(const T &typed) {
        Words<T> words{};
        words[0] = static_cast<uint64_t>(T::opcode);
        writeFields<T, 0>(typed, words.data());
        const auto bytes = std::as_bytes(std::span(words));
        out.insert(out.end(), bytes.begin(), bytes.end());
      },
      instruction);
}

Result<Instruction> decode(std::span<const std::byte> &cursor) {
  Instruction instruction;
  TILERIG_CHECK_OK(decodeInto(cursor, instruction));
  return instruction;
}

Result<std::vector<Instruction>> decodeAll(std::span<const std::byte> bytes) {
  std::vector<Instruction> instructions;
  instructions.reserve(countInstructions(bytes));
  while (!bytes.empty()) {
    const size_t index = instructions.size();
    if (Status status = decodeInto(bytes, instructions.emplace_back()); !status)
      return std::move(status).error().within(fmt::format("instruction {}", index));
  }
  return instructions;
}

} // namespace tilerig
