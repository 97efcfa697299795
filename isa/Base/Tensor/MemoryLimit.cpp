#include "isa/Base/Tensor/MemoryLimit.h"

#include "isa/Base/Tensor/MemoryBudget.h"

#include <algorithm>

namespace tilerig {

uint64_t usualMemoryLimit(uint64_t fileBytes) {
  constexpr uint64_t least = uint64_t{4} << 30, perByte = 100;
  const uint64_t most = physicalMemory() / 4 * 3;
  return fileBytes > (UINT64_MAX - least) / perByte ? most : std::min(most, least + perByte * fileBytes);
}

} // namespace tilerig
