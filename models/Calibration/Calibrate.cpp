#include "models/Calibration/Calibrate.h"

#include "models/Calibration/Evaluate.h"
#include "models/Calibration/Statistics.h"
#include "models/Weights/Pictures.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tilerig::models {

namespace {

bool isNorm(const onnx::NodeProto &node) { return node.op_type() == "BatchNormalization"; }

// Number of pictures of `size` × `size` pixels to use for calibration. Smaller pictures are used in larger
// numbers, so that they have about as many pixels in total as four pictures of the usual size, 224 × 224.
int64_t countPictures(int64_t size) {
  constexpr int64_t pixels = 4 * 224 * 224;
  return std::clamp<int64_t>(pixels / (size * size), 4, 64);
}

class Calibration {
public:
  Calibration(Network &network, reference::Threads &threads)
      : graph(network.model.graph()), weights(*network.model.mutable_graph()),
        opset(static_cast<int>(network.model.opset_import(0).version())), threads(threads) {}

  Status run(uint64_t seed) {
    int end = graph.node_size();
    while (end > 0 && !isNorm(graph.node(end - 1)))
      --end;
    if (end == 0)
      return success();
    countReaders(end);
    const auto &shape = graph.input(0).type().tensor_type().shape();
    const bool isVideo = shape.dim_size() == 5;
    const int64_t size = shape.dim(shape.dim_size() - 1).dim_value();
    const int64_t frames = isVideo ? shape.dim(2).dim_value() : 1, count = countPictures(size);
    values[graph.input(0).name()] = isVideo ? clips(std::max<int64_t>(count / frames, 4), frames, size, seed)
                                            : pictures(count, size, seed);
    for (int i = 0; i < end; ++i)
      TILERIG_CHECK_OK(step(graph.node(i)));
    return success();
  }

private:
  void countReaders(int end) {
    for (int i = 0; i < end; ++i)
      for (const std::string &name : graph.node(i).input())
        ++readers[name];
  }

  Status step(const onnx::NodeProto &node) {
    if (isNorm(node)) {
      values[node.output(0)] = normalise(node);
    } else {
      TILERIG_TRY(values[node.output(0)], evaluate(node, opset, values, weights, threads));
    }
    for (const std::string &name : node.input())
      if (--readers[name] == 0)
        values.erase(name);
    return success();
  }

  // Sets the normalisation's mean and variance to those of its input, and returns the normalised input.
  Tensor normalise(const onnx::NodeProto &node) {
    const Tensor &x = values.at(node.input(0));
    ChannelStatistics statistics = statisticsOf(x, threads);
    std::ranges::copy(statistics.means, weights.floats(node.input(3)).begin());
    std::ranges::copy(statistics.variances, weights.floats(node.input(4)).begin());
    auto scales = weights.floats(node.input(1)), shifts = weights.floats(node.input(2));
    double epsilon = node.attribute(0).f();
    Tensor y(DType::f64, x.shape());
    auto from = x.as<double>();
    auto to = y.mutableAs<double>();
    int64_t channels = x.shape()[1], planes = x.shape()[0] * channels;
    int64_t plane = static_cast<int64_t>(from.size()) / planes;
    threads.forEach(planes, 1 + (1 << 14) / plane, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        int64_t c = at % channels;
        double factor = scales[c] / std::sqrt(statistics.variances[c] + epsilon);
        for (int64_t i = at * plane; i < (at + 1) * plane; ++i)
          to[i] = (from[i] - statistics.means[c]) * factor + shifts[c];
      }
    });
    roundToGrid(y, threads);
    return y;
  }

  const onnx::GraphProto &graph;
  Weights weights;
  int opset;
  reference::Threads &threads;
  Values values;
  std::map<std::string, int> readers;
};

} // namespace

Status calibrate(Network &network, uint64_t seed, reference::Threads &threads) {
  return Calibration(network, threads).run(seed);
}

} // namespace tilerig::models
