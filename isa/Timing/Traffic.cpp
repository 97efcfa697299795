#include "isa/Timing/Traffic.h"

#include "isa/Timing/Dma.h"
#include "isa/Timing/Footprint.h"
#include "isa/Timing/Pe.h"
#include "isa/Timing/Pod.h"

namespace tilerig {

Traffic &Traffic::operator+=(const Traffic &other) {
  ocmReadBytes += other.ocmReadBytes;
  ocmWriteBytes += other.ocmWriteBytes;
  ddrReadBytes += other.ddrReadBytes;
  ddrWriteBytes += other.ddrWriteBytes;
  networkBytes += other.networkBytes;
  linkBytes += other.linkBytes;
  return *this;
}

static Traffic trafficOf(const PodTime &time) {
  return {.ocmReadBytes = time.bytesRead(), .ocmWriteBytes = time.resultBytes};
}

static Traffic trafficOf(const PeTime &time) {
  return {.ocmReadBytes = time.bytesRead, .ocmWriteBytes = time.bytesWritten};
}

static Traffic trafficOf(const Transfer &transfer) {
  auto [read, write, receivers] = transfer;
  return {.ocmReadBytes = read.ocmBytes,
          .ocmWriteBytes = (Count(write.ocmBytes) * receivers).get(),
          .ddrReadBytes = read.ddrBytes,
          .ddrWriteBytes = write.ddrBytes,
          .networkBytes = read.networkBytes + write.networkBytes,
          .linkBytes =
              (Count(read.networkBytes) * read.links.size() + Count(write.networkBytes) * write.links.size())
                  .get()};
}

Traffic trafficOf(const Instruction &instruction, const Machine &machine, unsigned tile) {
  return std::visit(
      [&]<class T>(const T &typed) {
        if constexpr (ControlInstruction<T>)
          return Traffic{};
        else if constexpr (TransferInstruction<T>)
          return trafficOf(transferOf(typed, machine, tile));
        else
          return trafficOf(timeOf(typed, machine));
      },
      instruction);
}

static uint64_t multiplicationsOf(const Matmul &matmul) {
  return (elementsOf(matmul.output) * matmul.a.dims[4].size).get();
}

static uint64_t multiplicationsOf(const Conv &conv) {
  const auto &weights = conv.weights.dims;
  return (elementsOf(conv.output) * weights[2].size * weights[3].size * weights[4].size).get();
}

uint64_t macsOf(const Instruction &instruction) {
  return std::visit(
      []<class T>(const T &typed) -> uint64_t {
        if constexpr (ProductInstruction<T>)
          return multiplicationsOf(typed);
        else
          return 0;
      },
      instruction);
}

} // namespace tilerig
