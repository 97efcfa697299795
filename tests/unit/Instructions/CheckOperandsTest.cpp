// Tests of the rules for all streams of all instructions: tables state where each operand may lie and whether it
// is read or written, and each rule is broken for each operand in turn.

#include "isa/Instructions/Check.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/FieldText.h"
#include "isa/Instructions/Streams.h"
#include "tests/support/Samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tilerig {
namespace {

// For each operand of each transfer instruction: "reads" or "writes", then the memory spaces in which the
// operand may lie. The instructions' headers state the same independently of this table.
const std::map<std::string, std::string> transferOperands = {
    {"load source", "reads ddr remote"},   {"load destination", "writes ocm"},
    {"store source", "reads ocm"},         {"store destination", "writes ocm ddr remote"},
    {"multicast source", "reads ocm ddr"}, {"multicast destination", "writes ocm"},
    {"gather indices", "reads ocm"},       {"gather source", "reads ocm ddr"},
    {"gather destination", "writes ocm"},
};
// Operands that may be absent, of instructions of the engines POD and PE.
const std::set<std::string> optionalOperands = {"normalize gain",
                                                "normalize shift",
                                                "matmul epilogue.accumulate_from",
                                                "matmul epilogue.addend",
                                                "conv epilogue.accumulate_from",
                                                "conv epilogue.addend"};

// The row that an operand should have in the table of operands, with "?" at the end if it is optional.
template <class T>
std::string rowOf(std::string_view operand) {
  const std::string name = std::string(T::mnemonic) + " " + std::string(operand);
  if (TransferInstruction<T>)
    return transferOperands.at(name);
  return std::string(operand == "output" ? "writes ocm" : "reads ocm") +
         (optionalOperands.contains(name) ? " ?" : "");
}

Status check(const Instruction &instruction) {
  return checkInstruction(instruction, samples::machine(), samples::tile, samples::tiles);
}

// Calls visit(instruction, name, stream, table row) for each operand (a stream) that is present in the sample
// of each instruction type (Samples.h); the visitor may change the stream.
template <class Visitor>
void forEachOperand(Visitor &&visit) {
  forEachInstructionType([&]<class T>() {
    for (const rules::Operand<T> &operand : rules::rulesOf<T>().operands) {
      T instruction = samples::make<T>();
      auto &stream = const_cast<Stream &>(operand.stream(instruction));
      if (stream.present())
        visit(instruction, std::string(operand.name), stream, rowOf<T>(operand.name));
    }
  });
}

template <class T>
void expectRefused(const T &instruction, const std::string &field, const std::string &words = {}) {
  const Status status = check(instruction);
  ASSERT_FALSE(status) << T::mnemonic << ": " << field << " was accepted";
  EXPECT_EQ(status.error().place, std::string(T::mnemonic) + ": " + field) << status.error().message();
  EXPECT_NE(status.error().message().find(words), std::string::npos) << status.error().message();
}

TEST(Operands, AreAllStreamsAmongTheFields) {
  forEachInstructionType([&]<class T>() {
    std::vector<std::string> fields, operands;
    const T instruction;
    forEachField(instruction, [&](const FieldPath &path, const auto &, const auto &, unsigned) {
      if (path.name == "space")
        fields.push_back(fieldName(*path.outer));
    });
    for (const auto &operand : rules::rulesOf<T>().operands)
      operands.emplace_back(operand.name);
    std::ranges::sort(fields);
    std::ranges::sort(operands);
    EXPECT_EQ(fields, operands) << T::mnemonic;
  });
}

TEST(Operands, SamplesAreLegal) {
  forEachInstructionType([&]<class T>() {
    const Status status = check(samples::make<T>());
    EXPECT_TRUE(status) << status.error().message();
  });
}

TEST(Operands, LieInTheirSpacesOnly) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &row) {
    for (const Space space : {Space::none, Space::ocm, Space::ddr, Space::remote}) {
      stream.space = space;
      stream.tile = space == Space::remote ? 0 : stream.tile;
      const std::string word(EnumNames<Space>::values[static_cast<size_t>(space)]);
      if (row.find(word) != std::string::npos)
        EXPECT_TRUE(check(instruction)) << name << " in " << word;
      else if (space == Space::none && row.back() == '?')
        expectRefused(instruction, name + (stream.type == ElementType::i8 ? ".base" : ".type"), "absent");
      else
        expectRefused(instruction, name + ".space", "is " + word);
    }
  });
}

TEST(Operands, NameAnotherTileIfAndOnlyIfRemote) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &row) {
    stream.tile = 2;
    expectRefused(instruction, name + ".tile", "expected 0");
    if (row.find("remote") == std::string::npos)
      return;
    stream.space = Space::remote;
    EXPECT_TRUE(check(instruction));
    stream.tile = samples::tiles;
    expectRefused(instruction, name + ".tile", "a tile of the program, 0..3");
    stream.tile = samples::tile;
    expectRefused(instruction, name + ".tile", "a tile other than");
  });
}

TEST(Operands, HaveSizesAndNoStrideAtSizeOne) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &) {
    for (unsigned d = 0; d < 5; ++d) {
      const Dimension kept = stream.dims[d];
      const std::string dim = name + ".dims[" + std::to_string(d) + "]";
      stream.dims[d].size = 0;
      expectRefused(instruction, dim + ".size", "at least 1");
      stream.dims[d] = {1, 64};
      expectRefused(instruction, dim + ".stride", "expected 0");
      stream.dims[d] = kept;
    }
  });
}

TEST(Operands, AreAlignedToTheirElements) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &) {
    const unsigned element = sizeBytes(stream.type);
    if (element == 1)
      return;
    for (unsigned off = 1; off < element; ++off) {
      stream.base += off;
      expectRefused(instruction, name + ".base", "a multiple of " + std::to_string(element));
      stream.base -= off;
      for (unsigned d = 0; d < 5; ++d) {
        if (stream.dims[d].size == 1)
          continue;
        stream.dims[d].stride += off;
        expectRefused(instruction, name + ".dims[" + std::to_string(d) + "].stride", "a multiple of");
        stream.dims[d].stride -= off;
      }
    }
  });
}

TEST(Operands, EndWhereTheMemoryEnds) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &) {
    const uint64_t memory =
        stream.space == Space::ddr ? samples::machine().ddr.sizeBytes : samples::machine().tile.ocmBytes;
    const unsigned element = sizeBytes(stream.type);
    uint64_t extent = element;
    for (const Dimension &dim : stream.dims)
      extent += uint64_t{dim.size - 1} * dim.stride;
    stream.base = memory - extent;
    EXPECT_TRUE(check(instruction)) << name;
    stream.base += element;
    expectRefused(instruction,
                  name + ".dims[" +
                      (stream.dims[0].size > 1   ? "0"
                       : stream.dims[1].size > 1 ? "1"
                       : stream.dims[2].size > 1 ? "2"
                                                 : "4") +
                      "].stride",
                  ", which has " + std::to_string(memory) + " bytes");
    stream.base = (uint64_t{1} << 40) - element;
    expectRefused(instruction, name + ".base", "expected an address in the ");
  });
}

// A stream whose sum of size * stride exceeds 64 bits is refused; the sum must not overflow in the checker
// itself.
TEST(Operands, AreRefusedWithoutOverflow) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &) {
    for (unsigned d = 0; d < 5; ++d) {
      const auto kept = stream.dims;
      if (stream.dims[d].size == 1)
        continue;
      for (Dimension &dim : stream.dims)
        if (dim.size > 1)
          dim.stride = UINT32_MAX - 3;
      stream.dims[d].size = INT32_MAX;
      const Status status = check(instruction);
      ASSERT_FALSE(status) << name;
      EXPECT_EQ(status.error().place.rfind(std::string(instruction.mnemonic) + ": " + name + ".dims[", 0), 0u)
          << status.error().message();
      stream.dims = kept;
    }
  });
}

TEST(Operands, ThatAreWrittenAreNestedAndOthersNeedNotBe) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &row) {
    for (unsigned d = 0; d < 5; ++d) {
      if (stream.dims[d].size == 1)
        continue;
      const uint32_t tight = stream.dims[d].stride;
      for (const uint32_t stride : {0u, tight - sizeBytes(stream.type)}) {
        stream.dims[d].stride = stride;
        if (row.starts_with("writes"))
          expectRefused(instruction, name + ".dims[" + std::to_string(d) + "].stride",
                        "nothing is written twice");
        else
          EXPECT_TRUE(check(instruction)) << name;
      }
      stream.dims[d].stride = tight;
    }
  });
}

TEST(Operands, ThatAreAbsentAreAllZero) {
  Conv conv = samples::make<Conv>();
  conv.epilogue.addend.dims[3].stride = 4;
  expectRefused(conv, "epilogue.addend.dims[3].stride", "expected 0, as the stream is absent");
  Normalize normalize = samples::make<Normalize>();
  normalize.shift.base = 4;
  expectRefused(normalize, "shift.base", "absent");
  Matmul matmul = samples::make<Matmul>();
  matmul.epilogue.accumulateFrom.tile = 1;
  expectRefused(matmul, "epilogue.accumulate_from.tile", "absent");
}

// 2^31 - 1 elements, all read from one address, are legal; one more is not.
TEST(Operands, HaveAtMost31BitsOfElements) {
  Reduce reduce = samples::make<Reduce>();
  reduce.function = ReduceFunction::product;
  reduce.axes = 0b10000;
  reduce.input.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {INT32_MAX, 0}}};
  reduce.output.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}};
  EXPECT_TRUE(check(reduce));
  reduce.input.dims[4].size += 1;
  expectRefused(reduce, "input.dims[4].size", "2147483647 elements");
  reduce.input.dims[3].size = reduce.input.dims[4].size = 1 << 16;
  expectRefused(reduce, "input.dims[4].size", "2147483647 elements");
}

// Any size of any operand, increased by one, is refused: it disagrees with another operand or with a rule.
TEST(Operands, AgreeInTheirSizes) {
  forEachOperand([&](auto &instruction, const std::string &name, Stream &stream, const std::string &) {
    using T = std::remove_cvref_t<decltype(instruction)>;
    // Sizes that may be increased without being refused: those of an image, which may be larger than the
    // windows cover, and those of an operand that is the only one of its instruction.
    const bool isFreeThroughout = readsSelectedPixels<T> || rules::rulesOf<T>().operands.size() == 1;
    const auto isFree = [&](unsigned d) {
      if constexpr (std::is_same_v<T, Reduce>)
        return name == "input" && (instruction.axes >> d & 1);
      else if constexpr (std::is_same_v<T, Gather>)
        return name == "source" && d == 2;
      else
        return isFreeThroughout;
    };
    for (unsigned d = 0; d < 5; ++d) {
      const auto kept = stream.dims;
      stream.dims[d].size += 1;
      uint32_t extent = sizeBytes(stream.type);
      for (int i = 4; i >= 0; --i) { // computes strides that leave no gaps with the new size
        stream.dims[i].stride = stream.dims[i].size > 1 ? extent : 0;
        extent *= stream.dims[i].size;
      }
      const Status status = check(instruction);
      if (isFree(d) && status) {
        stream.dims = kept;
        continue;
      }
      ASSERT_FALSE(status) << T::mnemonic << " " << name << " dimension " << d;
      EXPECT_NE(status.error().place.find(".dims["), std::string::npos) << status.error().message();
      EXPECT_NE(status.error().place.find("].size"), std::string::npos) << status.error().message();
      stream.dims = kept;
    }
  });
}

} // namespace
} // namespace tilerig
