#include "isa/Assembly/Listing.h"

#include "isa/Assembly/Printer.h"

#include <algorithm>

namespace tilerig {

std::optional<uint32_t> Listing::itemAt(uint32_t line) const {
  // The item that contains the line is the last one that begins at or before it.
  const auto after = std::ranges::upper_bound(lines, line);
  if (after == lines.begin())
    return lines.empty() ? std::nullopt : std::optional<uint32_t>(0);
  return static_cast<uint32_t>(after - lines.begin()) - 1;
}

Listing listTile(const Program &program, uint32_t stage, uint32_t tile) {
  constexpr size_t indent = 4;
  Listing listing;
  uint32_t line = 1;
  for (const Instruction &instruction : std::get<DeviceStage>(program.stages[stage].work).tiles[tile]) {
    listing.lines.push_back(line);
    const auto begin = static_cast<std::ptrdiff_t>(listing.text.size());
    listing.text.append(indent, ' ');
    printInstruction(instruction, indent, listing.text);
    listing.text += '\n';
    line += static_cast<uint32_t>(std::count(listing.text.begin() + begin, listing.text.end(), '\n'));
  }
  return listing;
}

} // namespace tilerig
