#include "tests/support/RandomModel/Fitted.h"

namespace tilerig::test {

RandomValue firstOf(RandomGraph &graph, const RandomValue &x, int64_t axis, int64_t count) {
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = count;
  if (graph.opset < 10) {
    onnx::NodeProto &node = graph.node("Slice", {x.name});
    setInts(node, "axes", {axis}), setInts(node, "starts", {0}), setInts(node, "ends", {count});
    return graph.give(node, shape, x.size);
  }
  const std::string starts = graph.ints({0}), ends = graph.ints({count}), axes = graph.ints({axis});
  return graph.give(graph.node("Slice", {x.name, starts, ends, axes}), shape, x.size);
}

RandomValue fitted(RandomGraph &graph, const Shape &shape) {
  RandomValue x = graph.pick();
  for (int attempt = 0; attempt < 3 && x.shape != shape; ++attempt)
    x = graph.pick();
  if (x.shape == shape)
    return x;
  const int64_t wanted = RandomValue{"", shape}.elements(), elements = x.elements();
  if (x.rank() != 1)
    x = graph.reshaped(x, {elements});
  if (elements < wanted) {
    const int64_t times = (wanted + elements - 1) / elements;
    const std::string repeats = graph.ints({times});
    x = graph.give(graph.node("Tile", {x.name, repeats}), {elements * times}, x.size);
  }
  if (x.shape[0] > wanted)
    x = firstOf(graph, x, 0, wanted);
  return shape.size() == 1 ? x : graph.reshaped(x, shape);
}

RandomValue castTo(RandomGraph &graph, const RandomValue &value, DType type) {
  onnx::NodeProto &node = graph.node("Cast", {value.name});
  setInt(node, "to", onnxNumber(type));
  return graph.give(node, value.shape, value.size, type);
}

RandomValue integersFrom(RandomGraph &graph, const RandomValue &x, DType type, int64_t most) {
  const bool isUnsigned = type == DType::u8 || type == DType::u16 || type == DType::u32 || type == DType::u64;
  RandomValue share = graph.bounded(x);
  if (isUnsigned)
    share = graph.unary("Abs", share, 0.5);
  const RandomValue large =
      graph.binary("Mul", share, graph.number(static_cast<double>(most)), static_cast<double>(most));
  return castTo(graph, large, type);
}

RandomValue integersOf(RandomGraph &graph, DType type, int64_t most) {
  const RandomValue x = graph.pick();
  return integersFrom(graph, x, type, most);
}

} // namespace tilerig::test
