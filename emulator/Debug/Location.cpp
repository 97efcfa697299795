#include "emulator/Debug/Location.h"

#include <charconv>
#include <fmt/format.h>

namespace tilerig::emulator {

Result<uint64_t> parseNumber(const std::string &text, const std::string &what) {
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  const char *begin = text.data() + (isHex ? 2 : 0), *end = text.data() + text.size();
  uint64_t number = 0;
  const auto [at, error] = std::from_chars(begin, end, number, isHex ? 16 : 10);
  if (error != std::errc() || at != end)
    return usageError(text.empty() ? what : text, text.empty() ? "a number is missing" : "this is no " + what,
                      "write it in decimal, or in hexadecimal with 0x");
  return number;
}

uint64_t sizeOf(MemoryId memory, const Machine &machine) {
  return memory == ddrMemory ? machine.ddr.sizeBytes : machine.tile.ocmBytes;
}

Result<Location> parseLocation(const std::string &text, const Program &program) {
  const size_t colon = text.find(':');
  const std::string memory = text.substr(0, colon);
  if (colon == std::string::npos || (memory != "ddr" && !memory.starts_with("ocm")))
    return usageError(text, "this is no place in a memory",
                      "write ddr:ADDRESS, or ocmTILE:ADDRESS such as ocm3:0x40");
  Location location;
  if (memory != "ddr") {
    TILERIG_TRY(const uint64_t tile, parseNumber(memory.substr(3), "number of a tile"));
    if (tile >= program.tiles)
      return usageError(text, fmt::format("the program has no tile {}", tile),
                        fmt::format("name a tile from 0 to {}", program.tiles - 1));
    location.memory = ocmOf(static_cast<unsigned>(tile));
  }
  TILERIG_TRY(location.address, parseNumber(text.substr(colon + 1), "address"));
  if (const uint64_t size = sizeOf(location.memory, program.machine); location.address >= size)
    return usageError(
        text, fmt::format("the address is outside the memory, which has {} (0x{:x}) bytes", size, size));
  return location;
}

std::string describe(const Location &location) {
  return location.memory == ddrMemory
             ? fmt::format("ddr:0x{:x}", location.address)
             : fmt::format("ocm{}:0x{:x}", tileOf(location.memory), location.address);
}

} // namespace tilerig::emulator
