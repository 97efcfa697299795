// The instructions of one tile as assembly text, with the line on which each of them begins.
#pragma once

#include "isa/Program/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig {

// A text, and the line (from 1) on which each of its items begins.
struct Listing {
  std::string text;
  std::vector<uint32_t> lines;

  // The item on a line, or the first one after it; none behind the last.
  std::optional<uint32_t> itemAt(uint32_t line) const;
};

// The items are the instructions of a tile in a stage of the device.
Listing listTile(const Program &program, uint32_t stage, uint32_t tile);

} // namespace tilerig
