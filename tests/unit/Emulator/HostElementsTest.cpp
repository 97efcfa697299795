// Tests of the operators of the host on elements, whose types the machine has no instructions for: results worked out
// by hand at the limits of the types, and operands to be refused.
#include "emulator/Host/Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilerig {
using namespace emulator;
namespace {

using Bytes = std::vector<int8_t>;

// A call of a kernel with integer attributes.
proto::HostWork callOf(const std::string &kernel,
                       const std::vector<std::pair<std::string, int64_t>> &integers = {}) {
  proto::HostWork work;
  work.set_kernel(kernel);
  for (const auto &[name, value] : integers)
    (*work.mutable_attributes())[name].add_ints(value);
  return work;
}

Result<Tensor> runElements(const proto::HostWork &work, const std::vector<const Tensor *> &inputs) {
  TILERIG_TRY(HostResult result, findHostKernel(work.kernel())->run(HostCall{work, inputs}));
  return std::move(result.outputs[0]);
}

template <class T>
std::vector<T> elementsOf(const Result<Tensor> &tensor) {
  EXPECT_TRUE(tensor) << tensor.error().message();
  if (!tensor)
    return {};
  const auto elements = tensor->as<T>();
  return std::vector<T>(elements.begin(), elements.end());
}

template <class T>
Tensor row(const std::vector<T> &elements) {
  Tensor tensor(dtypeOf<T>, {static_cast<int64_t>(elements.size())});
  std::ranges::copy(elements, tensor.mutableAs<T>().begin());
  return tensor;
}

template <class T>
std::vector<T> combined(const std::string &kernel, const std::vector<T> &a, const std::vector<T> &b) {
  const Tensor left = row(a), right = row(b);
  return elementsOf<T>(runElements(callOf(kernel), {&left, &right}));
}

TEST(HostElements, IntegersWrapAround) {
  EXPECT_EQ(combined<int8_t>("Add", {127, -128}, {1, -1}), (Bytes{-128, 127}));
  EXPECT_EQ(combined<int8_t>("Sub", {-128, 127}, {1, -1}), (Bytes{127, -128}));
  EXPECT_EQ(combined<int8_t>("Mul", {64, -128}, {4, -1}), (Bytes{0, -128}));
  EXPECT_EQ(combined<uint16_t>("Mul", {65535}, {65535}), (std::vector<uint16_t>{1}));
  EXPECT_EQ(combined<int64_t>("Add", {std::numeric_limits<int64_t>::max()}, {1}),
            (std::vector<int64_t>{std::numeric_limits<int64_t>::min()}));
  const Tensor lowest = row<int8_t>({-128, -3, 0});
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Neg"), {&lowest})), (Bytes{-128, 3, 0}));
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Abs"), {&lowest})), (Bytes{-128, 3, 0}));
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Sign"), {&lowest})), (Bytes{-1, -1, 0}));
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("BitwiseNot"), {&lowest})), (Bytes{127, 2, -1}));
}

// The quotient is rounded towards zero. The remainder has the sign of the divisor, with fmod that of the dividend.
TEST(HostElements, DivideIntegers) {
  EXPECT_EQ(combined<int8_t>("Div", {-7, 7, -128}, {2, -2, -1}), (Bytes{-3, -3, -128}));
  EXPECT_EQ(combined<int8_t>("Mod", {-7, 7, -128, 6}, {3, -3, -1, 3}), (Bytes{2, -2, 0, 0}));
  const Tensor a = row<int8_t>({-7, 7, -128}), b = row<int8_t>({3, -3, -1}), zero = row<int8_t>({0});
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Mod", {{"fmod", 1}}), {&a, &b})), (Bytes{-1, 1, 0}));
  EXPECT_FALSE(runElements(callOf("Div"), {&a, &zero}));
  EXPECT_FALSE(runElements(callOf("Mod"), {&a, &zero}));
  const Tensor x = row<double>({-7.5}), y = row<double>({2});
  EXPECT_EQ(elementsOf<double>(runElements(callOf("Mod", {{"fmod", 1}}), {&x, &y})),
            (std::vector<double>{-1.5}));
  EXPECT_FALSE(runElements(callOf("Mod"), {&x, &y}));
}

TEST(HostElements, RaiseIntegersToPowers) {
  const Tensor bases = row<int16_t>({3, -2, 2, 1, -1, 2}), exponents = row<int8_t>({4, 3, -1, -5, -3, 16});
  EXPECT_EQ(elementsOf<int16_t>(runElements(callOf("Pow"), {&bases, &exponents})),
            (std::vector<int16_t>{81, -8, 0, 1, -1, 0}));
  const Tensor reals = row<float>({0.5f, 2, 20, 1, 1, -1});
  EXPECT_EQ(elementsOf<int16_t>(runElements(callOf("Pow"), {&bases, &reals})),
            (std::vector<int16_t>{1, 4, 32767, 1, -1, 0}));
  EXPECT_FALSE(runElements(callOf("Pow"), {&reals, &bases}));
}

TEST(HostElements, TakeNanAndTheLargerZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto largest = combined<double>("Max", {nan, 1, -0.0, 0.0, 2}, {1, nan, 0.0, -0.0, 1});
  EXPECT_TRUE(std::isnan(largest[0]) && std::isnan(largest[1]));
  EXPECT_FALSE(std::signbit(largest[2]) || std::signbit(largest[3]));
  EXPECT_EQ(largest[4], 2);
  const auto least = combined<double>("Min", {nan, 1, -0.0, 0.0, 2}, {1, nan, 0.0, -0.0, 1});
  EXPECT_TRUE(std::isnan(least[0]) && std::isnan(least[1]));
  EXPECT_TRUE(std::signbit(least[2]) && std::signbit(least[3]));
  EXPECT_EQ(least[4], 1);
}

TEST(HostElements, CompareUnsignedAndBroadcast) {
  const Tensor a = Tensor::of<uint32_t>({2, 1}, {1, 4'000'000'000}),
               b = Tensor::of<uint32_t>({2}, {1, 4'000'000'000});
  EXPECT_EQ(elementsOf<bool>(runElements(callOf("Less"), {&a, &b})),
            (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(elementsOf<bool>(runElements(callOf("GreaterOrEqual"), {&a, &b})),
            (std::vector<bool>{true, false, true, true}));
  const Tensor three(DType::u32, {3}), shorts(DType::u16, {2});
  EXPECT_FALSE(runElements(callOf("Less"), {&a, &shorts}));
  EXPECT_FALSE(runElements(callOf("Add"), {&b, &three}));
}

TEST(HostElements, WorkOnBits) {
  EXPECT_EQ(combined<int8_t>("BitwiseAnd", {-1, 6}, {12, 3}), (Bytes{12, 2}));
  EXPECT_EQ(combined<int8_t>("BitwiseOr", {-128, 6}, {1, 3}), (Bytes{-127, 7}));
  EXPECT_EQ(combined<int8_t>("BitwiseXor", {-1, 6}, {1, 3}), (Bytes{-2, 5}));
  const Tensor a = row<uint8_t>({129, 129, 129}), places = row<uint8_t>({1, 7, 8});
  proto::HostWork shift = callOf("BitShift");
  EXPECT_FALSE(runElements(shift, {&a, &places}));
  (*shift.mutable_attributes())["direction"].set_text("LEFT");
  EXPECT_EQ(elementsOf<uint8_t>(runElements(shift, {&a, &places})), (std::vector<uint8_t>{2, 128, 0}));
  (*shift.mutable_attributes())["direction"].set_text("RIGHT");
  EXPECT_EQ(elementsOf<uint8_t>(runElements(shift, {&a, &places})), (std::vector<uint8_t>{64, 1, 0}));
  const Tensor reals = row<float>({1});
  EXPECT_FALSE(runElements(callOf("BitwiseAnd"), {&reals, &reals}));
}

// The element types of ONNX: 3 is int8, 10 is float16, 11 is float64, 14 is complex64.
TEST(HostElements, ConvertTypes) {
  const Tensor reals = row<double>({-1e9, 127.9, -0.5, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Cast", {{"to", 3}}), {&reals})), (Bytes{-128, 127, 0, 0}));
  const Tensor wide = row<int16_t>({300, -129});
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Cast", {{"to", 3}}), {&wide})), (Bytes{44, 127}));
  // Rounded once: 1 + 2^-11 + 2^-40 is above the middle between two halves, but float32 would round it to the middle.
  const Tensor middle = row<double>({1 + 0x1p-11 + 0x1p-40});
  EXPECT_EQ(elementsOf<Float16>(runElements(callOf("Cast", {{"to", 10}}), {&middle})),
            (std::vector<Float16>{{0x3c01}}));
  const Tensor half = row<Float16>({{0x3c01}});
  EXPECT_EQ(elementsOf<double>(runElements(callOf("Cast", {{"to", 11}}), {&half})),
            (std::vector<double>{1 + 0x1p-10}));
  EXPECT_FALSE(runElements(callOf("Cast", {{"to", 99}}), {&half}));
  EXPECT_FALSE(runElements(callOf("Cast", {{"to", 14}}), {&half}));
}

TEST(HostElements, MoveElements) {
  const Tensor condition = Tensor::of<bool>({2, 1}, {true, false}), a = row<int16_t>({1, 2}),
               b = row<int16_t>({8, 9});
  EXPECT_EQ(elementsOf<int16_t>(runElements(callOf("Where"), {&condition, &a, &b})),
            (std::vector<int16_t>{1, 2, 8, 9}));
  EXPECT_EQ(elementsOf<int16_t>(runElements(callOf("Concat", {{"axis", -1}}), {&a, &b})),
            (std::vector<int16_t>{1, 2, 8, 9}));
  const Tensor left = Tensor::of<int8_t>({2, 1}, {1, 4}), right = Tensor::of<int8_t>({2, 2}, {2, 3, 5, 6});
  EXPECT_EQ(elementsOf<int8_t>(runElements(callOf("Concat", {{"axis", 1}}), {&left, &right})),
            (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(runElements(callOf("Concat", {{"axis", 0}}), {&left, &right}));
  EXPECT_FALSE(runElements(callOf("Concat", {{"axis", 1}}), {&left, nullptr}));
  proto::HostWork expand = callOf("Expand");
  for (const int64_t size : {2, 2, 2})
    (*expand.mutable_attributes())["shape"].add_ints(size);
  EXPECT_EQ(elementsOf<int8_t>(runElements(expand, {&left})), (Bytes{1, 1, 4, 4, 1, 1, 4, 4}));
  (*expand.mutable_attributes())["shape"].set_ints(1, 1);
  EXPECT_FALSE(runElements(expand, {&left}));
  const Tensor other = row<int8_t>({1, 2});
  EXPECT_FALSE(runElements(callOf("Where"), {&condition, &a, &other}));
}

} // namespace
} // namespace tilerig
