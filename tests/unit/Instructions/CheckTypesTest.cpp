// Tests of legal combinations of types. They are stated here a second time, as conditions, and compared with
// the checker for every combination.

#include "isa/Instructions/Check.h"
#include "tests/support/Samples.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using enum ElementType;
constexpr std::array allTypes{i8, u8, i9, i32, fp16, bf16, fp32};

Stream single(ElementType type, Space space = Space::ocm) {
  Stream stream{.space = space, .type = type};
  stream.dims.fill({1, 0});
  return stream;
}
Affine affineOf(ElementType type) { return isQuantised(type) ? Affine{1.0f, 0} : Affine{}; }
bool isPodInteger(ElementType type) { return type == i8 || type == u8; }
bool isReal(ElementType type) { return type != i32; }

// Whether the checker accepts the types of the instruction. Errors that the checker finds after its check of
// types are ignored.
bool typesAreLegal(const Instruction &instruction) {
  const Status status = checkInstruction(instruction, samples::machine(), samples::tile, samples::tiles);
  if (status)
    return true;
  const std::string &place = status.error().place;
  const bool isType = place.ends_with(".type") || place.ends_with(".space");
  EXPECT_TRUE(isType || place.find("finish") != std::string::npos ||
              place.find("epilogue") != std::string::npos || place.ends_with("table.present"))
      << status.error().message();
  return !isType;
}

// Compares the checker with `legal` for every combination of types, on the instruction that `make` builds.
template <class Make, class Legal>
void compareAll(Make &&make, Legal &&legal) {
  for (ElementType a : allTypes)
    for (ElementType b : allTypes)
      for (ElementType c : allTypes)
        EXPECT_EQ(typesAreLegal(make(a, b, c)), legal(a, b, c))
            << EnumNames<ElementType>::values[static_cast<size_t>(a)] << " "
            << EnumNames<ElementType>::values[static_cast<size_t>(b)] << " "
            << EnumNames<ElementType>::values[static_cast<size_t>(c)];
}
template <class Make, class Legal>
void comparePairs(Make &&make, Legal &&legal) {
  for (ElementType a : allTypes)
    for (ElementType b : allTypes)
      EXPECT_EQ(typesAreLegal(make(a, b)), legal(a, b))
          << EnumNames<ElementType>::values[static_cast<size_t>(a)] << " "
          << EnumNames<ElementType>::values[static_cast<size_t>(b)];
}

bool isConversion(ElementType from, ElementType to) {
  if (from == to)
    return true;
  if (from == i9 || to == i9)
    return from == i9 ? isPodInteger(to) : isPodInteger(from);
  return isFloat(from) && isFloat(to) && (from == fp32 || to == fp32);
}

TEST(Types, OfTransfers) {
  comparePairs([](auto a, auto b) { return Load{.source = single(a, Space::ddr), .destination = single(b)}; },
               isConversion);
  comparePairs([](auto a, auto b) { return Store{.source = single(a), .destination = single(b)}; },
               isConversion);
  comparePairs(
      [](auto a, auto b) { return Multicast{.tiles = 1, .source = single(a), .destination = single(b)}; },
      isConversion);
  compareAll(
      [](auto a, auto b, auto c) {
        return Gather{.indices = single(a), .source = single(b), .destination = single(c)};
      },
      [](auto a, auto b, auto c) { return a == i32 && b == c; });
}

template <class T>
T podOf(ElementType a, ElementType b, ElementType output);
template <>
Matmul podOf(ElementType a, ElementType b, ElementType output) {
  return {.a = single(a), .b = single(b), .output = single(output)};
}
template <>
Conv podOf(ElementType a, ElementType b, ElementType output) {
  return {.input = single(a), .weights = single(b), .output = single(output)};
}
bool isPod(ElementType a, ElementType b, ElementType output) {
  return (isPodInteger(a) && isPodInteger(b)) || (isFloat(a) && a == b && isFloat(output));
}

TEST(Types, OfThePod) {
  compareAll(podOf<Matmul>, isPod);
  compareAll(podOf<Conv>, isPod);
}

TEST(Types, OfWhatThePodStartsFromAndAdds) {
  const auto accumulating = [](ElementType a, ElementType output, ElementType from) {
    Matmul matmul = podOf<Matmul>(a, a, output);
    matmul.epilogue.accumulateFrom = single(from);
    return matmul;
  };
  compareAll(accumulating, [](auto a, auto output, auto from) {
    return isPod(a, a, output) && from == (isFloat(a) ? fp32 : i32);
  });
  const auto adding = [](ElementType a, ElementType output, ElementType addend) {
    Conv conv = podOf<Conv>(a, a, output);
    conv.epilogue.addend = single(addend);
    conv.epilogue.addendAffine = affineOf(addend);
    return conv;
  };
  compareAll(adding, [](auto a, auto output, auto addend) {
    return isPod(a, a, output) && output != i32 && (isFloat(output) ? isFloat(addend) : isPodInteger(addend));
  });
}

TEST(Types, OfElementwiseInstructions) {
  const auto binary = [](BinaryFunction function) {
    return [function](ElementType a, ElementType b, ElementType output) {
      return Binary{.function = function,
                    .aAffine = affineOf(a),
                    .bAffine = affineOf(b),
                    .a = single(a),
                    .b = single(b),
                    .output = single(output)};
    };
  };
  const auto isPair = [](auto a, auto b, auto output) { return isReal(output) || (a == i32 && b == i32); };
  compareAll(binary(BinaryFunction::add), isPair);
  compareAll(binary(BinaryFunction::less), isPair);
  compareAll(binary(BinaryFunction::pow), [](auto, auto, auto output) { return isReal(output); });
  compareAll(
      [](auto a, auto b, auto output) {
        return Select{.aAffine = affineOf(a),
                      .bAffine = affineOf(b),
                      .condition = single(u8),
                      .a = single(a),
                      .b = single(b),
                      .output = single(output)};
      },
      isPair);
  comparePairs(
      [](auto condition, auto) {
        return Select{
            .condition = single(condition), .a = single(fp32), .b = single(fp32), .output = single(fp32)};
      },
      [](auto condition, auto) { return condition == u8; });
  comparePairs(
      [](auto a, auto b) {
        return Activate{.inputAffine = affineOf(a), .input = single(a), .output = single(b)};
      },
      [](auto, auto) { return true; });
  comparePairs([](auto a, auto b) { return Lookup{.input = single(a), .output = single(b)}; },
               [](auto a, auto) { return isQuantised(a); });
  comparePairs([](auto a, auto b) { return Copy{.input = single(a), .output = single(b)}; }, std::equal_to());
}

TEST(Types, OfRows) {
  const auto reduce = [](ReduceFunction function) {
    return [function](ElementType a, ElementType b) {
      return Reduce{
          .function = function, .inputAffine = affineOf(a), .input = single(a), .output = single(b)};
    };
  };
  comparePairs(reduce(ReduceFunction::sum),
               [](auto a, auto b) { return isQuantised(a) ? isQuantised(b) : isReal(b) || a == i32; });
  comparePairs(reduce(ReduceFunction::mean),
               [](auto a, auto b) { return isQuantised(a) ? isQuantised(b) : isReal(b); });
  for (const auto function : {ReduceFunction::max, ReduceFunction::min})
    comparePairs(reduce(function),
                 [](auto a, auto b) { return isQuantised(a) ? a == b : isReal(b) || a == i32; });
  for (const auto function : {ReduceFunction::product, ReduceFunction::sumSquares, ReduceFunction::sumAbs})
    comparePairs(reduce(function), [](auto a, auto b) { return isReal(b) || a == i32; });
  for (const auto function : {ReduceFunction::argMax, ReduceFunction::argMin})
    comparePairs(reduce(function), [](auto, auto b) { return b == i32; });
  const auto isRealPair = [](auto a, auto b) { return isReal(a) && isReal(b); };
  comparePairs(
      [](auto a, auto b) {
        return Softmax{.inputAffine = affineOf(a), .input = single(a), .output = single(b)};
      },
      isRealPair);
  comparePairs(
      [](auto a, auto b) {
        return Normalize{.inputAffine = affineOf(a), .input = single(a), .output = single(b)};
      },
      isRealPair);
  comparePairs(
      [](auto gain, auto shift) {
        return Normalize{
            .input = single(fp16), .gain = single(gain), .shift = single(shift), .output = single(fp16)};
      },
      [](auto gain, auto shift) { return isFloat(gain) && isFloat(shift); });
}

TEST(Types, OfImages) {
  const auto pool = [](PoolFunction function) {
    return [function](ElementType a, ElementType b) {
      return Pool{.function = function, .inputAffine = affineOf(a), .input = single(a), .output = single(b)};
    };
  };
  comparePairs(pool(PoolFunction::max),
               [](auto a, auto b) { return isQuantised(a) ? a == b : isFloat(a) && isReal(b); });
  for (const auto function : {PoolFunction::average, PoolFunction::averageWithPadding, PoolFunction::sum})
    comparePairs(pool(function),
                 [](auto a, auto b) { return isQuantised(a) ? isQuantised(b) : isFloat(a) && isReal(b); });
  const auto resize = [](ResizeMode mode) {
    return [mode](ElementType a, ElementType b) {
      return Resize{.mode = mode, .inputAffine = affineOf(a), .input = single(a), .output = single(b)};
    };
  };
  for (const auto mode : {ResizeMode::nearest, ResizeMode::linear, ResizeMode::cubic})
    comparePairs(resize(mode), [](auto a, auto b) { return isReal(a) && isReal(b); });
  comparePairs([](auto a, auto b) { return Flatten{.input = single(a), .output = single(b)}; },
               std::equal_to());
}

} // namespace
} // namespace tilerig
