// The works of one layer, for bugs that arise where layers become works. Whatever is changed belongs to the
// layer alone: constants that others read as well are copied first.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "isa/Bugs/Draw.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tilerig {

using ByteRow = std::vector<std::byte>;

// Why a layer has no place for a bug.
inline Error hasNot(std::string what) { return unsupported("", std::move(what)); }

struct LayerWorks {
  DeviceNetwork &network;
  uint32_t layer = 0;

  const DeviceTensor &tensor(TensorIndex index) const { return network.tensors[index]; }
  Work &at(size_t step) const { return std::get<Work>(network.steps[step]); }

  // The first of its works for which `which` is true.
  template <class Which>
  std::optional<size_t> find(Which which) const {
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = std::get_if<Work>(&network.steps[i]);
          work && work->layer == layer && which(*work))
        return i;
    return {};
  }
  // Its convolution or matrix product.
  Result<size_t> product() const;
  // The work that gives its result.
  Result<size_t> last() const;
  // The last step before it that is a work of another layer, and of which `which` is true.
  const Work *before(size_t step, const std::function<bool(const Work &)> &which) const;

  TensorIndex addTensor(DeviceTensor tensor) const;
  void insert(size_t step, Work work) const {
    network.steps.insert(network.steps.begin() + static_cast<ptrdiff_t>(step), std::move(work));
  }
  void replaceConstant(size_t step, size_t operand, ByteRow bytes) const;
};

inline bool isProduct(const Work &work) {
  return work.kind == WorkKind::conv || work.kind == WorkKind::matmul;
}
// What finishes its results; null where the action has nothing of the kind.
Finish *finishOf(Instruction &action);
// Of a product.
Epilogue &epilogueOf(Work &work);
bool isEightBits(ElementType type);
// The bounds that change nothing.
struct TypeBounds {
  int16_t low = 0, high = 0;
};
TypeBounds boundsOf(ElementType type);

// A bug, and how it is planted in a layer. Refuses as unsupported where the layer has no place for it, and
// then has changed nothing.
struct WorkBug {
  std::string_view id;
  Status (*plant)(const LayerWorks &layer, BugDraw &draw);
};
std::span<const WorkBug> paddingBugs();
std::span<const WorkBug> biasBugs();
std::span<const WorkBug> weightBugs();
std::span<const WorkBug> layoutBugs();
std::span<const WorkBug> functionBugs();
std::span<const WorkBug> scaleBugs();

// --- Rows of elements ---

// As rows of `rowBytes`, with row i from where `from` says.
template <class From>
ByteRow rowsFrom(const ByteRow &bytes, size_t rowBytes, From from) {
  ByteRow moved(bytes.size());
  for (size_t row = 0; row * rowBytes < bytes.size(); ++row)
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(from(row) * rowBytes), rowBytes,
                moved.begin() + static_cast<ptrdiff_t>(row * rowBytes));
  return moved;
}
// The elements of a tensor of that shape in the order that they have with its axes permuted.
ByteRow permutedBytes(const ByteRow &bytes, const std::vector<int64_t> &shape, size_t elementBytes,
                      const std::vector<size_t> &perm);
// `change` for each element of a row of them.
template <class T, class Change>
void changeEach(ByteRow &bytes, Change change) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    value = change(value);
    std::memcpy(bytes.data() + i, &value, sizeof value);
  }
}

} // namespace tilerig
