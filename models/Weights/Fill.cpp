#include "models/Weights/Fill.h"

#include "models/Weights/Random.h"

#include <cmath>

namespace tilerig::models {

namespace {

double drawn(const Filling &filling, const RandomStream &stream, int64_t index) {
  double unit = filling.kind == Filling::Kind::bell ? stream.bell(index) : stream.uniform(index);
  return filling.centre + filling.spread * unit;
}

// The float32 nearest to `value` among the multiples of weightGrid, to which all weights are rounded.
float onGrid(double value) {
  auto rounded = static_cast<float>(value);
  return static_cast<float>(std::nearbyint(static_cast<double>(rounded) / weightGrid) * weightGrid);
}

void draw(const WeightRecipe &recipe, uint64_t seed, std::span<float> elements, reference::Threads &threads) {
  RandomStream stream(seed, recipe.name), ofRows(seed, recipe.name + " of rows");
  int64_t count = static_cast<int64_t>(elements.size());
  int64_t rows = recipe.shape.empty() ? 1 : recipe.shape[0], perRow = count / rows;
  threads.forEach(rows, 1 + (1 << 14) / perRow, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      double factor = 1 + recipe.rowSpread * ofRows.uniform(row);
      for (int64_t i = row * perRow; i < (row + 1) * perRow; ++i)
        elements[i] = onGrid(factor * drawn(recipe.filling, stream, i));
    }
  });
}

} // namespace

void fillWeights(Network &network, uint64_t seed, reference::Threads &threads) {
  for (const WeightRecipe &recipe : network.weights) {
    onnx::TensorProto &tensor = *network.model.mutable_graph()->add_initializer();
    tensor.set_name(recipe.name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t size : recipe.shape)
      tensor.add_dims(size);
    size_t count = static_cast<size_t>(countElements(recipe.shape));
    std::string &bytes = *tensor.mutable_raw_data();
    bytes.resize(count * sizeof(float));
    draw(recipe, seed, {reinterpret_cast<float *>(bytes.data()), count}, threads);
  }
}

} // namespace tilerig::models
