// Tests of the text form of instructions: printing and parsing preserves every bit, and every mistake is
// reported with its place.
#include "isa/Assembly/Parser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Instructions/Codec.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomInstruction.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilerig {
namespace {

std::vector<std::byte> bytesOf(const Instruction &instruction) {
  std::vector<std::byte> bytes;
  encode(instruction, bytes);
  return bytes;
}

// Compares bits, because floats that compare equal may have different bits.
void expectSurvives(const Instruction &instruction) {
  std::string text = printInstruction(instruction);
  auto parsed = parseInstruction(text);
  ASSERT_TRUE(parsed) << parsed.error().message() << "\n" << text;
  ASSERT_TRUE(bytesOf(*parsed) == bytesOf(instruction)) << text << "\n" << printInstruction(*parsed);
}

// A million random instructions survive being encoded, decoded, disassembled and assembled.
TEST(InstructionText, MillionRandomInstructionsSurvive) {
  Machine machine = *loadMachine("tr64");
  test::Random random(1);
  std::string text;
  for (uint64_t i = 0; i < test::rounds(1'000'000); ++i) {
    unsigned tiles = static_cast<unsigned>(random.between(1, 64));
    test::Site site{machine, static_cast<unsigned>(random.below(tiles)), tiles};
    Instruction drawn = test::randomInstruction(random, site);
    auto bytes = bytesOf(drawn);
    std::span<const std::byte> cursor(bytes);
    auto decoded = decode(cursor);
    ASSERT_TRUE(decoded) << decoded.error().message();
    text.clear();
    printInstruction(*decoded, 0, text);
    auto parsed = parseInstruction(text);
    ASSERT_TRUE(parsed) << parsed.error().message() << "\n" << text;
    ASSERT_TRUE(bytesOf(*parsed) == bytes) << text;
  }
}

// Extreme values of a field, which random legal instructions seldom or never have: the ends of its range,
// NaN, and values that are illegal but can be encoded, such as a size of 0.
template <class Member, class Statement>
std::vector<Member> extremesOf(const Statement &field) {
  if constexpr (std::is_same_v<Member, float>)
    return {0.0f,
            -0.0f,
            1.0f,
            0.1f,
            INFINITY,
            -INFINITY,
            1e-45f,
            3.4028235e38f,
            std::bit_cast<float>(0x7fc00000u),
            std::bit_cast<float>(0xff800001u),
            std::bit_cast<float>(0x7f812345u),
            16777216.0f,
            1e10f};
  else if constexpr (std::is_same_v<Member, bool>)
    return {false, true};
  else if (field.width == 64)
    return {Member(0), Member(1), static_cast<Member>(UINT64_MAX), static_cast<Member>(0x8000000000000001)};
  else
    return {static_cast<Member>(field.low), static_cast<Member>(field.high),
            static_cast<Member>(field.low + (field.high - field.low) / 2)};
}

TEST(InstructionText, EveryFieldSurvivesAtTheEndsOfItsRange) {
  int fields = 0;
  forEachInstructionType([&]<class T>() {
    T instruction;
    forEachField(instruction, [&](const FieldPath &, const auto &field, auto &member, unsigned) {
      auto before = member;
      for (auto value : extremesOf<std::remove_reference_t<decltype(member)>>(field)) {
        member = value;
        expectSurvives(instruction);
        ++fields;
      }
      member = before;
    });
  });
  EXPECT_GT(fields, 2000);
}

TEST(InstructionText, AnythingThatCanBeEncodedSurvives) {
  test::Random random(2);
  forEachInstructionType([&]<class T>() {
    for (int i = 0; i < 2000; ++i) {
      T instruction;
      forEachField(instruction, [&](const FieldPath &, const auto &field, auto &member, unsigned) {
        using Member = std::remove_reference_t<decltype(member)>;
        if (random.chance(50))
          return;
        if constexpr (std::is_same_v<Member, float>)
          member = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
        else if (random.chance(30))
          member = random.pick(extremesOf<Member>(field));
        else
          member = static_cast<Member>(field.width == 64 ? static_cast<int64_t>(random.next())
                                                         : random.between(field.low, field.high));
      });
      expectSurvives(instruction);
    }
  });
}

TEST(InstructionText, PrintsOneCanonicalForm) {
  auto canonical = [](std::string_view text) {
    auto parsed = parseInstruction(text);
    return parsed ? printInstruction(*parsed) : parsed.error().message();
  };
  EXPECT_EQ(canonical("halt layer=0"), "halt");
  EXPECT_EQ(canonical("  signal\n engine=dma_in ; whose\n tile = 1 semaphore=0x2"),
            "signal engine=dma_in tile=1 semaphore=2 amount=1");
  // Numeric fields of control instructions, and enumerations of all instructions, are printed even if they
  // have their default value.
  EXPECT_EQ(canonical("sync"), "sync engine=sequencer on=pod pending=0");
  EXPECT_EQ(canonical("wait layer=1"), "wait layer=1 engine=sequencer semaphore=0 value=1");
  EXPECT_EQ(canonical("group_barrier"), "group_barrier tiles={}");
  EXPECT_EQ(canonical("binary"), "binary function=add");
  EXPECT_EQ(canonical("normalize inner_dims=1"), "normalize mode=mean_variance");
  EXPECT_EQ(canonical("load source=i8 ddr[0x40+2*64] <1, 1, 4> destination=i8 ocm[0] <4*1>"),
            "load source=i8 ddr[0xc0] <4> destination=i8 ocm[0x0] <4>");
  // The text omits the stride of a dimension without gaps. The innermost such stride is the element size; an
  // outer one is the extent of the dimensions inside it.
  EXPECT_EQ(canonical("fill output=fp32 ocm[0] <2*512, 3*64, 16*4>"),
            "fill output=fp32 ocm[0x0] <2*512, 3, 16>");
  EXPECT_EQ(canonical("fill output=fp32 ocm[0] <7, 1, 16>"), "fill output=fp32 ocm[0x0] <7, 1, 16>");
  EXPECT_EQ(canonical("fill output=fp32 ocm[0] <2*192, 3, 16>"), "fill output=fp32 ocm[0x0] <2, 3, 16>");
  EXPECT_EQ(canonical("copy input=i8 ocm[0] <5*0, 4>"), "copy input=i8 ocm[0x0] <5*0, 4>");
  EXPECT_EQ(canonical("copy input=i8 ocm[0] <4*0, 5*0>"), "copy input=i8 ocm[0x0] <4*0, 5*0>");
  EXPECT_EQ(canonical("copy input=i8 ocm[0] <3, 7*0, 4>"), canonical("copy input=i8 ocm[0] <3*4, 7*0, 4*1>"));
  EXPECT_EQ(canonical("fill value=0x3f800000 output=fp32 ocm[64] <1>"),
            "fill value=0x3f800000 output=fp32 ocm[0x40]");
  EXPECT_EQ(canonical("group_barrier tiles={2,0-1,3,9}"), "group_barrier tiles={0-3, 9}");
  EXPECT_EQ(canonical("group_barrier tiles=0xffffffffffffffff"), "group_barrier tiles={0-63}");
  EXPECT_EQ(canonical("reduce axes={3, 4}"), "reduce function=sum axes={3-4}");
  EXPECT_EQ(canonical("load source=i8 remote 5[64]"), "load source=i8 remote 5[0x40]");
  EXPECT_EQ(canonical("lookup table=[0x200]*"), "lookup table=[0x200]*");
  EXPECT_EQ(canonical("lookup table=none input=none"), "lookup");
  EXPECT_EQ(canonical("activate finish={function=relu output={scale=0.50 zero_point=-3}}"),
            "activate finish={function=relu output={scale=0.5 zero_point=-3}}");
  EXPECT_EQ(canonical("activate finish={alpha=0x7fc00001 beta=-inf}"),
            "activate finish={alpha=0x7fc00001 beta=-inf}");
  EXPECT_EQ(canonical("activate finish={}"), "activate");
}

TEST(InstructionText, LongInstructionsAreBrokenOperandByOperand) {
  auto parsed = parseInstruction(
      "conv layer=7 groups=2 window={stride_h=2 pad_top=1} input=i8 ocm[0] <17,17,32> weights=i8 "
      "ocm[0x4000] <32,3,3,16> output=i8 ocm[0x8000] <8,8,32> epilogue={bias=[0x9000] scale=[0x9100]* "
      "finish={function=relu clamp_low=-128 clamp_high=127 output={scale=0.0235 zero_point=-3}} addend=i8 "
      "ocm[64] <8,8,32>}");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(printInstruction(*parsed), R"(conv layer=7 groups=2 window={stride_h=2 pad_top=1}
    input=i8 ocm[0x0] <17, 17, 32>
    weights=i8 ocm[0x4000] <32, 3, 3, 16>
    output=i8 ocm[0x8000] <8, 8, 32>
    epilogue={
        bias=[0x9000] scale=[0x9100]*
        finish={function=relu clamp_low=-128 clamp_high=127 output={scale=0.0235 zero_point=-3}}
        addend=i8 ocm[0x40] <8, 8, 32>
    })");
}

// A faulty text and the message expected for it: line, column, what was found and what was expected.
struct Mistake {
  std::string_view text, message;
  friend void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.text; }
};

class InstructionMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(InstructionMistakes, AreReportedWithTheirPlace) {
  auto parsed = parseInstruction(GetParam().text, "x");
  ASSERT_FALSE(parsed) << printInstruction(*parsed);
  EXPECT_EQ(parsed.error().message(), GetParam().message);
  EXPECT_EQ(parsed.error().kind, ErrorKind::invalidInput);
}

INSTANTIATE_TEST_SUITE_P(
    All, InstructionMistakes,
    testing::Values(
        // Mistakes in names.
        Mistake{"", "x:1:1: the text ends here; expected an instruction"},
        Mistake{"[", "x:1:1: found '['; expected an instruction"},
        Mistake{"lood", "x:1:1: there is no instruction with the mnemonic 'lood'; did you mean 'load'?"},
        Mistake{"  gruop_barrier",
                "x:1:3: there is no instruction with the mnemonic 'gruop_barrier'; did you mean "
                "'group_barrier'?"},
        Mistake{"layer=3",
                "x:1:1: the operand 'layer' stands before any instruction; begin with a mnemonic, as in "
                "'load'"},
        Mistake{"load sorce=i8", "x:1:6: load has no operand 'sorce'; did you mean 'source'?"},
        Mistake{"halt x=1", "x:1:6: halt has no operand 'x'; expected layer"},
        Mistake{"conv\n  window={strideh=2}",
                "x:2:11: window has no operand 'strideh'; did you mean 'stride_h'?"},
        Mistake{"halt layer=1 layer=1", "x:1:14: the operand 'layer' is given twice"},
        Mistake{"pool window={pad_top=1 pad_top=1}", "x:1:24: the operand 'pad_top' is given twice"},
        Mistake{"halt layer 1",
                "x:1:12: found '1'; expected '=' between the name of an operand and its value"},
        Mistake{"halt 1", "x:1:6: found '1'; expected an operand or the end of the line"},
        Mistake{"halt\nhalt", "x:2:1: found 'halt'; expected the end of the text after one instruction"},
        Mistake{"sync on=podd", "x:1:9: on cannot be 'podd'; did you mean 'pod'?"},
        Mistake{"sync on=sequencer", "x:1:9: on cannot be 'sequencer'; expected pod, pe, dma_in or dma_out"},
        Mistake{"sync on=3", "x:1:9: found '3'; expected on: pod, pe, dma_in or dma_out"},
        Mistake{"activate finish={function=rleu}", "x:1:27: function cannot be 'rleu'; did you mean 'relu'?"},
        // Mistakes in integers.
        Mistake{"halt layer=16777216", "x:1:12: '16777216' is out of range; expected layer: 0..16777215"},
        Mistake{"halt layer=-1", "x:1:12: '-1' is out of range; expected layer: 0..16777215"},
        Mistake{"halt layer=0x1000000", "x:1:12: '0x1000000' is out of range; expected layer: 0..16777215"},
        Mistake{"halt layer=99999999999999999999",
                "x:1:12: '99999999999999999999' is out of range; expected layer: 0..16777215"},
        Mistake{"halt layer=12a", "x:1:12: '12a' is not an integer; expected layer: 0..16777215"},
        Mistake{"halt layer=1.5", "x:1:12: '1.5' is not an integer; expected layer: 0..16777215"},
        Mistake{"halt layer=0x", "x:1:12: '0x' is not an integer; expected layer: 0..16777215"},
        Mistake{"halt layer=", "x:1:12: the text ends here; expected layer: 0..16777215"},
        Mistake{"halt layer=-", "x:1:12: found '-'; expected layer: 0..16777215"},
        Mistake{"halt layer=base", "x:1:12: the name 'base' is not defined; expected layer: 0..16777215, "
                                   "or the name of an earlier .define or .constant"},
        Mistake{"signal amount=0", "x:1:15: '0' is out of range; expected amount: 1..4294967295"},
        Mistake{"load clip=2", "x:1:11: '2' is out of range; expected clip: 0..1"},
        Mistake{"activate input_affine={zero_point=256}",
                "x:1:35: '256' is out of range; expected zero_point: -256..255"},
        // Instruction texts with mistakes in sets of numbers.
        Mistake{"group_barrier tiles={64}", "x:1:22: '64' is out of range; expected tiles: 0..63"},
        Mistake{"group_barrier tiles={5-3}",
                "x:1:22: the range is descending; expected the lower number first"},
        Mistake{"group_barrier tiles={1 2}",
                "x:1:24: found '2'; expected ',' or '}' after a member of the set of bits"},
        Mistake{"group_barrier tiles=-1",
                "x:1:21: '-1' is out of range; expected tiles: 0..18446744073709551615"},
        Mistake{"reduce axes={}", "x:1:13: axes is out of range; expected axes: 1..31"},
        Mistake{"reduce axes={5}", "x:1:14: '5' is out of range; expected axes: 0..4"},
        // Mistakes in floats.
        Mistake{"activate finish={alpha=x}",
                "x:1:24: 'x' is not a number; expected alpha: decimal, inf, or 32 bits in hexadecimal"},
        Mistake{"activate finish={alpha=nan}",
                "x:1:24: 'nan' is not a number; expected alpha: decimal, inf, or 32 bits in hexadecimal"},
        Mistake{"activate finish={alpha=1e99}",
                "x:1:24: '1e99' is beyond the range of fp32; write inf or 0 if infinity or zero is meant"},
        Mistake{"activate finish={alpha=0x123456789}", "x:1:24: '0x123456789' has more than 32 bits"},
        Mistake{"activate finish={alpha=1.2.3}",
                "x:1:24: '1.2.3' is not a number; expected alpha: decimal, inf, or 32 bits in hexadecimal"},
        Mistake{"activate finish={alpha=}", "x:1:24: found '}'; expected alpha"},
        // Instruction texts with mistakes in streams and vectors.
        Mistake{"load source=ddr[0]",
                "x:1:13: element type cannot be 'ddr'; expected i8, u8, i9, i32, fp16, bf16 or fp32"},
        Mistake{"load source=i8", "x:1:15: the text ends here; expected memory: none, ocm, ddr or remote"},
        Mistake{"load source=i8 ddd[0]", "x:1:16: memory cannot be 'ddd'; did you mean 'ddr'?"},
        Mistake{"load source=i8 remote[0]", "x:1:22: found '['; expected tile: 0..255"},
        Mistake{"load source=i8 ddr(0)", "x:1:19: found '('; expected tile: 0..255"},
        Mistake{"load source=i8 ddr[0x10000000000]",
                "x:1:20: '0x10000000000' is out of range; expected address: 0..1099511627775"},
        Mistake{"load source=i8 ddr[4-8]",
                "x:1:20: '4-8' is out of range; expected address: 0..1099511627775"},
        Mistake{"load source=i8 ddr[9223372036854775807+1]",
                "x:1:20: '9223372036854775807+1' is out of range; expected address: 0..1099511627775"},
        Mistake{"load source=i8 ddr[9223372036854775807*2]",
                "x:1:20: '9223372036854775807*2' is out of range; expected address: 0..1099511627775"},
        Mistake{"load source=i8 ddr[1+]", "x:1:22: found ']'; expected address: 0..1099511627775"},
        Mistake{"load source=i8 ddr[1", "x:1:21: the text ends here; expected ']' after the address"},
        Mistake{"load source=i8 ddr[1] <>", "x:1:24: found '>'; expected size: 0..4294967295"},
        Mistake{"load source=i8 ddr[1] <4294967296>",
                "x:1:24: '4294967296' is out of range; expected size: 0..4294967295"},
        Mistake{"load source=i8 ddr[1] <3*>", "x:1:26: found '>'; expected stride: 0..4294967295"},
        Mistake{"load source=i8 ddr[1] <1,2,3,4,5,6>",
                "x:1:34: a stream has at most five dimensions; expected '>'"},
        Mistake{"load source=i8 ddr[1] <4 5>", "x:1:26: found '5'; expected '>' or ',' after a dimension"},
        Mistake{"load source=i8 ddr[1] <2, 65536, 65536>",
                "x:1:24: the default stride 4294967296 is out of range; expected 0..4294967295"},
        Mistake{"lookup table=0x200", "x:1:14: found '0x200'; expected '[' and an address"},
        Mistake{"pool window=3", "x:1:13: found '3'; expected '{' before the operands of the group window"},
        Mistake{"pool window={pad_top=1", "x:1:23: the text ends here; expected an operand of window or '}'"},
        // Instruction texts with characters that occur in no valid text.
        Mistake{std::string_view("halt \0", 6),
                "x:1:6: found '\\x00'; expected an operand or the end of the line"},
        Mistake{"halt\n\n\tlayer=\x1b", "x:3:8: found '\\x1b'; expected layer: 0..16777215"},
        Mistake{"halt ; ä\n layer=ö", "x:2:8: found 'ö'; expected layer: 0..16777215"}));

} // namespace
} // namespace tilerig
