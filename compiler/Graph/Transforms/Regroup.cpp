#include "compiler/Graph/Transforms/Regroup.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using graph::Dims;
using graph::Order;

// For reshape(transpose(x)): a group of axes that the reshape joins or splits. `places` has the numbers that
// these axes have in x, and `results` the axes that they become in the result of the reshape.
struct AxisGroup {
  Order places, results;
};

// The axes of a shape with size greater than 1, in order.
Order largeAxes(llvm::ArrayRef<int64_t> shape) {
  Order axes;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1)
      axes.push_back(static_cast<int64_t>(i));
  return axes;
}

// Divides the axes before and after a reshape into the smallest groups of neighbouring axes that have the
// same number of elements before and after.
llvm::SmallVector<AxisGroup> groupsOf(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> perm,
                                      llvm::ArrayRef<int64_t> to) {
  // AxisGroup::places has no axis numbers here, but indices into `large`, the list of those axes of x that
  // are longer than 1.
  const Order large = largeAxes(from);
  const Dims before = graph::permuted(from, perm);
  const Order sources = largeAxes(before), results = largeAxes(to);
  llvm::SmallVector<AxisGroup> groups;
  for (size_t i = 0, k = 0; i < sources.size() && k < results.size();) {
    AxisGroup group;
    int64_t here = 1, there = 1;
    do {
      if (here <= there) {
        here *= before[sources[i]];
        group.places.push_back(llvm::find(large, perm[sources[i++]]) - large.begin());
      } else {
        there *= to[results[k]];
        group.results.push_back(results[k++]);
      }
    } while (here != there);
    groups.push_back(group);
  }
  return groups;
}

bool areSideBySide(llvm::ArrayRef<int64_t> places) {
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i] != places[i - 1] + 1)
      return false;
  return true;
}

// Adds each axis of size 1 in the result of the reshape to the group of the axis before it.
void addSmallAxes(llvm::SmallVectorImpl<AxisGroup> &groups, llvm::ArrayRef<int64_t> to) {
  size_t group = 0;
  for (size_t axis = 0; axis < to.size(); ++axis)
    for (size_t i = 0; i < groups.size(); ++i)
      if (to[axis] != 1 && llvm::is_contained(groups[i].results, static_cast<int64_t>(axis)))
        group = i;
      else if (to[axis] == 1 && i == group)
        groups[i].results.push_back(static_cast<int64_t>(axis));
  for (AxisGroup &each : groups)
    llvm::sort(each.results);
}

} // namespace

bool keepsOrder(llvm::ArrayRef<int64_t> perm) { return llvm::equal(perm, llvm::seq<int64_t>(perm.size())); }

bool movesNothing(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm) {
  Order large;
  for (int64_t axis : perm)
    if (shape[axis] != 1)
      large.push_back(axis);
  return llvm::is_sorted(large);
}

std::optional<Regrouped> regroup(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> perm,
                                 llvm::ArrayRef<int64_t> to) {
  if (llvm::is_contained(from, 0))
    return {};
  auto groups = groupsOf(from, perm, to);
  if (groups.empty())
    return Regrouped{Dims(to), llvm::to_vector(llvm::seq<int64_t>(to.size()))};
  if (!llvm::all_of(groups, [](const AxisGroup &group) { return areSideBySide(group.places); }))
    return {};
  addSmallAxes(groups, to);
  llvm::sort(groups, [](const AxisGroup &a, const AxisGroup &b) { return a.places[0] < b.places[0]; });
  Regrouped result{{}, Order(to.size())};
  for (const AxisGroup &group : groups)
    for (int64_t axis : group.results) {
      result.perm[axis] = static_cast<int64_t>(result.shape.size());
      result.shape.push_back(to[axis]);
    }
  return result;
}

} // namespace tilerig::compiler
