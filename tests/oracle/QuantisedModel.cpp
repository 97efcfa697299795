// The program tilerig-quantised-model: writes a random ONNX model of quantised operators, on which the
// reference and ONNX Runtime must agree in every bit:
//
//   tilerig-quantised-model SEED COUNT MODEL.onnx [wide | full]       COUNT nodes of each operator
//
// All operands are initialisers. The first operand of each node is an input, too, which prevents constant
// folding. In two of three nodes scales are powers of two and values are multiples of half a scale, so that
// ties in rounding are common; in the other nodes both are arbitrary.
//
// Signed weights have 8 bits with `full`, and 7 bits without it: on processors without VNNI, ONNX Runtime
// adds pairs of products in 16 bits with saturation, which 8-bit weights can reach. `wide` is for these
// processors when ONNX Runtime is told to rewrite weights to avoid the saturation: weights then have 8 bits
// in MatMulInteger and in QLinearConv of unsigned images. ONNX Runtime does not rewrite the weights of
// QLinearMatMul, and has no kernel for QLinearConv of signed images with rewritten weights. Other pairs of
// types for which it has no kernel are left out.
#include "isa/Base/Support/File.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"

#include <cmath>
#include <cstdlib>
#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::test;

namespace {

enum class Weights { sevenBits, wide, full };

class Generator {
public:
  Generator(OnnxModel &model, uint64_t seed, Weights kind) : model(model), random(seed), kind(kind) {}

  void add(const std::string &op, uint64_t number) {
    place = fmt::format("{}_{}", op, number);
    dyadic = number % 3 != 2;
    inputs.clear();
    outputs = {place};
    if (op == "QuantizeLinear")
      quantizeLinear();
    else if (op == "DequantizeLinear")
      dequantizeLinear();
    else if (op == "DynamicQuantizeLinear")
      dynamicQuantizeLinear();
    else if (op == "MatMulInteger")
      matMulInteger();
    else if (op == "QLinearMatMul")
      qLinearMatMul();
    else if (op == "ConvInteger")
      convInteger();
    else
      qLinearConv();
  }

private:
  // ---- operands ----

  void give(const Tensor &tensor) {
    inputs.push_back(fmt::format("{}/{}", place, inputs.size()));
    if (inputs.size() == 1)
      model.input(inputs.back(), tensor.dtype(), tensor.shape());
    model.initialiser(inputs.back(), tensor);
  }
  onnx::NodeProto &node(const std::string &op) {
    for (const std::string &output : outputs)
      model.output(output);
    return model.node(op, inputs, outputs);
  }

  float scale(int low, int high) {
    if (dyadic)
      return std::ldexp(1.0f, static_cast<int>(random.between(low, high)));
    return std::ldexp(1.0f + static_cast<float>(random.below(1 << 20)) * 0x1p-20f,
                      static_cast<int>(random.between(low, high)));
  }
  Tensor scales(const Shape &shape, int low, int high) {
    Tensor tensor(DType::f32, shape);
    for (float &element : tensor.mutableAs<float>())
      element = scale(low, high);
    return tensor;
  }

  // Random integers of the type. 15 of 100 tensors consist only of the type's smallest and largest value,
  // which saturate and give the largest sums.
  Tensor integers(DType type, const Shape &shape) {
    Tensor tensor(type, shape);
    bool extreme = random.chance(15);
    dispatch(type, [&]<class T>() {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        for (T &element : tensor.mutableAs<T>())
          element = !extreme            ? static_cast<T>(random.next())
                    : random.chance(50) ? std::numeric_limits<T>::min()
                                        : std::numeric_limits<T>::max();
    });
    return tensor;
  }
  Tensor weights(DType type, const Shape &shape, bool canBeRewritten = true) {
    Tensor tensor = integers(type, shape);
    if (type == DType::i8 && (kind == Weights::sevenBits || (kind == Weights::wide && !canBeRewritten)))
      for (int8_t &element : tensor.mutableAs<int8_t>())
        element = static_cast<int8_t>(element / 2);
    return tensor;
  }
  DType eight() { return random.chance(50) ? DType::u8 : DType::i8; }
  // Draws the types of the two operands of a product: unsigned with unsigned or signed, or signed with
  // signed.
  std::pair<DType, DType> operands() {
    DType left = eight();
    return {left, left == DType::u8 ? eight() : DType::i8};
  }
  int64_t size(int64_t most) { return random.between(1, most); }

  // ---- operators ----

  // Chooses the granularity of scale and zero point: a random axis of `shape` if they differ along this axis,
  // none if the whole tensor shares one scale and zero point.
  std::optional<size_t> pickAxis(const Shape &shape) {
    return random.chance(50) ? std::optional(random.below(shape.size())) : std::nullopt;
  }
  static Shape parametersOf(const Shape &shape, std::optional<size_t> axis) {
    return axis ? Shape{shape[*axis]} : Shape{};
  }

  void quantizeLinear() {
    Shape shape{size(4), size(5), size(6)};
    auto axis = pickAxis(shape);
    DType type = random.pick({DType::u8, DType::i8, DType::u16, DType::i16});
    Tensor steps = scales(parametersOf(shape, axis), -6, 3);
    float unit = steps.as<float>()[0];
    bool wide = type == DType::u16 || type == DType::i16;
    Tensor x(DType::f32, shape);
    for (float &element : x.mutableAs<float>()) {
      auto halves = static_cast<float>(random.between(-700, 700)) * (wide ? 128.0f : 1.0f);
      element = random.chance(3) ? std::copysign(INFINITY, halves)
                : dyadic         ? halves * unit / 2
                                 : halves * 0.4871f * unit;
    }
    give(x);
    give(steps);
    give(integers(type, parametersOf(shape, axis)));
    finish("QuantizeLinear", axis);
  }

  void dequantizeLinear() {
    Shape shape{size(4), size(5), size(6)};
    auto axis = pickAxis(shape);
    DType type = random.pick({DType::u8, DType::i8, DType::u16, DType::i16, DType::i32});
    give(integers(type, shape));
    give(scales(parametersOf(shape, axis), -6, 3));
    if (type != DType::i32)
      give(integers(type, parametersOf(shape, axis)));
    finish("DequantizeLinear", axis);
  }

  void finish(const std::string &op, std::optional<size_t> axis) {
    onnx::NodeProto &nodeProto = node(op);
    if (axis)
      setInt(nodeProto, "axis", static_cast<int64_t>(*axis));
  }

  // DynamicQuantizeLinear derives its scale from the range of the elements. If the node is to test ties of
  // the rounding, the range is 255 times a power of two, so that the scale is this power of two.
  void dynamicQuantizeLinear() {
    float unit = scale(-6, 3);
    auto zero = static_cast<float>(random.between(0, 255));
    Tensor x(DType::f32, {size(4) + 1, size(30) + 1});
    auto elements = x.mutableAs<float>();
    for (float &element : elements)
      element = dyadic ? (static_cast<float>(random.between(0, 510)) / 2 - zero) * unit
                       : (static_cast<float>(random.below(1 << 20)) * 0x1p-12f - zero) * unit;
    if (dyadic) {
      elements.front() = -zero * unit;
      elements.back() = (255 - zero) * unit;
    }
    give(x);
    outputs = {place, place + "_scale", place + "_zero"};
    node("DynamicQuantizeLinear");
  }

  void matMulInteger() {
    int64_t rows = size(5), depth = size(70), columns = size(6);
    auto [left, right] = operands();
    Shape a{rows, depth};
    if (random.chance(30))
      a.insert(a.begin(), size(3));
    give(integers(left, a));
    give(weights(right, {depth, columns}));
    give(integers(left, {}));
    give(integers(right, random.chance(50) ? Shape{} : Shape{columns}));
    node("MatMulInteger");
  }

  void qLinearMatMul() {
    int64_t rows = size(5), depth = size(40), columns = size(6);
    auto [left, right] = operands();
    give(integers(left, {rows, depth}));
    give(scales({}, -4, -1));
    give(integers(left, {}));
    give(weights(right, {depth, columns}, false));
    bool byColumn = random.chance(40);
    give(scales(byColumn ? Shape{columns} : Shape{}, -4, -1));
    give(integers(right, byColumn ? Shape{columns} : Shape{}));
    give(scales({}, 1, 5));
    give(integers(left, {}));
    node("QLinearMatMul");
  }

  struct Convolution {
    Shape x, w;
    std::vector<int64_t> pads, strides, dilations;
    int64_t groups;
  };
  Convolution convolution() {
    int64_t groups = size(2), channels = groups * size(3), filters = groups * size(3);
    Convolution shape{{size(2), channels}, {filters, channels / groups}, {}, {}, {}, groups};
    for (int axis = 0; axis < 2; ++axis) {
      shape.w.push_back(size(3));
      shape.strides.push_back(size(2));
      shape.dilations.push_back(size(2));
      shape.x.push_back((shape.w.back() - 1) * shape.dilations.back() + size(5));
    }
    for (int side = 0; side < 4; ++side)
      shape.pads.push_back(random.between(0, shape.w[2 + static_cast<size_t>(side % 2)] - 1));
    return shape;
  }
  static void describe(onnx::NodeProto &nodeProto, const Convolution &shape) {
    setInt(nodeProto, "group", shape.groups);
    setInts(nodeProto, "pads", shape.pads);
    setInts(nodeProto, "strides", shape.strides);
    setInts(nodeProto, "dilations", shape.dilations);
  }

  void convInteger() {
    Convolution shape = convolution();
    give(integers(DType::u8, shape.x));
    give(integers(DType::u8, shape.w));
    give(integers(DType::u8, {}));
    give(integers(DType::u8, {}));
    describe(node("ConvInteger"), shape);
  }

  void qLinearConv() {
    Convolution shape = convolution();
    auto [left, right] = operands();
    bool byFilter = random.chance(50);
    Shape parameters = byFilter ? Shape{shape.w[0]} : Shape{};
    give(integers(left, shape.x));
    give(scales({}, -4, -1));
    give(integers(left, {}));
    give(weights(right, shape.w, left == DType::u8));
    give(scales(parameters, -4, -1));
    give(right == DType::u8 ? integers(right, {}) : Tensor(right, parameters));
    give(scales({}, 1, 5));
    give(integers(left, {}));
    if (random.chance(50)) {
      Tensor bias(DType::i32, {shape.w[0]});
      for (int32_t &element : bias.mutableAs<int32_t>())
        element = static_cast<int32_t>(random.between(-5000, 5000));
      give(bias);
    }
    describe(node("QLinearConv"), shape);
  }

  OnnxModel &model;
  Random random;
  Weights kind;
  std::string place;
  bool dyadic = true;
  Names inputs, outputs;
};

} // namespace

int main(int argc, char **argv) {
  const std::string_view last = argc == 5 ? argv[4] : "";
  const Weights kind = last == "full" ? Weights::full : last == "wide" ? Weights::wide : Weights::sevenBits;
  if (argc != 4 && kind == Weights::sevenBits) {
    fmt::print(stderr, "usage: {} SEED COUNT MODEL.onnx [wide | full]\n", argv[0]);
    return 2;
  }
  OnnxModel model(21);
  model.proto().set_ir_version(10);
  Generator generator(model, std::strtoull(argv[1], nullptr, 10), kind);
  uint64_t count = std::strtoull(argv[2], nullptr, 10);
  for (const char *op : {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger",
                         "QLinearMatMul", "ConvInteger", "QLinearConv"})
    for (uint64_t number = 0; number < count; ++number)
      generator.add(op, number);
  if (Status status = writeText(argv[3], model.bytes()); !status) {
    fmt::print(stderr, "{}\n", status.error().message());
    return 3;
  }
  return 0;
}
