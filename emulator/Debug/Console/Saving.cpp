#include "emulator/Debug/Console/Saving.h"

#include "isa/Base/Tensor/Npy.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilerig::emulator {

static DType dtypeOf(ElementType type) {
  constexpr std::array types = {DType::i8,  DType::u8,   DType::i16, DType::i32,
                                DType::f16, DType::bf16, DType::f32}; // in the order of ElementType
  static_assert(types.size() == EnumNames<ElementType>::values.size());
  return types[static_cast<size_t>(type)];
}

Result<MemoryTensor> memoryAsTensor(const Debugger &debugger, const Location &location, uint64_t count,
                                    ElementType type) {
  const uint64_t size = sizeOf(location.memory, debugger.program().machine), bytes = sizeBytes(type);
  const uint64_t most = location.address < size ? (size - location.address) / bytes : 0;
  if (count == 0 || count > most)
    return usageError(std::to_string(count),
                      fmt::format("from {} to the end of the memory there are {} elements of {}",
                                  describe(location), most,
                                  EnumNames<ElementType>::values[static_cast<size_t>(type)]),
                      most ? fmt::format("give a number from 1 to {}", most) : "give a lower address");
  const ByteRange range{location.address, location.address + count * bytes};
  MemoryTensor memory{Tensor(dtypeOf(type), {static_cast<int64_t>(count)})};
  std::ranges::copy(debugger.read(location.memory, range), memory.tensor.mutableBytes().begin());
  debugger.initialised().forEachMissing(location.memory, range, [&](ByteRange missing) {
    memory.unwritten += missing.end - missing.begin;
    std::fill_n(memory.tensor.mutableBytes().begin() +
                    static_cast<std::ptrdiff_t>(missing.begin - range.begin),
                missing.end - missing.begin, std::byte{0});
  });
  return memory;
}

Result<std::string> saveTo(const std::string &file, const Tensor &tensor) {
  if (!file.ends_with(".npy"))
    return usageError(file, "the name of the file does not end with .npy", "choose another name");
  TILERIG_CHECK_OK(writeNpy(file, tensor));
  return fmt::format("wrote {}: {} [{}]", file, nameOf(tensor.dtype()), fmt::join(tensor.shape(), ", "));
}

} // namespace tilerig::emulator
