// The host operator NonMaxSuppression: for every batch and class, selects boxes by descending score and drops
// those that overlap too much with a box selected before. The result has a row (batch, class, box) for each
// selected box. Boxes of equal score are taken in index order; boxes with a NaN score are never selected.
//
// The limits (number of boxes, thresholds for overlap and score) are inputs, as in ONNX, or attributes of the
// same names where the compiler knows their values.
#include "emulator/Host/Kernels.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::emulator {

namespace {

struct Corners {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Corners cornersOf(std::span<const float> box, bool isCentred) {
  if (isCentred) // `box` holds the x and y of the centre, the width and the height
    return {box[1] - box[3] / 2, box[0] - box[2] / 2, box[1] + box[3] / 2, box[0] + box[2] / 2};
  return {std::min(box[0], box[2]), std::min(box[1], box[3]), std::max(box[0], box[2]),
          std::max(box[1], box[3])};
}

bool overlapsMore(const Corners &a, const Corners &b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0)
    return false;
  const float common = height * width;
  return common / (a.area() + b.area() - common) > threshold;
}

struct Limits {
  int64_t most = 0;
  float overlap = 0;
  std::optional<float> score;
  bool isCentred = false;
};

// The value of an input that holds a single number, or `otherwise` if it is absent.
template <class T>
Result<T> limitOf(const HostCall &call, size_t index, T otherwise) {
  const Tensor *limit = call.optional(index);
  if (!limit)
    return otherwise;
  TILERIG_TRY(const auto values, limit->tryAs<T>());
  if (values.size() != 1)
    return call.refuse(
        fmt::format("input {} must be a single number, but has {} elements", index, values.size()));
  return values[0];
}

Result<Limits> limitsOf(const HostCall &call) {
  Limits limits;
  TILERIG_TRY(limits.most, call.integer("max_output_boxes_per_class", 0));
  TILERIG_TRY(limits.overlap, call.real("iou_threshold", 0));
  if (call.work.attributes().contains("score_threshold")) {
    TILERIG_TRY(limits.score, call.real("score_threshold", 0));
  }
  TILERIG_TRY(const int64_t centred, call.integer("center_point_box", 0));
  limits.isCentred = centred != 0;
  TILERIG_TRY(limits.most, limitOf<int64_t>(call, 2, limits.most));
  TILERIG_TRY(limits.overlap, limitOf<float>(call, 3, limits.overlap));
  if (call.optional(4)) {
    TILERIG_TRY(limits.score, limitOf<float>(call, 4, 0));
  }
  return limits;
}

struct Selection {
  std::vector<int64_t> boxes;
  uint64_t operations = 0;
};

// Performs non-maximum suppression for one batch and class: returns the selected boxes.
Selection select(std::span<const float> boxes, std::span<const float> scores, const Limits &limits) {
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::erase_if(order, [&](int64_t i) {
    return std::isnan(scores[i]) || (limits.score && !(scores[i] > *limits.score));
  });
  std::ranges::stable_sort(order, [&](int64_t i, int64_t j) { return scores[i] > scores[j]; });
  Selection selection;
  std::vector<Corners> taken;
  uint64_t comparisons = 0;
  for (int64_t i : order) {
    if (static_cast<int64_t>(taken.size()) >= limits.most)
      break;
    const Corners box = cornersOf(boxes.subspan(static_cast<size_t>(i) * 4, 4), limits.isCentred);
    const auto hiding = std::ranges::find_if(
        taken, [&](const Corners &takenBox) { return overlapsMore(box, takenBox, limits.overlap); });
    comparisons += static_cast<uint64_t>(hiding - taken.begin()) + (hiding != taken.end());
    if (hiding != taken.end())
      continue;
    selection.boxes.push_back(i);
    taken.push_back(box);
  }
  selection.operations = operationsOfSuppression(scores.size(), order.size(), comparisons);
  return selection;
}

} // namespace

Result<HostResult> runNonMaxSuppression(const HostCall &call) {
  TILERIG_TRY(const Tensor *boxes, call.input(0));
  TILERIG_TRY(const Tensor *scores, call.input(1));
  TILERIG_TRY(const auto corners, boxes->tryAs<float>());
  TILERIG_TRY(const auto values, scores->tryAs<float>());
  const Shape &b = boxes->shape(), &s = scores->shape();
  if (b.size() != 3 || s.size() != 3 || b[0] != s[0] || b[1] != s[2] || b[2] != 4)
    return call.refuse(fmt::format("boxes have shape {} and scores {}, expected [batches, boxes, 4] and "
                                   "[batches, classes, boxes]",
                                   showShape(b), showShape(s)));
  TILERIG_TRY(const Limits limits, limitsOf(call));
  std::vector<int64_t> rows;
  uint64_t operations = 0;
  for (int64_t batch = 0; batch < s[0]; ++batch)
    for (int64_t kind = 0; kind < s[1]; ++kind) {
      const Selection selection =
          select(corners.subspan(static_cast<size_t>(batch * b[1] * 4), static_cast<size_t>(b[1] * 4)),
                 values.subspan(static_cast<size_t>((batch * s[1] + kind) * s[2]), static_cast<size_t>(s[2])),
                 limits);
      operations += selection.operations;
      for (const int64_t box : selection.boxes)
        rows.insert(rows.end(), {batch, kind, box});
    }
  TILERIG_TRY(Tensor result, Tensor::make(DType::i64, {static_cast<int64_t>(rows.size() / 3), 3}));
  std::ranges::copy(rows, result.mutableAs<int64_t>().begin());
  return HostResult{std::vector{std::move(result)}, operations};
}

} // namespace tilerig::emulator
