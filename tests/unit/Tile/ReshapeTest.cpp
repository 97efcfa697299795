// Tests of splitting a reshape: each part of the result, element by element, is read from a buffer that holds
// no more than this part needs.
#include "compiler/Tile/Ops/Instructions.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>

#include <map>

namespace tilerig {
using namespace compiler;
namespace {

using Shape = std::vector<int64_t>;

// A random shape with the same number of elements, sometimes with extra axes of size 1.
Shape randomShape(std::vector<int64_t> factors, test::Random &random) {
  Shape shape = {1};
  for (const int64_t factor : factors) {
    if (random.chance(10))
      shape.push_back(1);
    if (random.chance(50))
      shape.push_back(1);
    shape.back() *= factor;
  }
  return shape;
}

int64_t indexOf(const Shape &shape, const Shape &place) {
  int64_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    index = index * shape[axis] + place[axis];
  return index;
}

// Maps the address of each element of the part to its index in the tensor.
std::map<uint64_t, int64_t> elementsOf(const View &view, const Box &part, const Shape &shape) {
  std::map<uint64_t, int64_t> elements;
  Shape place(shape.size());
  for (uint64_t i = 0; i < part.elements(); ++i) {
    uint64_t rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= static_cast<uint64_t>(part[axis].size()))
      place[axis] = part[axis].begin + static_cast<int64_t>(rest % static_cast<uint64_t>(part[axis].size()));
    Box one(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
      one[axis] = {place[axis], place[axis] + 1};
    elements[view.addressOf(one)] = indexOf(shape, place);
  }
  return elements;
}

std::vector<uint64_t> bytesVisited(const Stream &stream) {
  std::vector<uint64_t> all = {stream.base};
  for (const Dimension &dim : stream.dims) {
    std::vector<uint64_t> finer;
    for (const uint64_t base : all)
      for (uint64_t i = 0; i < dim.size; ++i)
        finer.push_back(base + i * dim.stride);
    all = std::move(finer);
  }
  return all;
}

Range randomPart(int64_t size, test::Random &random) {
  const int64_t begin = random.between(0, size - 1);
  return {begin, random.between(begin + 1, size)};
}

TEST(Reshape, PartsAreMadeOfWhatTheyNeed) {
  test::Random random(11);
  uint64_t cuts = 0, neither = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<int64_t> factors;
    for (int64_t i = random.between(1, 3); i > 0; --i)
      factors.push_back(random.between(2, 5));
    const Shape in = randomShape(factors, random);
    std::swap(factors.front(), factors.back());
    const Shape out = randomShape(factors, random);
    const ReshapeAxes axes = axesOfReshape(in, out);
    DeviceOp deviceOp;
    deviceOp.kind = DeviceOpKind::reshape;
    deviceOp.operands = {{.tensor = 0, .axes = axes.maps}};
    deviceOp.result = 1;
    deviceOp.divisible = axes.divisible;
    std::vector<DeviceTensor> tensors(2);
    tensors[0].shape = in;
    tensors[1].shape = out;
    Box part = Box::whole(out);
    for (size_t axis = 0; axis < out.size(); ++axis)
      if (axes.divisible[axis] && random.between(0, 3) != 0)
        cuts += (part[axis] = randomPart(out[axis], random)).size() < out[axis];
    const Box needed = neededBox(deviceOp.operands[0], tensors[0], part);
    neither += needed.elements() > part.elements();
    const View to{.box = part, .address = 1 << 16}, from{.box = needed, .address = 64};
    const std::map<uint64_t, int64_t> wanted = elementsOf(to, part, out), held = elementsOf(from, needed, in);
    std::map<uint64_t, int64_t> actual;
    for (const Instruction &instruction :
         instructionsOf(deviceOp, tensors, {.result = part, .to = to, .from = {from}})) {
      const auto &copy = std::get<Copy>(instruction);
      const std::vector<uint64_t> written = bytesVisited(copy.output), read = bytesVisited(copy.input);
      ASSERT_EQ(written.size(), read.size());
      for (size_t i = 0; i < written.size(); ++i) {
        ASSERT_TRUE(held.contains(read[i])) << "trial " << trial;
        actual[written[i]] = held.at(read[i]);
      }
    }
    ASSERT_EQ(actual, wanted) << "trial " << trial << testing::PrintToString(in)
                              << testing::PrintToString(out);
  }
  EXPECT_GT(cuts, 1000u);
  EXPECT_GT(neither, 100u); // many parts of the reshape begin or end inside a row of the operand
}

TEST(Reshape, IsCutWhereRowsMeet) {
  const ReshapeAxes boxes = axesOfReshape(Shape{1, 38, 38, 324}, Shape{1, 5776, 81});
  EXPECT_EQ(boxes.divisible, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(boxes.maps[1], (AxisMap{.from = 1, .denominator = 152}));
  EXPECT_EQ(boxes.maps[2], AxisMap{});
  const ReshapeAxes heads = axesOfReshape(Shape{197, 192}, Shape{197, 3, 64});
  EXPECT_EQ(heads.divisible, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(heads.maps[0], AxisMap::along(0));
  EXPECT_EQ(heads.maps[1], (AxisMap{.from = 1, .numerator = 64, .high = 63}));
}

} // namespace
} // namespace tilerig
