#include "emulator/Tools/RunMemory.h"

#include "emulator/Memory/Stored.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

uint64_t saturatingSum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// Size of the tensor in bytes if its elements have the given type; UINT64_MAX if the size overflows.
uint64_t bytesAs(DType type, const proto::Tensor &tensor) {
  const Result<size_t> bytes = sizeBytesOf(type, shapeOf(tensor));
  return bytes ? *bytes : UINT64_MAX;
}

uint64_t memoriesOf(const Machine &machine) {
  return machine.ddr.sizeBytes + uint64_t{machine.network.tiles} * machine.tile.ocmBytes;
}

bool isOnHost(const proto::Tensor &tensor, const MemoryRequest &request) {
  return tensor.role() == proto::INPUT || tensor.role() == proto::OUTPUT || request.capturesAll ||
         std::ranges::count(request.captured, tensor.name());
}

} // namespace

Status checkRunMemory(const Program &program, const MemoryRequest &request) {
  uint64_t onHost = 0, inMemories = 0, most = 0;
  const proto::Tensor *largest = nullptr;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (isOnHost(tensor, request))
      onHost = saturatingSum(onHost, bytesAs(modelDType(tensor), tensor));
    const uint64_t stored = bytesAs(storedDType(tensor), tensor);
    inMemories = saturatingSum(inMemories, stored);
    if (stored > most) {
      most = stored;
      largest = &tensor;
    }
  }
  const uint64_t bytes = saturatingSum(onHost, std::min(inMemories, memoriesOf(program.machine)));
  if (bytes <= request.limitBytes)
    return success();
  return unsupported(
      request.program,
      fmt::format("the run needs {} bytes of memory for tensors, and the limit is {}; the largest tensor is "
                  "'{}', {} {}",
                  bytes, request.limitBytes, largest->name(), largest->dtype(), showShape(shapeOf(*largest))),
      "raise --memory-limit");
}

} // namespace tilerig::emulator
