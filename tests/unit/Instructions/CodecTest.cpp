// Tests of encoding and decoding of instructions: against an encoder that sets single bits, at the ends of
// every field's range, beyond them, and with every reserved bit.

#include "isa/Instructions/Codec.h"

#include "isa/Instructions/FieldText.h"
#include "tests/support/Random.h"
#include "tests/support/Samples.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using Bytes = std::vector<std::byte>;

Bytes encoded(const Instruction &instruction) {
  Bytes bytes;
  encode(instruction, bytes);
  return bytes;
}

void setBit(Bytes &bytes, unsigned bit, bool value) {
  const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
  bytes[bit / 8] = value ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask;
}

void setBits(Bytes &bytes, unsigned bit, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; ++i)
    setBit(bytes, bit + i, value >> i & 1);
}

// Naive encoder that sets one bit after the other.
template <class T>
Bytes encodedByBits(const T &instruction) {
  Bytes bytes(T::bits / 8);
  setBits(bytes, 0, 8, static_cast<uint64_t>(T::opcode));
  forEachField(instruction, [&](const FieldPath &, const auto &field, const auto &value, unsigned bit) {
    setBits(bytes, bit, field.width, toBits(value));
  });
  return bytes;
}

template <class T>
Result<Instruction> decoded(const T &bytes) {
  std::span<const std::byte> cursor(bytes);
  return decode(cursor);
}

// The position and the range of a field of an instruction.
struct Place {
  std::string name;
  unsigned bit, width;
  int64_t low, high;
  bool isFloat;
  std::vector<std::string_view> names; // names of the values of an enum field; empty for other fields
};

template <class T>
std::vector<Place> placesOf() {
  std::vector<Place> places;
  const T instruction = samples::make<T>();
  forEachField(instruction, [&]<class Owner, class Member>(const FieldPath &path,
                                                           const Field<Owner, Member> &field, const Member &,
                                                           unsigned bit) {
    places.push_back(
        {fieldName(path), bit, field.width, field.low, field.high, std::is_same_v<Member, float>, {}});
    if constexpr (NamedEnum<Member>)
      places.back().names.assign(EnumNames<Member>::values.begin(), EnumNames<Member>::values.end());
  });
  return places;
}

// One test for every type of instruction.
template <class T>
class CodecOf : public testing::Test {};

template <class Variant>
struct TestTypes;
template <class... Types>
struct TestTypes<std::variant<Types...>> {
  using All = testing::Types<Types...>;
};
struct Mnemonics {
  template <class T>
  static std::string GetName(int) {
    return std::string(T::mnemonic);
  }
};
TYPED_TEST_SUITE(CodecOf, TestTypes<Instruction>::All, Mnemonics);

TYPED_TEST(CodecOf, EncodesAsBitByBit) {
  const TypeParam sample = samples::make<TypeParam>();
  EXPECT_EQ(encoded(sample), encodedByBits(sample));
  EXPECT_EQ(encoded(sample).size(), numWords<TypeParam> * wordBytes);
}

TYPED_TEST(CodecOf, DecodesWhatItEncodes) {
  const Instruction sample = samples::make<TypeParam>();
  Bytes bytes = encoded(sample);
  bytes.resize(bytes.size() + 5); // decode() does not consume bytes after the instruction
  std::span<const std::byte> cursor(bytes);
  const auto result = decode(cursor);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(*result, sample);
  EXPECT_EQ(cursor.size(), 5u);
}

TYPED_TEST(CodecOf, KeepsTheEndsOfEveryRange) {
  for (const Place &place : placesOf<TypeParam>()) {
    std::vector<uint64_t> ends{static_cast<uint64_t>(place.low), static_cast<uint64_t>(place.high)};
    if (place.width == 64) // the maximum of an unsigned field does not fit in `high`
      ends.back() = ~uint64_t{0};
    if (place.isFloat) // the ends of a float field: both zeros and both infinities
      ends = {0, 0x80000000, 0x7F800000, 0xFF800000};
    for (const uint64_t end : ends) {
      Bytes bytes = encoded(samples::make<TypeParam>());
      setBits(bytes, place.bit, place.width, end);
      const auto result = decoded(bytes);
      ASSERT_TRUE(result) << place.name << ": " << result.error().message();
      EXPECT_EQ(encoded(*result), bytes) << place.name;
      EXPECT_EQ(encodedByBits(std::get<TypeParam>(*result)), bytes) << place.name;
    }
  }
}

TYPED_TEST(CodecOf, RefusesValuesBesideTheRange) {
  for (const Place &place : placesOf<TypeParam>()) {
    if (place.isFloat || place.width == 64)
      continue;
    const bool isSigned = place.low < 0;
    const int64_t lowestBits = isSigned ? -(int64_t{1} << (place.width - 1)) : 0;
    const int64_t highestBits = (int64_t{1} << (place.width - isSigned)) - 1;
    for (const int64_t value : {place.low - 1, place.high + 1, lowestBits, highestBits}) {
      if ((place.low <= value && value <= place.high) || value < lowestBits || value > highestBits)
        continue; // only illegal values that fit in the bits of the field are tested
      Bytes bytes = encoded(samples::make<TypeParam>());
      setBits(bytes, place.bit, place.width, static_cast<uint64_t>(value));
      const auto result = decoded(bytes);
      ASSERT_FALSE(result) << place.name << " = " << value;
      EXPECT_EQ(result.error().place, std::string(TypeParam::mnemonic) + ": " + place.name);
      const bool isNamed = value >= 0 && static_cast<size_t>(value) < place.names.size();
      EXPECT_EQ(result.error().what, "is " + (isNamed ? std::string(place.names[static_cast<size_t>(value)])
                                                      : std::to_string(value)));
    }
  }
}

TYPED_TEST(CodecOf, RefusesEveryReservedBit) {
  const Bytes legal = encoded(samples::make<TypeParam>());
  std::vector<bool> used(TypeParam::bits);
  std::fill_n(used.begin(), 8, true);
  for (const Place &place : placesOf<TypeParam>())
    std::fill_n(used.begin() + place.bit, place.width, true);
  for (unsigned bit = 0; bit < TypeParam::bits; ++bit) {
    if (used[bit])
      continue;
    Bytes bytes = legal;
    setBit(bytes, bit, true);
    const auto result = decoded(bytes);
    ASSERT_FALSE(result) << "bit " << bit;
    EXPECT_EQ(result.error().place, TypeParam::mnemonic);
    EXPECT_EQ(result.error().what, "reserved bit " + std::to_string(bit) + " is set");
  }
}

TYPED_TEST(CodecOf, RefusesTruncation) {
  const Bytes bytes = encoded(samples::make<TypeParam>());
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::span<const std::byte> cursor = std::span(bytes).first(length);
    const auto result = decode(cursor);
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(cursor.size(), length) << "a refused instruction is not taken";
    EXPECT_EQ(result.error().place, length == 0 ? "opcode" : TypeParam::mnemonic);
  }
}

TYPED_TEST(CodecOf, ChecksRangesInMemory) {
  TypeParam instruction = samples::make<TypeParam>();
  EXPECT_TRUE(checkRanges(instruction));
  instruction.layer = 1u << 24;
  const Status status = checkRanges(instruction);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(),
            std::string(TypeParam::mnemonic) + ": layer: is 16777216; expected 0..16777215");
}

TEST(Codec, RefusesUnknownOpcodes) {
  std::vector<bool> known(256);
  forEachInstructionType([&]<class T>() { known[static_cast<uint8_t>(T::opcode)] = true; });
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    Bytes bytes(maxWords * wordBytes);
    bytes[0] = static_cast<std::byte>(opcode);
    const auto result = decoded(bytes);
    if (!known[opcode]) {
      ASSERT_FALSE(result) << opcode;
      EXPECT_EQ(result.error().place, "opcode");
    } else if (!result) { // the opcode is known, but 0 is illegal in another field
      EXPECT_NE(result.error().place, "opcode");
    }
  }
}

TEST(Codec, DecodesAllOrNamesTheInstruction) {
  const std::vector<Instruction> program{samples::make<Load>(), samples::make<Conv>(), samples::make<Halt>()};
  Bytes bytes;
  for (const Instruction &instruction : program)
    encode(instruction, bytes);
  const auto all = decodeAll(bytes);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(*all, program);

  setBit(bytes, samples::make<Load>().bits + samples::make<Conv>().bits + 127, true);
  const auto refused = decodeAll(bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message().rfind("instruction 2: halt: reserved bit 127 is set", 0), 0u)
      << refused.error().message();

  const auto cut = decodeAll(std::span(bytes).first(bytes.size() - 17));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().place, "instruction 1: conv");
  EXPECT_TRUE(decodeAll({})->empty());
}

// Whatever the bytes, the decoder either refuses them or returns an instruction that encodes to the same
// bytes.
TEST(Codec, AcceptsOnlyWhatItWouldWrite) {
  test::Random random(7);
  unsigned accepted = 0;
  forEachInstructionType([&]<class T>() {
    for (unsigned round = 0; round < 2000; ++round) {
      Bytes bytes = encoded(samples::make<T>());
      for (uint64_t flips = random.below(3); flips-- > 0;) {
        const auto bit = static_cast<unsigned>(random.below(T::bits));
        setBit(bytes, bit, random.chance(50));
      }
      if (const auto result = decoded(bytes)) {
        ++accepted;
        EXPECT_EQ(encoded(*result), Bytes(bytes.begin(), bytes.begin() + encoded(*result).size()));
      }
    }
  });
  EXPECT_GT(accepted, 10000u);
}

} // namespace
} // namespace tilerig
