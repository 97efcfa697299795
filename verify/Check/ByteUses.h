// Finds the instructions that write and read the bytes named by findings, and decides whether a reader gets
// the data that it should consume.
//
// A layer reads what itself or the layers that it depends on have written. So if all accesses are to the
// right bytes, the last writer of a byte before its reader, in the order of layers, is one of these layers.
#pragma once

#include "verify/Check/Finding.h"
#include "verify/Check/TensorSources.h"

namespace tilerig::verify {

struct ByteUse {
  uint32_t layer = 0;
  bool writes = false;
};

// For each finding, lists the uses of its bytes by all instructions of the program. The list is empty where
// the finding is not about memory. Accesses by the host are not included.
std::vector<std::vector<ByteUse>> usesOfBytes(const Program &program, const std::vector<Finding> &findings);

// For each layer, the layers that it depends on, directly and transitively. Indirect ones count because, for
// example, the operands of a concatenation may have been written to its result's memory at once. A layer that
// keeps no tensor has no entry.
class LayerSources {
public:
  LayerSources(const Program &program, const TensorSources &tensors);

  // Whether `writer` may produce data that `reader` consumes. True if either layer has no entry.
  bool mayFeed(uint32_t writer, uint32_t reader) const;

private:
  void addAncestors();
  std::map<uint32_t, std::set<uint32_t>> sources;
};

// What the bytes hold when an instruction of a layer reads them.
enum class DataFlow : uint8_t {
  own,      // data that the layer consumes, or that the host wrote
  intruded, // data that the layer consumes, overwritten by a layer that it does not depend on
  stray,    // data of other layers: nothing that the layer consumes is ever written there
};

DataFlow dataFlowOf(uint32_t reader, const std::vector<ByteUse> &uses, bool hostWrites,
                    const LayerSources &layers);

// Whether the host writes any of these bytes: inputs of the model, or results of layers that run on the host.
bool hostWrites(const Program &program, MemoryId memory, ByteRange bytes);

} // namespace tilerig::verify
