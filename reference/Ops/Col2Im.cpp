// Col2Im: writes patches back to the window positions they were taken from, adding them up where they
// overlap.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Patches.h"
#include "reference/Ops/Wrapping.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Adds the patches of one channel (a row for each tap) to its image.
template <class T>
void addPatches(const Window &window, const T *patches, T *image) {
  int64_t positions = countOutputs(window);
  PatchRuns runs(window, 0, positions);
  for (int64_t tap = 0; tap < countTaps(window); ++tap)
    runs.forEach(tap, [&](int64_t position, int64_t at, int64_t length) {
      const T *from = patches + tap * positions + position;
      for (int64_t i = 0; i < length; ++i)
        image[at + i * runs.step()] = wrappingSum(image[at + i * runs.step()], from[i]);
    });
}

Status columnsToImage(OpContext &context) {
  const Tensor &x = context.input(0);
  TILERIG_TRY(std::vector<int64_t> image, context.integers(1));
  TILERIG_TRY(std::vector<int64_t> block, context.integers(2));
  if (x.rank() != 3 || image.empty())
    return context.invalid(fmt::format("an input of shape {} cannot be rearranged into images of shape {}",
                                       showShape(x.shape()), showShape(image)));
  TILERIG_CHECK_OK(sizeBytesOf(x.dtype(), image));
  TILERIG_TRY(Window window, windowOver(context, image, block));
  TILERIG_CHECK_OK(sizeBytesOf(x.dtype(), outputShape({}, window)));
  int64_t taps = countTaps(window);
  if (x.shape()[1] % taps != 0 || x.shape()[2] != countOutputs(window))
    return context.invalid(fmt::format("the input has shape {}, which does not hold blocks of {} elements at "
                                       "{} positions",
                                       showShape(x.shape()), taps, countOutputs(window)));
  Shape shape{x.shape()[0], x.shape()[1] / taps};
  shape.insert(shape.end(), image.begin(), image.end());
  return dispatch(x.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      TILERIG_TRY(Tensor y, Tensor::make(x.dtype(), shape));
      const T *from = x.as<T>().data();
      T *to = y.template mutableAs<T>().data();
      if (y.elementCount())
        context.threads.forEach(shape[0] * shape[1], 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            addPatches(window, from + i * taps * x.shape()[2], to + i * product(image));
        });
      context.outputs[0] = std::move(y);
      return success();
    } else {
      return context.invalid(
          fmt::format("the input has type {}, expected a numeric type", nameOf(x.dtype())));
    }
  });
}

} // namespace

std::span<const OpEntry> patchOps() {
  static constexpr OpEntry entries[] = {
      {"Col2Im", 18, 3, 3, columnsToImage},
  };
  return entries;
}

} // namespace tilerig::reference
