// Tests of strided element access against a loop that computes the position of each element.
#include "isa/Base/Tensor/TakenElements.h"
#include "tests/support/RandomTensor.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace tilerig {
namespace {

class Taken : public testing::TestWithParam<DType> {
protected:
  int64_t below(size_t count) { return static_cast<int64_t>(random.below(count)); }

  void compare(const Tensor &from, const Shape &shape, int64_t base, const std::vector<int64_t> &strides) {
    const Tensor taken = takenByStrides(from, shape, base, strides);
    ASSERT_EQ(taken.shape(), shape);
    ASSERT_EQ(taken.dtype(), from.dtype());
    const size_t bytes = sizeBytes(from.dtype());
    for (size_t i = 0; i < taken.elementCount(); ++i) {
      int64_t at = base, rest = static_cast<int64_t>(i);
      for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        at += rest % shape[axis] * strides[axis];
      ASSERT_EQ(std::memcmp(taken.bytes().data() + i * bytes,
                            from.bytes().data() + static_cast<size_t>(at) * bytes, bytes),
                0)
          << "element " << i;
    }
  }

  Random random{1};
};

// Permuted axes, some of which are traversed backwards, with a step, or with stride 0.
TEST_P(Taken, AreThoseThatStridesFind) {
  for (int repetition = 0; repetition < 300; ++repetition) {
    const auto rank = static_cast<size_t>(below(5));
    Shape own;
    for (size_t axis = 0; axis < rank; ++axis)
      own.push_back(1 + below(rank < 3 ? 70 : 9));
    const Tensor from = randomTensor(GetParam(), own, random);
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = rank; i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
    Shape shape;
    std::vector<int64_t> strides;
    int64_t base = 0;
    for (const size_t axis : order) {
      const int64_t stride = from.strides()[axis], step = 1 + below(3);
      switch (below(4)) {
      case 0:
        shape.push_back((own[axis] + step - 1) / step);
        strides.push_back(step * stride);
        break;
      case 1:
        shape.push_back(own[axis]);
        strides.push_back(-stride);
        base += (own[axis] - 1) * stride;
        break;
      case 2:
        shape.push_back(1 + below(5));
        strides.push_back(0);
        break;
      default:
        shape.push_back(own[axis]);
        strides.push_back(stride);
      }
    }
    compare(from, shape, base, strides);
  }
}

TEST_P(Taken, NoneOfAnEmptyTensor) {
  const Tensor from(GetParam(), {3, 0, 2});
  EXPECT_EQ(transposed(from, std::vector<int64_t>{2, 1, 0}).shape(), (Shape{2, 0, 3}));
}

INSTANTIATE_TEST_SUITE_P(Types, Taken, testing::ValuesIn(allDTypes()),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

} // namespace
} // namespace tilerig
