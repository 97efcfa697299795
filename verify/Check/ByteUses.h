// Finds the instructions that write and read the bytes named by findings, and decides whether a reader gets
// the data that it should consume.
//
// A layer reads what it or the layers that it depends on have written. So consider, for a byte that a layer
// reads, all layers up to and including this reader that write the byte. If all instructions access the right
// bytes, the last of these layers is the reader itself or a layer that it depends on.
#pragma once

#include "verify/Check/Finding.h"
#include "verify/Check/TensorSources.h"

namespace tilerig::verify {

struct ByteUse {
  uint32_t layer = 0;
  bool writes = false;
};

// Returns for each finding the accesses of all instructions to the bytes that the finding names; an empty
// list if the finding is not about memory. Accesses by the host are not included.
std::vector<std::vector<ByteUse>> usesOfBytes(const Program &program, const std::vector<Finding> &findings);

// For each layer of a program, the layers whose results it depends on, directly or through other layers.
// Indirect dependencies count because, for example, an operand of a concatenation may be written straight
// into the memory of the concatenation's result. A layer has no entry if the program lists no tensor that it
// computes.
class LayerSources {
public:
  LayerSources(const Program &program, const TensorSources &tensors);

  // Whether `writer` may produce data that `reader` consumes. Also true if one of the two layers has no
  // entry, because nothing is known of its dependencies then.
  bool mayFeed(uint32_t writer, uint32_t reader) const;

private:
  void addAncestors();
  std::map<uint32_t, std::set<uint32_t>> sources;
};

// What the bytes hold when an instruction of a layer reads them.
enum class DataFlow : uint8_t {
  own, // the right data: written by a layer that the reader depends on, or by the host
  // wrong data: the right data were written, but then overwritten by a layer that the reader does not depend
  // on
  intruded,
  stray, // wrong data: no layer that the reader depends on, nor the host, ever writes these bytes
};

DataFlow dataFlowOf(uint32_t reader, const std::vector<ByteUse> &uses, bool hostWrites,
                    const LayerSources &layers);

// Whether the host writes any of these bytes: inputs of the model, or results of layers that run on the host.
bool hostWrites(const Program &program, MemoryId memory, ByteRange bytes);

} // namespace tilerig::verify
