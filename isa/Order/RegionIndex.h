// An index of values by region of bytes; finds the values whose region shares a byte with a given region.
//
// Unlike IntervalIndex, which compares bounds only, it is exact for regions with gaps. A region is stored as
// its bounds and the number of its shape (RegionShapes.h); several indices can share one table of shapes.
#pragma once

#include "isa/Order/IntervalIndex.h"
#include "isa/Order/RegionShapes.h"

#include <utility>

namespace tilerig {

// A region and the number of its shape.
struct ShapedRegion {
  Region region;
  RegionShapes::Shape shape;

  ShapedRegion(const Region &region, RegionShapes &shapes) : region(region), shape(shapes.of(region)) {}
};

template <class T>
class RegionIndex {
public:
  using Shape = RegionShapes::Shape;

  void insert(const ShapedRegion &it, T value) {
    index.insert(it.region.bounds(), {std::move(value), it.shape});
  }

  // Calls visit(value, bounds, shape) for every value whose region shares a byte with `it`.
  template <class Visitor>
  void visit(const ShapedRegion &it, RegionShapes &shapes, Visitor &&visit) const {
    index.visitOverlapping(it.region.bounds(), [&](ByteRange bounds, const Item &item) {
      if (overlap(it, shapes, bounds, item.shape))
        visit(item.value, bounds, item.shape);
    });
  }
  // The value stored for exactly this region, or null.
  const T *find(const ShapedRegion &it) const {
    const T *found = nullptr;
    index.visitOverlapping(it.region.bounds(), [&](ByteRange bounds, const Item &item) {
      if (item.shape == it.shape && bounds == it.region.bounds())
        found = &item.value;
    });
    return found;
  }

  // Removes the values whose region shares a byte with `it`.
  void removeOverlapping(const ShapedRegion &it, RegionShapes &shapes) {
    index.visitOverlapping(it.region.bounds(), [&](ByteRange bounds, const Item &item) {
      return overlap(it, shapes, bounds, item.shape);
    });
  }
  // Removes values whose region lies entirely within `it`. The test is fast and conservative: it may leave
  // some such values in the index.
  void removeCovered(const ShapedRegion &it, const RegionShapes &shapes) {
    index.visitOverlapping(it.region.bounds(), [&](ByteRange bounds, const Item &item) {
      return shapes.covers(it.region, it.shape, bounds, item.shape);
    });
  }
  // Calls visit(value, bounds, shape) for all values and removes those for which `visit` returns true.
  template <class Visitor>
  void removeIf(Visitor &&visit) {
    index.removeIf([&](ByteRange bounds, const Item &item) { return visit(item.value, bounds, item.shape); });
  }

  size_t size() const { return index.size(); }

private:
  struct Item {
    T value;
    Shape shape;
  };
  static bool overlap(const ShapedRegion &it, RegionShapes &shapes, ByteRange bounds, Shape other) {
    return !RegionShapes::surelyApart(it.region, it.shape, bounds, other) &&
           shapes.overlap(it.region, it.shape, bounds, other);
  }

  IntervalIndex<Item> index;
};

} // namespace tilerig
