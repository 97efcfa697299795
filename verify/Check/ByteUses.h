// Finds the instructions that write and read the bytes named by the analyser's findings, and decides whether
// a layer that reads these bytes gets the right data.
//
// A layer may read only bytes that were last written by itself or by a layer that it depends on.
#pragma once

#include "verify/Check/TensorSources.h"
#include "verify/Findings/Finding.h"

namespace tilerig::verify {

struct ByteUse {
  uint32_t layer = 0;
  bool writes = false;
};

// Returns for each problem that the analyser found all instructions that access the bytes concerned; an empty
// list if the problem is not about memory. Accesses by the host are not included.
std::vector<std::vector<ByteUse>> usesOfBytes(const Program &program, const std::vector<Finding> &findings);

// For each layer of a program, the layers whose results it depends on, directly or through other layers. A
// layer that computes no tensor listed by the program has no entry.
class LayerSources {
public:
  LayerSources(const Program &program, const TensorSources &tensors);

  // Whether the layer `writer` may produce data that the layer `reader` consumes. Also true if the
  // dependencies of one of the two layers are unknown.
  bool mayFeed(uint32_t writer, uint32_t reader) const;

private:
  void addAncestors();
  std::map<uint32_t, std::set<uint32_t>> sources;
};

// Whether bytes hold the right data when an instruction of a layer reads them.
enum class DataFlow : uint8_t {
  own, // the bytes hold right data: written by a layer that the reader depends on, or by the host
  // the bytes hold wrong data: the right data were written, but then overwritten by a layer that the reader
  // does not depend on
  intruded,
  stray, // the bytes hold wrong data: no layer that the reader depends on, nor the host, ever writes them
};

DataFlow dataFlowOf(uint32_t reader, const std::vector<ByteUse> &uses, bool hostWrites,
                    const LayerSources &layers);

// Whether the host writes any of the bytes: as inputs of the model, or as results of layers that run on the
// host.
bool hostWrites(const Program &program, MemoryId memory, ByteRange bytes);

} // namespace tilerig::verify
