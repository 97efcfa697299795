#include "emulator/Debug/Location.h"

#include <algorithm>
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

// The place of an element of a tensor; nothing if the text does not begin with the name of one.
static Result<std::optional<Location>> elementLocation(const std::string &text, const Program &program) {
  const size_t bracket = text.rfind('[');
  const auto &tensors = program.metadata.tensors();
  const auto tensor = bracket == std::string::npos
                          ? tensors.end()
                          : std::ranges::find(tensors, text.substr(0, bracket), &proto::Tensor::name);
  if (tensor == tensors.end() || !text.ends_with(']'))
    return std::optional<Location>();
  std::vector<uint64_t> position;
  for (size_t at = bracket + 1; at + 1 < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size() - 1);
    TILERIG_TRY(position.emplace_back(), parseNumber(text.substr(at, comma - at), "index"));
    at = comma + 1;
  }
  for (const proto::Piece &piece : tensor->pieces()) {
    if (static_cast<size_t>(piece.begin_size()) != position.size())
      break;
    Location location{piece.ddr() ? ddrMemory : ocmOf(piece.tile()), piece.address()};
    bool isInside = true;
    for (int axis = 0; axis < piece.begin_size(); ++axis) {
      const auto begin = static_cast<uint64_t>(piece.begin(axis)),
                 index = position[static_cast<size_t>(axis)];
      isInside &= index >= begin && index - begin < static_cast<uint64_t>(piece.extent(axis));
      location.address += (index - begin) * piece.stride(axis);
    }
    if (isInside)
      return std::optional(location);
  }
  return usageError(text, "the program stores no element at this position",
                    fmt::format("the tensor has the shape [{}]; write an index for each axis",
                                fmt::join(tensor->shape(), ", ")));
}

Result<Location> parseLocation(const std::string &text, const Program &program) {
  TILERIG_TRY(const std::optional<Location> element, elementLocation(text, program));
  if (element)
    return *element;
  const size_t colon = text.find(':');
  const std::string memory = text.substr(0, colon);
  if (colon == std::string::npos || (memory != "ddr" && !memory.starts_with("ocm")))
    return usageError(
        text, "this is no place in a memory",
        "write ddr:ADDRESS, ocmTILE:ADDRESS such as ocm3:0x40, or an element of a tensor such as y[0,3,1]");
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
