// Tests of tensors stored inside others (views): each element of a view has the address of the same element
// of the whole tensor, according to the meaning of concat, slice and reshape.
#include "compiler/Tile/Ops/View.h"
#include "compiler/Tile/Plan/LayViews.h"
#include "tests/support/Random.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

constexpr size_t numTiles = 4;

// Builder of networks of three-axis tensors.
struct Networks {
  DeviceNetwork network;

  TensorIndex add(std::vector<int64_t> shape) {
    DeviceTensor tensor;
    tensor.shape = std::move(shape);
    network.tensors.push_back(std::move(tensor));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  const std::vector<int64_t> &shapeOf(TensorIndex tensor) const { return network.tensors[tensor].shape; }

  // Adds a tensor and an operation that computes it.
  TensorIndex addComputed(std::vector<int64_t> shape) {
    DeviceOp deviceOp;
    deviceOp.kind = DeviceOpKind::conv;
    deviceOp.result = add(std::move(shape));
    network.steps.emplace_back(std::move(deviceOp));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  TensorIndex slice(TensorIndex from, const std::vector<int64_t> &starts, std::vector<int64_t> shape) {
    DeviceOp deviceOp;
    deviceOp.action = Copy{};
    deviceOp.result = add(std::move(shape));
    Operand operand{.tensor = from, .axes = {}};
    for (size_t i = 0; i < starts.size(); ++i)
      operand.axes.push_back(AxisMap::strided(static_cast<int>(i), starts[i], 1));
    deviceOp.operands = {operand};
    network.steps.emplace_back(std::move(deviceOp));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  // Adds a reshape operation that merges the last two axes of a tensor.
  TensorIndex flatten(TensorIndex from) {
    const std::vector<int64_t> shape = shapeOf(from);
    DeviceOp deviceOp;
    deviceOp.kind = DeviceOpKind::reshape;
    deviceOp.action = Copy{};
    deviceOp.result = add({shape[0], shape[1] * shape[2], 1});
    deviceOp.operands = {{.tensor = from, .axes = {AxisMap::along(0), {}, {}}}};
    network.steps.emplace_back(std::move(deviceOp));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  TensorIndex concat(const std::vector<TensorIndex> &parts, size_t axis) {
    DeviceOp deviceOp;
    deviceOp.kind = DeviceOpKind::concat;
    deviceOp.action = Copy{};
    deviceOp.axes = {static_cast<int64_t>(axis)};
    std::vector<int64_t> shape = shapeOf(parts[0]);
    shape[axis] = 0;
    for (const TensorIndex part : parts) {
      Operand operand{.tensor = part, .axes = {}};
      for (size_t i = 0; i < 3; ++i)
        operand.axes.push_back(AxisMap::strided(static_cast<int>(i), i == axis ? -shape[axis] : 0, 1));
      deviceOp.operands.push_back(operand);
      deviceOp.offsets.push_back(shape[axis]);
      shape[axis] += shapeOf(part)[axis];
    }
    deviceOp.result = add(shape);
    network.steps.emplace_back(std::move(deviceOp));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
};

Networks randomNetwork(test::Random &random) {
  Networks all;
  std::vector<TensorIndex> there;
  for (int i = 0; i < 3; ++i)
    there.push_back(all.addComputed({random.between(1, 3), random.between(1, 4), random.between(1, 4)}));
  for (int i = 0; i < 6; ++i) {
    const TensorIndex source =
        there[static_cast<size_t>(random.between(0, static_cast<int64_t>(there.size()) - 1))];
    std::vector<int64_t> starts, shape;
    for (const int64_t size : all.shapeOf(source)) {
      starts.push_back(random.between(0, 1) == 0 ? 0 : random.between(0, size - 1));
      shape.push_back(random.between(1, size - starts.back()));
    }
    switch (random.between(0, 3)) {
    case 0:
      there.push_back(all.slice(source, starts, shape));
      break;
    case 1:
      there.push_back(all.flatten(source));
      break;
    case 2:
      there.push_back(all.addComputed(all.shapeOf(source)));
      break;
    default: {
      std::vector<TensorIndex> parts = {source};
      const auto axis = static_cast<size_t>(random.between(0, 2));
      for (const TensorIndex other : there) {
        bool fits = true;
        for (size_t i = 0; i < 3; ++i)
          fits &= i == axis || all.shapeOf(other)[i] == all.shapeOf(source)[i];
        if (fits)
          parts.push_back(other); // two operands of the concat may be the same tensor
      }
      there.push_back(all.concat(parts, axis));
    }
    }
  }
  return all;
}

std::vector<TensorPlace> randomPlaces(const DeviceNetwork &network, test::Random &random) {
  std::vector<TensorPlace> places(network.tensors.size());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].inOcm = random.between(0, 9) > 0;
    for (size_t tile = 0; tile < numTiles && places[i].inOcm; ++tile) {
      Box box = Box::whole(network.tensors[i].shape);
      for (size_t axis = 0; axis < 3; ++axis)
        if (random.between(0, 2) == 0) {
          box[axis].begin = random.between(0, network.tensors[i].shape[axis] - 1);
          box[axis].end = random.between(box[axis].begin, network.tensors[i].shape[axis]);
        }
      places[i].kept.push_back(box.empty() ? Box(3) : box);
    }
  }
  return places;
}

using Index = std::array<int64_t, 3>;

template <class Visit>
void forEachIndex(const Box &box, Visit visit) {
  for (int64_t i = box[0].begin; i < box[0].end; ++i)
    for (int64_t j = box[1].begin; j < box[1].end; ++j)
      for (int64_t k = box[2].begin; k < box[2].end; ++k)
        visit(Index{i, j, k});
}

Box boxAt(const Index &index) {
  Box box(3);
  for (size_t i = 0; i < 3; ++i)
    box[i] = {index[i], index[i] + 1};
  return box;
}

// The index that an element of the view has in the whole tensor, according to the operations. If a concat
// takes the tensor twice, the first occurrence counts.
Index indexInWhole(const Networks &all, TensorIndex tensor, TensorIndex whole, Index at) {
  for (const NetworkStep &step : all.network.steps) {
    const DeviceOp &deviceOp = std::get<DeviceOp>(step);
    if (deviceOp.kind == DeviceOpKind::concat && deviceOp.result == whole) {
      int64_t offset = 0;
      for (const Operand &operand : deviceOp.operands) {
        if (operand.tensor == tensor) {
          at[static_cast<size_t>(deviceOp.axes[0])] += offset;
          return at;
        }
        offset += all.shapeOf(operand.tensor)[static_cast<size_t>(deviceOp.axes[0])];
      }
    }
    if (deviceOp.result == tensor && deviceOp.kind == DeviceOpKind::reshape) {
      const std::vector<int64_t> &shape = all.shapeOf(whole);
      return {at[0], at[1] / shape[2], at[1] % shape[2]};
    }
    if (deviceOp.result == tensor && deviceOp.kind == DeviceOpKind::pointwise)
      for (size_t i = 0; i < 3; ++i)
        at[i] += deviceOp.operands[0].axes[i].offset;
  }
  return at;
}

TEST(Views, ElementsLieWhereTheWholeHasThem) {
  test::Random random(11);
  size_t numViews = 0, numDropped = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Networks all = randomNetwork(random);
    const std::vector<TensorPlace> before = randomPlaces(all.network, random);
    std::vector<TensorPlace> after = before;
    const TensorViews possible = possibleViews(all.network), views = layViews(all.network, possible, after);
    for (TensorIndex tensor = 0; tensor < views.size(); ++tensor) {
      numDropped += possible[tensor] && !views[tensor];
      if (!before[tensor].inOcm) {
        EXPECT_FALSE(views[tensor]);
        continue;
      }
      for (size_t tile = 0; tile < numTiles; ++tile)
        EXPECT_TRUE(after[tensor].kept[tile].contains(before[tensor].kept[tile]));
      if (!views[tensor])
        continue;
      ++numViews;
      const TensorIndex whole = views[tensor]->of;
      for (size_t tile = 0; tile < numTiles; ++tile) {
        const View its{.box = after[tensor].kept[tile]}, outside{.box = after[whole].kept[tile]};
        forEachIndex(intersection(its.box, Box::whole(all.shapeOf(tensor))), [&](const Index &at) {
          const Box place = boxAt(indexInWhole(all, tensor, whole, at));
          EXPECT_TRUE(outside.box.contains(place));
          EXPECT_EQ(its.addressOf(boxAt(at)), outside.addressOf(place));
        });
      }
    }
  }
  EXPECT_GT(numViews, 3000u);
  EXPECT_GT(numDropped, 1000u);
}

TEST(Views, NeverNeedMoreMemoryThanCopies) {
  test::Random random(12);
  for (int trial = 0; trial < 3000; ++trial) {
    const Networks all = randomNetwork(random);
    std::vector<TensorPlace> places = randomPlaces(all.network, random);
    const auto elements = [&](const TensorViews &views, size_t tile) {
      uint64_t sum = 0;
      for (size_t i = 0; i < places.size(); ++i)
        if (places[i].inOcm && !views[i])
          sum += places[i].kept[tile].elements();
      return sum;
    };
    std::array<uint64_t, numTiles> before;
    for (size_t tile = 0; tile < numTiles; ++tile)
      before[tile] = elements(TensorViews(places.size()), tile);
    const TensorViews views = layViews(all.network, possibleViews(all.network), places);
    for (size_t tile = 0; tile < numTiles; ++tile)
      EXPECT_LE(elements(views, tile), before[tile]);
  }
}

// If a tile needs an element of a view, it also counts as needing the same element of the whole tensor,
// because both are the same bytes. The producer sends an element once to all tiles that read it.
TEST(Views, NeedsApplyToAllTensorsInTheSameBytes) {
  test::Random random(13);
  size_t numShared = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Networks all = randomNetwork(random);
    std::vector<TensorPlace> places = randomPlaces(all.network, random);
    for (TensorPlace &place : places)
      for (const Box &kept : place.kept)
        place.wanted.push_back(random.between(0, 2) == 0 && !kept.empty() ? std::vector{kept}
                                                                          : std::vector<Box>());
    const std::vector<TensorPlace> before = places;
    const TensorViews views = layViews(all.network, possibleViews(all.network), places);
    shareWanted(all.network, views, places);
    const auto contains = [](const std::vector<Box> &boxes, const Box &box) {
      return std::ranges::any_of(boxes, [&](const Box &candidate) { return candidate.contains(box); });
    };
    for (TensorIndex reader = 0; reader < views.size(); ++reader)
      for (size_t tile = 0; tile < before[reader].wanted.size(); ++tile)
        for (const Box &box : before[reader].wanted[tile]) {
          EXPECT_TRUE(contains(places[reader].wanted[tile], box));
          if (!views[reader])
            continue;
          const TensorIndex whole = views[reader]->of;
          forEachIndex(box, [&](const Index &at) {
            ++numShared;
            EXPECT_TRUE(contains(places[whole].wanted[tile], boxAt(indexInWhole(all, reader, whole, at))));
          });
        }
    for (const NetworkStep &step : all.network.steps)
      if (const TensorIndex result = std::get<DeviceOp>(step).result;
          std::get<DeviceOp>(step).kind == DeviceOpKind::conv && views[result])
        for (size_t tile = 0; tile < numTiles; ++tile)
          for (const Box &box : before[views[result]->of].wanted[tile])
            forEachIndex(Box::whole(all.shapeOf(result)), [&](const Index &at) {
              if (box.contains(boxAt(indexInWhole(all, result, views[result]->of, at)))) {
                ++numShared;
                EXPECT_TRUE(contains(places[result].wanted[tile], boxAt(at)));
              }
            });
  }
  EXPECT_GT(numShared, 10000u);
}

TEST(Views, BoxesThatCostNoMoreAsOneAreOne) {
  const auto box = [](Range rows, Range columns) {
    Box region(2);
    region[0] = rows;
    region[1] = columns;
    return region;
  };
  std::vector<Box> wanted;
  for (const Box &region : {box({0, 2}, {0, 4}), box({0, 0}, {0, 4}), box({8, 9}, {0, 4}),
                            box({2, 3}, {0, 4}), box({0, 1}, {1, 2})})
    addWanted(wanted, region);
  EXPECT_EQ(wanted.size(), 2u);
  EXPECT_TRUE(std::ranges::count(wanted, box({0, 3}, {0, 4})));
  EXPECT_TRUE(std::ranges::count(wanted, box({8, 9}, {0, 4})));
}

// Operands of a concat are stored in place (each only once, at its first occurrence) and need no copy; a
// tensor is stored in one place only.
TEST(Views, SaveTheCopiesOfAConcat) {
  Networks all;
  const TensorIndex a = all.addComputed({1, 4, 8}), b = all.addComputed({1, 4, 2});
  const TensorIndex joined = all.concat({a, b, a}, 2), again = all.concat({a, joined}, 2);
  const TensorViews views = possibleViews(all.network);
  const DeviceOp &first = std::get<DeviceOp>(all.network.steps[2]),
                 &second = std::get<DeviceOp>(all.network.steps[3]);
  EXPECT_TRUE(isInPlace(first, 0, views));
  EXPECT_TRUE(isInPlace(first, 1, views));
  EXPECT_FALSE(isInPlace(first, 2, views));
  EXPECT_FALSE(isInPlace(second, 0, views));
  EXPECT_TRUE(isInPlace(second, 1, views));
  EXPECT_EQ(outermost(views, b), again);
  Box part = Box::whole(all.shapeOf(joined));
  part[2] = {6, 15};
  const std::vector<Box> parts = partsMade(first, part, all.network, views);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0][2], (Range{10, 15}));
}

TEST(Views, ConstantsAndWhatTheHostMakesLieAlone) {
  Networks all;
  const TensorIndex a = all.addComputed({1, 4, 8}), hostTensor = all.add({1, 4, 8});
  all.concat({a, hostTensor}, 1);
  const TensorViews views = possibleViews(all.network);
  EXPECT_TRUE(views[a]);
  EXPECT_FALSE(views[hostTensor]);
  all.network.tensors[a].type = ElementType::fp16;
  EXPECT_FALSE(possibleViews(all.network)[a]);
}

} // namespace
} // namespace tilerig
