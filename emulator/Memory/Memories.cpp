#include "emulator/Memory/Memories.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <sys/mman.h>

namespace tilerig::emulator {

Result<Reservation> Reservation::of(uint64_t sizeBytes, const std::string &memoryName) {
  void *begin =
      mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    return unsupported(memoryName,
                       fmt::format("the host cannot provide {} bytes of address space", sizeBytes),
                       "raise the limit of virtual memory (ulimit -v)");
  Reservation reservation;
  reservation.begin = static_cast<std::byte *>(begin);
  reservation.sizeBytes = sizeBytes;
  return reservation;
}

Reservation &Reservation::operator=(Reservation &&other) noexcept {
  std::swap(begin, other.begin);
  std::swap(sizeBytes, other.sizeBytes);
  return *this;
}

Reservation::~Reservation() {
  if (begin)
    munmap(begin, sizeBytes);
}

void Reservation::clear() {
  if (begin)
    madvise(begin, sizeBytes, MADV_DONTNEED);
}

Result<Memories> Memories::of(const Program &program) {
  const Machine &machine = program.machine;
  Memories memories;
  memories.program = &program;
  memories.ocmPitch = machine.tile.ocmBytes;
  TILERIG_TRY(memories.ddr, Reservation::of(machine.ddr.sizeBytes, "DDR"));
  TILERIG_TRY(memories.ocms, Reservation::of(memories.ocmPitch * program.tiles, "OCM"));
  memories.materialised.resize(program.constants.size());
  return memories;
}

const ConstantData *Memories::constantsAround(ByteRange range) const {
  auto after = std::ranges::upper_bound(program->constants, range.begin, {}, &ConstantData::address);
  if (after == program->constants.begin())
    return nullptr;
  const ConstantData &constants = *(after - 1);
  return range.end <= constants.address + constants.bytes.size() ? &constants : nullptr;
}

const std::byte *Memories::readable(MemoryId memory, ByteRange range) {
  if (memory == ddrMemory) {
    if (const ConstantData *constants = constantsAround(range))
      return constants->bytes.data() + (range.begin - constants->address);
    copyConstants(range);
  }
  return writable(memory, range);
}

void Memories::copyConstants(ByteRange range) {
  const std::lock_guard lock(*materialising);
  for (size_t i = 0; i < program->constants.size(); ++i) {
    const ConstantData &constants = program->constants[i];
    if (materialised[i] || constants.address >= range.end ||
        constants.address + constants.bytes.size() <= range.begin)
      continue;
    std::memcpy(ddr.data() + constants.address, constants.bytes.data(), constants.bytes.size());
    materialised[i] = true;
  }
}

void Memories::clear() {
  ddr.clear();
  ocms.clear();
  for (size_t i = 0; i < materialised.size(); ++i)
    if (materialised[i]) {
      materialised[i] = false;
      copyConstants({program->constants[i].address, program->constants[i].address + 1});
    }
}

} // namespace tilerig::emulator
