// Random operators that sample images at other points: grids, regions, resizes, unpooling, deformed convolutions.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

Shape drawImage(RandomGraph &graph, int64_t axes) {
  Shape shape = {graph.random.between(1, 2), graph.random.between(1, 4)};
  for (int64_t i = 0; i < axes; ++i)
    shape.push_back(graph.random.between(2, 7));
  return shape;
}

void addGridSample(RandomGraph &graph) {
  if (graph.opset < 16)
    return;
  Random &random = graph.random;
  const bool isNew = graph.opset >= 20;
  const int64_t axes = isNew && random.chance(30) ? 3 : 2;
  const Shape shape = drawImage(graph, axes);
  const RandomValue x = fitted(graph, shape);
  Shape places = {shape[0]}, result = {shape[0], shape[1]};
  for (int64_t i = 0; i < axes; ++i)
    places.push_back(random.between(1, 4)), result.push_back(places.back());
  places.push_back(axes);
  std::string grid;
  if (axes == 2 && isNew && random.chance(30)) {
    const std::string theta = graph.floats({shape[0], 2, 3}, -1, 1), size = graph.ints(result);
    onnx::NodeProto &node = graph.node("AffineGrid", {theta, size});
    setInt(node, "align_corners", random.chance(50));
    grid = graph.keep(node, places, DType::f32).name;
  } else {
    const RandomValue points = fitted(graph, places);
    grid = graph.bounded(points).name;
  }
  onnx::NodeProto &node = graph.node("GridSample", {x.name, grid});
  const std::string mode = random.pick({"linear", "nearest", "cubic"});
  setText(node, "mode", isNew ? mode : mode == "nearest" ? mode : "bi" + mode);
  setText(node, "padding_mode", random.pick({"zeros", "border", "reflection"}));
  setInt(node, "align_corners", random.chance(50));
  graph.give(node, result, 1.5 * x.size);
}

void addRegions(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  Random &random = graph.random;
  const Shape shape = drawImage(graph, 2);
  const RandomValue x = fitted(graph, shape);
  const int64_t count = random.between(1, 4), height = random.between(1, 3), width = random.between(1, 3);
  const bool isMax = random.chance(30);
  Tensor corners(DType::f32, {count, isMax ? 5 : 4}), batches(DType::i64, {count});
  for (int64_t i = 0; i < count; ++i) {
    const int64_t batch = random.between(0, shape[0] - 1);
    batches.mutableAs<int64_t>()[static_cast<size_t>(i)] = batch;
    float *row = corners.mutableAs<float>().data() + i * (isMax ? 5 : 4);
    if (isMax)
      *row++ = static_cast<float>(batch);
    for (int axis : {0, 1}) {
      row[axis] = static_cast<float>(random.between(-4, 20)) / 4 + 0.1f;
      row[axis + 2] = row[axis] + static_cast<float>(random.between(2, 20)) / 4;
    }
  }
  const std::string boxes = graph.constant(corners);
  const float scale = random.pick({0.5f, 1.0f});
  if (isMax) {
    onnx::NodeProto &node = graph.node("MaxRoiPool", {x.name, boxes});
    setInts(node, "pooled_shape", {height, width}), setFloat(node, "spatial_scale", scale);
    graph.give(node, {count, shape[1], height, width}, x.size);
    return;
  }
  const std::string places = graph.constant(batches);
  onnx::NodeProto &node = graph.node("RoiAlign", {x.name, boxes, places});
  setInt(node, "output_height", height), setInt(node, "output_width", width);
  setFloat(node, "spatial_scale", scale);
  setInt(node, "sampling_ratio", random.between(0, 3));
  if (random.chance(40))
    setText(node, "mode", "max");
  if (graph.opset >= 16)
    setText(node, "coordinate_transformation_mode", random.pick({"half_pixel", "output_half_pixel"}));
  graph.give(node, {count, shape[1], height, width}, x.size);
}

void addUpsample(RandomGraph &graph, const RandomValue &x) {
  Shape shape = x.shape;
  shape[2] *= 2, shape[3] *= 3;
  if (!RandomGraph::fits(shape))
    return;
  Names inputs = {x.name};
  if (graph.opset == 9)
    inputs.push_back(graph.constant(Tensor::of<float>({4}, {1, 1, 2, 3})));
  onnx::NodeProto &node = graph.node("Upsample", inputs);
  setText(node, "mode", graph.random.pick({"nearest", "linear"}));
  if (graph.opset < 9) {
    onnx::AttributeProto &scales = *node.add_attribute();
    scales.set_name("scales");
    scales.set_type(onnx::AttributeProto::FLOATS);
    for (float scale : {1.0f, 1.0f, 2.0f, 3.0f})
      scales.add_floats(scale);
  }
  graph.give(node, shape, x.size);
}

void addResize(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = fitted(graph, drawImage(graph, graph.opset >= 11 && random.chance(25) ? 3 : 2));
  if (graph.opset < 10)
    return addUpsample(graph, x);
  if (graph.opset == 10)
    return;
  const std::string mode = random.pick({"nearest", "linear", "cubic"});
  Shape shape = x.shape;
  for (size_t i = 2; i < shape.size(); ++i)
    shape[i] = random.between(1, 9);
  if (mode == "cubic" && x.rank() != 4)
    return;
  Names inputs = {x.name, "", "", ""};
  std::string frame =
      random.pick({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"});
  if (frame == "tf_crop_and_resize") {
    Tensor region(DType::f32, {2 * x.rank()});
    for (int64_t i = 0; i < x.rank(); ++i) {
      const float begin = i < 2 ? 0.0f : random.pick({-0.25f, 0.0f, 0.25f});
      region.mutableAs<float>()[static_cast<size_t>(i)] = begin;
      region.mutableAs<float>()[static_cast<size_t>(x.rank() + i)] =
          i < 2 ? 1.0f : begin + random.pick({0.5f, 1.0f});
    }
    inputs[1] = graph.constant(region);
  }
  if (graph.opset < 13) // earlier operator sets require regions and scales
    inputs[1] = inputs[1].empty() ? graph.floats({0}, 0, 1) : inputs[1], inputs[2] = graph.floats({0}, 0, 1);
  inputs[3] = graph.ints(shape);
  onnx::NodeProto &node = graph.node("Resize", inputs);
  setText(node, "mode", mode);
  setText(node, "coordinate_transformation_mode", frame);
  if (mode == "nearest")
    setText(node, "nearest_mode", random.pick({"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  if (mode != "nearest" && graph.opset >= 18 && random.chance(30))
    setInt(node, "antialias", 1);
  if (mode == "cubic" && random.chance(40))
    setInt(node, "exclude_outside", 1);
  graph.give(node, shape, 1.5 * x.size);
}

void addUnpooled(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const RandomValue x = fitted(graph, {1, graph.random.between(1, 4), 2 * graph.random.between(1, 4), 6});
  onnx::NodeProto &pool = graph.node("MaxPool", {x.name}, 2);
  setInts(pool, "kernel_shape", {2, 2}), setInts(pool, "strides", {2, 2});
  const Shape half = {1, x.shape[1], x.shape[2] / 2, 3};
  const RandomValue largest = graph.give(pool, half, x.size);
  const RandomValue places = graph.give(pool, half, static_cast<double>(x.elements()), DType::i64, 1);
  if (graph.random.chance(60)) {
    onnx::NodeProto &node = graph.node("MaxUnpool", {largest.name, places.name});
    setInts(node, "kernel_shape", {2, 2}), setInts(node, "strides", {2, 2});
    graph.give(node, x.shape, x.size);
  }
}

void addColumnsToImage(RandomGraph &graph) {
  if (graph.opset < 18)
    return;
  const int64_t channels = graph.random.between(1, 3), height = graph.random.between(3, 6),
                width = graph.random.between(3, 6);
  const int64_t rows = graph.random.between(1, 3), columns = graph.random.between(1, 3);
  const int64_t blocks = (height - rows + 1) * (width - columns + 1);
  const RandomValue x = fitted(graph, {2, channels * rows * columns, blocks});
  const std::string size = graph.ints({height, width}), block = graph.ints({rows, columns});
  graph.give(graph.node("Col2Im", {x.name, size, block}), {2, channels, height, width},
             x.size * static_cast<double>(rows * columns) / 2);
}

void addDeformedConvolution(RandomGraph &graph) {
  if (graph.opset < 19)
    return;
  const int64_t inputs = graph.random.between(1, 3), outputs = graph.random.between(1, 4),
                size = graph.random.between(4, 6);
  const RandomValue x = fitted(graph, {1, inputs, size, size}),
                    shift = fitted(graph, {1, 18, size - 2, size - 2});
  const double bound = std::sqrt(3.0 / static_cast<double>(9 * inputs));
  Names names = {x.name, graph.floats({outputs, inputs, 3, 3}, -bound, bound), graph.bounded(shift).name};
  if (graph.random.chance(50))
    names.push_back(graph.floats({outputs}, -0.5, 0.5));
  onnx::NodeProto &node = graph.node("DeformConv", names);
  setInts(node, "kernel_shape", {3, 3});
  graph.give(node, {1, outputs, size - 2, size - 2}, x.size + 0.2);
}

} // namespace

void addSampling(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {
      addGridSample,         addRegions, addResize, addResize, addUnpooled, addColumnsToImage,
      addDeformedConvolution};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
