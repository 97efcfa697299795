#include "isa/Base/Tensor/EntryReader.h"

#include <fmt/core.h>

namespace tilerig {

Status checkSum(const ZipEntry &entry, uint32_t crc) {
  if (crc == entry.crc)
    return success();
  return invalidInput(
      "", fmt::format("the entry is damaged: its CRC-32 is {:08x}, expected {:08x}", crc, entry.crc));
}

Status EntryReader::read(std::span<std::byte> to) {
  TILERIG_TRY(const size_t read, inflater.read(to));
  if (read != to.size())
    return invalidInput("", "the deflated data end before the tensor is complete");
  if (checksSum)
    crc = crc32(to, crc);
  left -= read;
  if (left > 0)
    return success();
  TILERIG_TRY(const bool ended, inflater.atEnd());
  if (!ended)
    return invalidInput("", "the deflated data continue after the end of the tensor");
  return checksSum ? checkSum(entry, crc) : success();
}

} // namespace tilerig
