#include "tests/conformance/random-graphs/EdgeValues.h"

#include <cmath>
#include <cstring>
#include <span>

namespace tilerig::meaning {

namespace {

constexpr float edges[] = {NAN,        INFINITY,  -INFINITY,       -0.0f,           0x1p-149f,
                           -0x1p-130f, 0x1p-126f, 0x1p-70f,        0x1.8p10f,       -0x1p16f,
                           0x1p100f,   -0x1p120f, 0x1.fffffep127f, -0x1.fffffep127f};

// Replaces one element in eight by an edge value. In half of the tensors all replaced elements get the same
// value: with a mixture, a NaN could hide the effect of other values.
void putEdges(std::span<float> elements, test::Random &random) {
  const float one = random.pick(edges);
  const bool isOfOneKind = random.below(2) == 0;
  for (float &element : elements)
    if (random.below(8) == 0)
      element = isOfOneKind ? one : random.pick(edges);
}

void putEdges(onnx::TensorProto &constant, test::Random &random) {
  if (constant.has_raw_data()) {
    std::vector<float> elements(constant.raw_data().size() / sizeof(float));
    std::memcpy(elements.data(), constant.raw_data().data(), elements.size() * sizeof(float));
    putEdges(elements, random);
    constant.mutable_raw_data()->assign(reinterpret_cast<const char *>(elements.data()),
                                        elements.size() * sizeof(float));
  } else {
    putEdges(std::span(constant.mutable_float_data()->mutable_data(),
                       static_cast<size_t>(constant.float_data_size())),
             random);
  }
}

} // namespace

void putEdgesIntoInputs(Trial &trial, test::Random &random) {
  for (auto &[name, tensor] : trial.inputs)
    if (tensor.dtype() == DType::f32 && random.below(4) != 0)
      putEdges(tensor.mutableAs<float>(), random);
}

void putEdgesIntoConstants(Trial &trial, test::Random &random) {
  for (onnx::TensorProto &constant : *trial.model.mutable_graph()->mutable_initializer())
    if (constant.data_type() == onnx::TensorProto::FLOAT && constant.dims_size() >= 2 && random.below(3) == 0)
      putEdges(constant, random);
}

} // namespace tilerig::meaning
