// Which instructions write and read the bytes that findings are about, and whether the data that a reader
// takes from there is its own.
//
// A layer reads what itself or the layers that it depends on have written. In the order of layers, the last
// writer of a byte in front of a reader is therefore one of these, where all accesses are to the right bytes.
#pragma once

#include "verify/Check/Finding.h"
#include "verify/Check/TensorSources.h"

namespace tilerig::verify {

struct ByteUse {
  uint32_t layer = 0;
  bool writes = false;
};

// For each of the findings, the uses of its bytes by all instructions of the program; none where it is not
// about memory. The host's tensors are not among them.
std::vector<std::vector<ByteUse>> usesOfBytes(const Program &program, const std::vector<Finding> &findings);

// By layer, the layers whose results it consumes, and theirs: a concatenation, say, may have had its operands
// written to their places at once. Nothing of a layer that keeps no tensor.
class LayerSources {
public:
  LayerSources(const Program &program, const TensorSources &tensors);

  // Whether `writer` may produce what `reader` consumes. Layers of which nothing is known may.
  bool mayFeed(uint32_t writer, uint32_t reader) const;

private:
  void addAncestors();
  std::map<uint32_t, std::set<uint32_t>> sources;
};

// What the bytes hold when a reader of a layer comes to them.
enum class DataFlow : uint8_t {
  own,      // what it consumes, or what the host put there
  intruded, // what it consumes was there, and a layer that it does not consume wrote upon it
  stray,    // nothing that it consumes is ever written there
};

DataFlow dataFlowOf(uint32_t reader, const std::vector<ByteUse> &uses, bool hostWrites,
                    const LayerSources &layers);

// Whether the host writes any of these bytes: inputs of the model, or results of its own layers.
bool hostWrites(const Program &program, MemoryId memory, ByteRange bytes);

} // namespace tilerig::verify
