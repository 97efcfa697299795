// NonMaxSuppression: selects boxes by score and drops boxes that overlap a better one.
#include "reference/Ops/Families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::reference {

namespace {

template <class T>
struct Box {
  T top, left, bottom, right;

  T area() const { return (bottom - top) * (right - left); }

  // Reads a box from four numbers: two opposite corners with the vertical coordinate first, or (`byCentre`)
  // centre (x, y), width and height.
  static Box read(const T *numbers, bool byCentre) {
    if (byCentre)
      return {numbers[1] - numbers[3] / 2, numbers[0] - numbers[2] / 2, numbers[1] + numbers[3] / 2,
              numbers[0] + numbers[2] / 2};
    return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
            std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
  }
};

// Intersection over union of two boxes; 0 if one has no area.
template <class T>
T overlap(const Box<T> &a, const Box<T> &b) {
  T high = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  T wide = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(high > 0 && wide > 0 && a.area() > 0 && b.area() > 0))
    return 0;
  T shared = high * wide;
  return shared / (a.area() + b.area() - shared);
}

struct Limits {
  int64_t most = 0; // maximum number of selected boxes per class and image
  double overlap = 0;
  std::optional<double> score; // boxes with this score or a lower one are not selected
  bool byCentre = false;
};

Result<double> number(const OpContext &context, size_t index, std::string_view name) {
  const Tensor &tensor = context.input(index);
  if (tensor.elementCount() == 1 && tensor.dtype() == DType::f32)
    return static_cast<double>(tensor.as<float>()[0]);
  if (tensor.elementCount() == 1 && tensor.dtype() == DType::f64)
    return tensor.as<double>()[0];
  return context.invalid(fmt::format("{} must be a single float", name));
}

Result<Limits> limitsOf(const OpContext &context) {
  Limits limits;
  TILERIG_TRY(int64_t byCentre, context.intAttribute("center_point_box", 0));
  if (byCentre != 0 && byCentre != 1)
    return context.invalid(fmt::format("attribute center_point_box is {}, expected 0 or 1", byCentre));
  limits.byCentre = byCentre == 1;
  if (context.has(2)) {
    TILERIG_TRY(std::vector<int64_t> most, context.integers(2));
    if (most.size() != 1)
      return context.invalid("max_output_boxes_per_class must be a single number");
    limits.most = std::max<int64_t>(0, most[0]);
  }
  if (context.has(3)) {
    TILERIG_TRY(limits.overlap, number(context, 3, "iou_threshold"));
  }
  if (!(limits.overlap >= 0 && limits.overlap <= 1))
    return context.invalid(fmt::format("iou_threshold {} is not between 0 and 1", limits.overlap));
  if (context.has(4)) {
    TILERIG_TRY(limits.score, number(context, 4, "score_threshold"));
  }
  return limits;
}

// The selected boxes, best first. Of equal scores, the first box is better; boxes with a NaN score are never
// selected.
template <class T>
std::vector<int64_t> survivors(const std::vector<Box<T>> &boxes, const T *scores, const Limits &limits) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!std::isnan(scores[i]) && (!limits.score || scores[i] > static_cast<T>(*limits.score)))
      order.push_back(static_cast<int64_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  std::vector<int64_t> chosen;
  for (int64_t candidate : order) {
    if (static_cast<int64_t>(chosen.size()) == limits.most)
      break;
    bool hidden = std::any_of(chosen.begin(), chosen.end(), [&](int64_t better) {
      return overlap(boxes[candidate], boxes[better]) > static_cast<T>(limits.overlap);
    });
    if (!hidden)
      chosen.push_back(candidate);
  }
  return chosen;
}

template <class T>
Status suppress(OpContext &context, const Limits &limits) {
  const Shape &shape = context.input(1).shape();
  int64_t images = shape[0], classes = shape[1], count = shape[2];
  // Without scores nothing is selected. This also avoids a huge list for an empty tensor whose shape has many
  // classes.
  int64_t lists = context.input(1).elementCount() && limits.most ? images * classes : 0;
  std::vector<std::vector<int64_t>> chosen(static_cast<size_t>(lists));
  const T *numbers = context.input(0).as<T>().data(), *scores = context.input(1).as<T>().data();
  context.threads.forEach(lists, 1, [&](int64_t begin, int64_t end) {
    std::vector<Box<T>> boxes(static_cast<size_t>(count));
    for (int64_t list = begin; list < end; ++list) {
      for (int64_t i = 0; i < count; ++i)
        boxes[i] = Box<T>::read(numbers + (list / classes * count + i) * 4, limits.byCentre);
      chosen[list] = survivors(boxes, scores + list * count, limits);
    }
  });
  int64_t total = 0;
  for (const auto &list : chosen)
    total += static_cast<int64_t>(list.size());
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(DType::i64, {total, 3}));
  auto to = output.mutableAs<int64_t>().begin();
  for (int64_t list = 0; list < lists; ++list)
    for (int64_t box : chosen[list])
      to = std::copy_n(std::array{list / classes, list % classes, box}.begin(), 3, to);
  context.outputs[0] = std::move(output);
  return success();
}

Status nonMaxSuppression(OpContext &context) {
  const Tensor &boxes = context.input(0), &scores = context.input(1);
  TILERIG_TRY(Limits limits, limitsOf(context));
  bool fits = boxes.rank() == 3 && scores.rank() == 3 && boxes.dtype() == scores.dtype();
  if (!fits || boxes.shape() != Shape{scores.shape()[0], scores.shape()[2], 4})
    return context.invalid(fmt::format("boxes ({} {}) and scores ({} {}) do not match in type or shape",
                                       nameOf(boxes.dtype()), showShape(boxes.shape()),
                                       nameOf(scores.dtype()), showShape(scores.shape())));
  if (boxes.dtype() == DType::f32)
    return suppress<float>(context, limits);
  if (boxes.dtype() == DType::f64)
    return suppress<double>(context, limits);
  return context.invalid(fmt::format("the boxes have type {}, expected a float type", nameOf(boxes.dtype())));
}

} // namespace

std::span<const OpEntry> suppressionOps() {
  static constexpr OpEntry entries[] = {
      {"NonMaxSuppression", 10, 2, 5, nonMaxSuppression},
  };
  return entries;
}

} // namespace tilerig::reference
