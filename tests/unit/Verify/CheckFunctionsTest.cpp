// A function that the compiler fuses from several operators is rounded only once by the machine, not after
// each operator. The ONNX model that the compiler writes must round in the same way. Tested with every 16-bit
// value and as many 32-bit ones.
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "tests/support/OnnxModel.h"
#include "tests/unit/Verify/CheckedNetwork.h"

#include <bit>

namespace tilerig::verify::test {
namespace {

constexpr uint32_t patterns = 1 << 16;

template <class Float>
Tensor inputOf(Float floatOf) {
  Tensor x(DType::f32, {256, 256});
  for (uint32_t i = 0; i < patterns; ++i)
    x.mutableAs<float>()[i] = floatOf(i);
  return x;
}

struct FunctionCase {
  const char *precision;
  Tensor (*input)();
};
const FunctionCase cases[] = {
    // An odd step through the bit patterns reaches all kinds of signs, exponents and fractions.
    {"fp32", [] { return inputOf([](uint32_t i) { return std::bit_cast<float>(i * 65521u); }); }},
    {"fp16", [] { return inputOf([](uint32_t i) { return toFloat(Fp16{static_cast<uint16_t>(i)}); }); }},
    {"bf16", [] { return inputOf([](uint32_t i) { return toFloat(Bf16{static_cast<uint16_t>(i)}); }); }},
    {"int8", [] { return inputOf([](uint32_t i) { return static_cast<float>(i % 4096) / 256 - 8; }); }},
};

class Functions : public testing::TestWithParam<FunctionCase> {
protected:
  // Expects every bit of y to equal that of the reference.
  static void expectBits(const tilerig::test::OnnxModel &model) {
    TensorMap inputs;
    ASSERT_TRUE(inputs.add("x", GetParam().input()));
    CompileOptions options;
    options.precision = GetParam().precision;
    options.machine = valueOf(loadMachine("tr64"));
    options.program.tiles = 4;
    const Check check =
        valueOf(Check::create(SourceModel::of("function", model.bytes()), inputs, options, testThreads()));
    const auto tensors = judged(check, check.program());
    ASSERT_TRUE(tensors.contains("y"));
    for (const auto &[name, tensor] : tensors)
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
  }
};

TEST_P(Functions, SiluOfTwoOperators) {
  tilerig::test::OnnxModel model;
  model.input("x", DType::f32, {256, 256});
  model.node("Sigmoid", {"x"}, {"gate"});
  model.node("Mul", {"x", "gate"}, {"y"});
  model.output("y");
  expectBits(model);
}

TEST_P(Functions, Swish) {
  tilerig::test::OnnxModel model(24);
  model.input("x", DType::f32, {256, 256});
  model.node("Swish", {"x"}, {"y"});
  model.output("y");
  expectBits(model);
}

TEST_P(Functions, SwishOfAnotherSlope) {
  tilerig::test::OnnxModel model(24);
  model.input("x", DType::f32, {256, 256});
  tilerig::test::setFloat(model.node("Swish", {"x"}, {"y"}), "alpha", 1.5f);
  model.output("y");
  expectBits(model);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Functions, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.precision); });

} // namespace
} // namespace tilerig::verify::test
