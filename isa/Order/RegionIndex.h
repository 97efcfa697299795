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

  void insert(const ShapedRegion &region, T value) {
    index.insert(region.region.bounds(), {std::move(value), region.shape});
  }

  // Calls visit(value, bounds, shape) for every value whose region shares a byte with `region`.
  template <class Visitor>
  void visit(const ShapedRegion &region, RegionShapes &shapes, Visitor &&visit) const {
    index.visitOverlapping(region.region.bounds(), [&](ByteRange bounds, const Item &item) {
      if (overlap(region, shapes, bounds, item.shape))
        visit(item.value, bounds, item.shape);
    });
  }
  // The value stored for exactly this region, or null.
  const T *find(const ShapedRegion &region) const {
    const T *match = nullptr;
    index.visitOverlapping(region.region.bounds(), [&](ByteRange bounds, const Item &item) {
      if (item.shape == region.shape && bounds == region.region.bounds())
        match = &item.value;
    });
    return match;
  }

  // Removes the values whose region shares a byte with `region`.
  void removeOverlapping(const ShapedRegion &region, RegionShapes &shapes) {
    index.visitOverlapping(region.region.bounds(), [&](ByteRange bounds, const Item &item) {
      return overlap(region, shapes, bounds, item.shape);
    });
  }
  // Removes values whose region lies entirely within `region`. The test is fast and conservative: it may leave
  // some such values in the index.
  void removeCovered(const ShapedRegion &region, const RegionShapes &shapes) {
    index.visitOverlapping(region.region.bounds(), [&](ByteRange bounds, const Item &item) {
      return shapes.covers(region.region, region.shape, bounds, item.shape);
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
  static bool overlap(const ShapedRegion &region, RegionShapes &shapes, ByteRange bounds, Shape other) {
    return !RegionShapes::surelyApart(region.region, region.shape, bounds, other) &&
           shapes.overlap(region.region, region.shape, bounds, other);
  }

  IntervalIndex<Item> index;
};

} // namespace tilerig
